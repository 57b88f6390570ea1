"""The text of a data set is taken apart in one file: all others hold a ``DataRef``."""

import re
from pathlib import Path

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError

ROOT = Path(__file__).parents[2]
DOOR = "datasets/references/data_ref.py"
COLON = re.compile(r"""partition\((":"|':')\)|split\((":"|':')|\bDataRef\(""")
OF_OTHERS = {  # file -> how often it takes apart a text with colons that is no data set
    "bench/estimators/base.py": 1,  # an algorithm with its parameters
    "bench/notebook.py": 1,
    "bench/python_data.py": 1,  # a config's name, in place of a data set
    "bench/report/answers.py": 2,  # a verdict and the numbers that were read
    "bench/report/explorer.py": 1,
    "bench/report/gathered.py": 1,
    "bench/report/optima.py": 4,  # names of published runs, which today may not know
    "bench/report/publish_optima.py": 1,
    "bench/runs/hosts.py": 1,  # HOST:KEY
    "bench/runs/spec.py": 1,
    "bench/verbs/named.py": 2,  # CONFIG:PLACE
    "bench/verbs/running.py": 1,
    "bench/workflow/estimate.py": 1,
    "datasets/svmlight.py": 2,  # a feature and its value
    "datasets/toy/grammar.py": 1,  # a rule and its weight
}


def test_the_text_of_a_data_set_is_taken_apart_in_one_file():
    files = [file for room in ("bench", "datasets", "workflow") for file in (ROOT / room).rglob("*.py")]
    found = {file.relative_to(ROOT).as_posix(): len(COLON.findall(file.read_text("utf-8"))) for file in files}
    assert found.pop(DOOR) and {name: count for name, count in found.items() if count} == OF_OTHERS


def test_a_data_set_takes_more_options():
    data = datasets.data_ref("conll2000:sentences=5,task=segments")
    assert data.having(sentences=7, tune=True).text == "conll2000:sentences=7,task=segments,tune=True"
    assert data.having(sentences=0) == datasets.data_ref("conll2000:task=segments"), "a default is left out"
    assert data.text == "conll2000:sentences=5,task=segments"
    with pytest.raises(UserError, match="data set conll2000 has no option 'sentence': did you mean 'sentences'"):
        data.having(sentence=7)


def test_what_today_does_not_know_has_a_name_and_a_text():
    """A results folder of other programs may name it."""
    gone = datasets.stored("gone:option=1")
    assert (gone.name, str(gone)) == ("gone", "gone:option=1")
    for what in ("options", "structure", "scores", "key"):
        with pytest.raises(UserError, match="unknown data set 'gone'"):
            getattr(gone, what)


def test_a_problem_in_memory_has_an_empty_name():
    assert (datasets.IN_MEMORY.key, datasets.IN_MEMORY.text) == ("", "")


def test_equal_data_sets_are_one_in_sets_and_in_order():
    one, other = datasets.data_ref("ocr:words=5,fold=2"), datasets.data_ref("ocr:fold=2,words=5")
    assert one is other and {one, datasets.stored("ocr:fold=2,words=5")} == {other}
    assert sorted([one, datasets.data_ref("mnist")])[0].name == "mnist"


@pytest.mark.parametrize(
    ("option", "said"), [("validation", "a share such as 0.1, a fold such as 1of5"), ("costs", "chunks, share")]
)
def test_an_empty_option_is_named(option, said):
    with pytest.raises(UserError, match=f"^{option} is empty: give {said} or a file, or leave it out$"):
        datasets.data_ref(f"toy-english:{option}=")


def test_words_in_place_of_a_file_are_those_of_their_option():
    for option, words in {"costs": ("chunks", "share"), "validation": ("0.25", "1of5", "2of5seed3")}.items():
        assert all(not datasets.data_ref(f"toy-english:{option}={word}").files for word in words)
    here = str(Path.cwd())
    assert datasets.data_ref("toy-english:validation=share").files == {"validation": f"{here}/share"}


@pytest.mark.parametrize("share", ["10", "0", "1", "-0.5"])
def test_a_share_that_holds_out_nothing_or_all_is_refused_before_data_are_built(share):
    with pytest.raises(UserError, match=f"validation must be a share between 0 and 1, or a file, not {share}$"):
        datasets.data_ref(f"toy-english:validation={share}")
