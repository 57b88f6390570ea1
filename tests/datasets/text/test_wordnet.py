"""WordNet's lists: what words may be, by their endings; malformed files; the real ones."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.fetching import download
from structbench.datasets.text import columns, wordnet

LEMMAS = {
    "plan": "nv",
    "run": "nv",
    "big": "a",
    "party": "nv",
    "use": "nv",
    "fast": "anr",
    "late": "ar",
    "go": "v",
}
CLASSES = {
    **{"plan": "n+v", "Plans": "ns+vs", "planned": "vd", "planning": "vg", "parties": "ns+vs", "partied": "vd"},
    **{
        "using": "vg",
        "used": "vd",
        "goes": "vs",
        "bigger": "ac",
        "fast": "a+n+r",
        "fastest": "at",
        "latest": "at",
    },
    **{"xyz": None, "s": None, "ing": None, "program-planning": "-vg", "x-xyz": "-None", "-": None, "--": None},
    **{"a--": "-None"},
}


def test_classes():
    assert {word: wordnet.classes(word, LEMMAS) for word in CLASSES} == CLASSES
    sentences = columns.read("Plans x\nxyz x\n\nplan x\n", ("w", "y"), "given")
    assert wordnet.add_column(sentences, LEMMAS).columns["wordnet"] == ["ns+vs", None, "n+v"]


@pytest.fixture
def files(tmp_path):
    """Small files in the form of WordNet's."""
    for letter, file in wordnet.FILES.items():
        lines = f"  1 a licence\nplan {letter} 1 0 1 0 00000001  \nonly_{letter} {letter} 1 0 1 0 00000002  \n"
        (tmp_path / file.name).write_text(lines)
    return lambda file: tmp_path / file.name


def test_load(files):
    assert wordnet.load(files) == {"plan": "nvar", "only_n": "n", "only_v": "v", "only_a": "a", "only_r": "r"}
    files(wordnet.FILES["v"]).write_text("  1 a licence\nplan n 1\n")
    with pytest.raises(UserError, match=r"wordnet-index.verb, line 2: expected a lemma and 'v', .* 'plan n 1'"):
        wordnet.load(files)


@pytest.mark.corpus
def test_real():
    with download.Fetcher() as files:
        lemmas = wordnet.load(files)
    assert sum("n" in letters for letters in lemmas.values()) == 117_798
    assert wordnet.classes("prudent", lemmas) == "a"
    assert wordnet.classes("deregulated", lemmas) == "vd"
