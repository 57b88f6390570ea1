"""A run's specification: its name, the way back from it, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs.spec import Spec, check_name, make, parse

numbers = st.floats(1e-12, 1e12, exclude_min=True)
paths = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
eg_params = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["online", "batch"]),
        "order": st.sampled_from(["random", "permuted", "cyclic"]),
        "eta": numbers,
        "calibrate": st.booleans(),
        "adaptive": st.booleans(),
    },
)
rests = st.fixed_dictionaries(
    {},
    optional={
        "passes": numbers,
        "gap": st.just(0.0) | numbers,
        "seconds": numbers,
        "seed": st.integers(0, 2**64),
        "threads": st.integers(1, 64),
    },
)
many = settings(max_examples=300, deadline=None, derandomize=True)


@many
@given(st.sampled_from(["log", "hinge"]), numbers, eg_params, rests)
def test_a_name_leads_back_to_its_spec(loss, C, params, rest):
    spec = make("synthetic:crf=2", loss, C, "eg", params, **rest)
    assert parse(spec.key) == spec
    assert "/" not in spec.key


@many
@given(paths, st.none() | paths)
def test_paths_survive_in_a_name(path, test):
    spec = make(f"svmlight:{path}", "log", 1.0, "lbfgs", test=test)
    assert parse(spec.key) == spec
    assert "/" not in spec.key
    assert spec.key.isprintable()
    assert spec.key.isascii()


@pytest.mark.parametrize("path", ["a_", "_", "a__b", "a___b", "__", "a=b,c", "a b", "../é", "a%5F%5Fb"])
def test_odd_paths_survive_in_a_name(path):
    spec = make(f"crfsuite:{path}", "log", 1.0, "sgd", test=path)
    assert parse(spec.key) == spec


def test_a_name_is_readable_and_holds_no_defaults():
    assert make("mnist", "log", 10, "eg").key == "mnist__log__C=10__eg"
    spec = make(
        "conll2000:sentences=500", "hinge", 0.5, "eg", {"order": "cyclic", "eta": "0.5"}, passes=50, seed=0
    )
    assert spec.key == "conll2000:sentences=500__hinge__C=0.5__eg:order=cyclic__passes=50"
    assert make("mnist", "log", 1, "lbfgs", {"memory": 10}, gap=1e-6, threads=1).key == "mnist__log__C=1__lbfgs"


def test_equal_specs_have_one_name():
    written = [
        make("synthetic:crf=1,fold=2", "log", 2, "eg", {"eta": "1", "mode": "batch"}),
        make("synthetic:fold=2,crf=1", "log", 2.0, "eg", {"mode": "batch", "eta": 1.0}, passes=100),
    ]
    assert written[0] == written[1]
    assert written[0].key == written[1].key


def test_a_file_and_a_zero_have_one_name_however_they_are_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    written = ["a.txt", "./a.txt", "b/../a.txt", str(tmp_path / "a.txt"), f"../{tmp_path.name}/a.txt"]
    made = {
        make(f"svmlight:{path}", "log", 1.0, "eg", test=path, gap=gap) for path in written for gap in (0.0, -0.0)
    }
    assert {spec.key for spec in made} == {"svmlight:a.txt__log__C=1__eg__test=a.txt__gap=0"}
    outside = {
        make(f"svmlight:{path}", "log", 1.0, "lbfgs").data for path in ("../b.txt", str(tmp_path.parent / "b.txt"))
    }
    assert outside == {f"svmlight:{tmp_path.parent}/b.txt"}
    assert make("svmlight:~/a.txt", "log", 1.0, "eg") == make(f"svmlight:{home}/a.txt", "log", 1.0, "eg")
    assert make("mnist", "log", 1.0, "eg", {"eta": -0.0}).key == make("mnist", "log", 1.0, "eg", {"eta": 0.0}).key
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")  # the same text is another file now
    assert make(f"svmlight:{tmp_path}/a.txt", "log", 1.0, "eg").data == f"svmlight:{tmp_path}/a.txt"


def test_penalties_that_differ_in_the_seventh_digit_are_two():
    close = [make("ocr", "hinge", 1.0, "lapm3n", penalty=f"laplace-123456{last}") for last in (7, 8)]
    assert len({spec.key for spec in close}) == 2 and [parse(spec.key) for spec in close] == close


def test_different_specs_have_different_names():
    base = {"data": "svmlight:a", "loss": "log", "C": 1.0, "algorithm": "eg"}
    changes = [
        {}, {"data": "ocr"}, {"loss": "hinge"}, {"C": 1.0000001}, {"algorithm": "sgd"}, {"seed": 1},
        {"params": {"eta": 0.1}}, {"params": {"mode": "batch"}}, {"passes": 99.0}, {"gap": 0.0},
        {"seconds": 5.0}, {"threads": 2}, {"test": "file"},
    ]  # fmt: skip
    assert len({make(**(base | change)).key for change in changes}) == len(changes)


def test_all_parameters_are_filled_in():
    spec = make("mnist", "log", 1.0, "lbfgs")
    assert dict(spec.params) == {"memory": 10}
    assert spec.as_dict()["params"] == {"memory": 10}
    assert isinstance(spec, Spec)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"algorithm": "lbgfs"}, "unknown algorithm 'lbgfs': did you mean 'lbfgs'?"),
        (
            {"algorithm": "magic"},
            "unknown algorithm 'magic': `python -m bench list algorithms` names all ",
        ),
        ({"params": {"etta": 1}}, "algorithm eg has no option 'etta': did you mean 'eta'?"),
        ({"params": {"mode": "offline"}}, "algorithm eg: mode must be one of online, batch, not 'offline'"),
        ({"params": {"eta": "big"}}, "algorithm eg: eta must be a number, not 'big'"),
        ({"params": {"eta": "nan"}}, "algorithm eg: eta must be finite, not 'nan'"),
        ({"params": {"eta": -1}}, "algorithm eg: eta must be at least 0, not '-1'"),
        (
            {"algorithm": "smo", "loss": "hinge", "params": {"relaxation": 2}},
            "must be below 2, not '2'",
        ),
        ({"params": {"grow": 0.9}}, "algorithm eg: grow must be at least 1, not '0.9'"),
        (
            {"algorithm": "eg-path", "params": {"tolerance": 1e-15}},
            "algorithm eg-path: tolerance must be at least 1e-14, not '1e-15'",
        ),
        (
            {"algorithm": "l1m3n-cutting-plane", "loss": "hinge", "params": {"epsilon": 1e-12}},
            "algorithm l1m3n-cutting-plane: epsilon must be at least 1e-9, not '1e-12'",
        ),
        ({"params": {"adaptive": 1}}, "algorithm eg: adaptive must be true or false, not '1'"),
        ({"algorithm": "lbfgs", "params": {"memory": 1.5}}, "memory must be a whole number, not '1.5'"),
        (
            {"loss": "squared"},
            "unknown loss 'squared': choose log or hinge or smoothed-hinge-TAU or softmax-margin",
        ),
        (
            {"loss": "hinge", "algorithm": "sgd"},
            "sgd minimises the log or smoothed-hinge-TAU or softmax-margin loss, not 'hinge'",
        ),
        ({"C": 0}, "C must be a number above 0, not 0"),
        ({"C": -1.5}, "C must be a number above 0, not -1.5"),
        ({"C": float("nan")}, "C must be a number above 0, not nan"),
        ({"C": float("inf")}, "C must be a number above 0, not inf"),
        ({"penalty": "l3"}, "unknown penalty 'l3': choose l2 or l1 or l1-ball"),
        ({"penalty": "l1"}, "eg takes the penalty l2, not 'l1'"),
        ({"penalty": "laplace-100"}, "eg takes the penalty l2, not 'laplace-100'"),
        ({"passes": 0.0}, "passes must be above 0, not 0"),
        ({"passes": float("nan")}, "passes must be above 0, not nan"),
        ({"gap": -1.0}, "gap must be at least 1e-14, or 0 for a run that uses up its passes, not -1"),
        ({"gap": float("nan")}, "uses up its passes, not nan"),
        ({"gap": 9e-15}, "uses up its passes, not 9e-15"),
        ({"seconds": 0.0}, "seconds must be above 0, not 0"),
        ({"threads": 0}, "threads must be 1 or more and at most 1024, not 0"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"data": "minst"}, "unknown data set 'minst': did you mean 'mnist'?"),
        ({"data": "svmlight"}, "data set svmlight reads a file of yours: write svmlight:PATH"),
        (
            {"algorithm": "EG"},
            "unknown algorithm 'EG': did you mean 'eg'? `python -m bench list algorithms`",
        ),
        (
            {"algorithm": "dual-variables"},
            "dual_variables.py is no algorithm: it has no @algorithm(...) above solve",
        ),
        (
            {"loss": "Log"},
            "unknown loss 'Log': did you mean 'log'? choose log or hinge or",
        ),
        ({"loss": None}, "eg needs a loss: log or hinge or smoothed-hinge-TAU or softmax-margin"),
        ({"loss": None, "algorithm": "lbfgs"}, "lbfgs needs a loss: log"),
        ({"C": None}, "eg needs a C, the strength of the penalty: a number above 0, such as 1"),
        (
            {"loss": "hinge", "data": "ocr", "algorithm": "crfsuite"},
            "crfsuite minimises the log loss, not 'hinge' (it does with method=ap, pa, arow)",
        ),
        ({"test": "t.txt"}, "data set mnist has its own test split: it takes no test file 't.txt'"),
        (
            {"algorithm": "crfsuite"},
            "crfsuite needs label sequences, which multiclass problems do not have: ",
        ),
        ({"data": "ocr", "algorithm": "sklearn"}, "`python -m bench list algorithms --structure chain`"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(changed, sentence):
    base = {"data": "mnist", "loss": "log", "C": 1.0, "algorithm": "eg"}
    with pytest.raises(UserError) as error:
        _ = make(**(base | changed)).key
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "mnist",
        "mnist__log__eg",
        "mnist__log__C=x__eg",
        "mnist__log__C=1__eg__colour=red",
        "mnist__log__C=1__eg__seed=1.5",
        "mnist__log__C=1__eg__passes",
        "mnist__log__C=1__eg:eta",
        "mnist__log__C=1__nothing",
    ],
)
def test_what_is_no_name_of_a_run_is_refused(key):
    with pytest.raises(UserError):
        parse(key)


def test_the_command_line_says_it_all():
    spec = make("synthetic", "log", 2, "eg", {"order": "cyclic"}, passes=7, seconds=9, seed=3, test=None)
    assert spec.command() == (
        "python -m bench run --data synthetic --loss log --C 2 --algorithm eg --set order=cyclic "
        "--passes 7 --gap 1e-06 --seconds 9 --seed 3 --threads 1 --out DIR"
    )


def test_a_name_too_long_for_a_folder_is_said():
    long = make("svmlight:" + 300 * "a", "log", 1.0, "eg")
    with pytest.raises(UserError, match="longer than 240 bytes"):
        check_name(long)


def test_a_penalty_that_is_not_given_is_the_algorithms_own():
    assert make("mnist", "log", 1, "lbfgs").penalty == "l2"
    assert make("mnist", "log", 1, "owl-qn").penalty == "l1"
    assert make("mnist", "hinge", 1, "l1m3n-em").penalty == "l1-squared"
    with pytest.raises(UserError, match="lapm3n needs a penalty laplace-LAMBDA, such as laplace-100"):
        make("mnist", "hinge", 1, "lapm3n")


def test_a_laplace_penalty_has_one_name():
    names = {
        make("mnist", "hinge", 1, "lapm3n", penalty=f"laplace-{text}").penalty for text in ("100", "1e2", "100.0")
    }
    assert names == {"laplace-100"}


@pytest.mark.parametrize("penalty", ["l1", "l2", "none", None])
def test_a_name_and_a_command_keep_the_penalty(penalty):
    spec = make("mnist", "log", 1, "owl-qn", penalty=penalty)
    assert parse(spec.key) == spec
    assert (f"--penalty {spec.penalty}" in spec.command()) == (spec.penalty != "l1")
    assert parse(make("mnist", "log", 1, "lbfgs").key).penalty == "l2"
