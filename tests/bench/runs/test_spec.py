"""A run's specification: its name, the way back from it, and what is refused."""

import re
import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report import gathered
from structbench.bench.runs.spec import LONGEST_KEY, check_name, fields_of, make, parse
from structbench.bench.verbs import making
from structbench.bench.verbs.command_line import parse_words
from tests.bench.test_own_folder import python

CHAIN, JOINT = "toy-english:sentences=20", "toy-english:task=joint"
NAN, INF = float("nan"), float("inf")
numbers = st.floats(1e-12, 1e12, exclude_min=True)
paths = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
odd = st.sampled_from(["a_", "_", "a__b", "a___b", "__", "a=b,c", "a b", "../é", "a%5F%5Fb"]) | paths
beams = st.integers(1, 10000)
eg_params = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["online", "batch"]),
        "order": st.sampled_from(["random", "permuted", "cyclic"]),
        "eta": numbers,
        "calibrate": st.booleans(),
    },
)
laso_params = st.fixed_dictionaries(
    {},
    optional={
        "update": st.sampled_from(["perceptron", "alma"]),
        "beam": beams | st.just("inf"),
        "decode": beams | st.sampled_from(["same", "inf", "a-star"]),
        "alpha": st.floats(0, 1, exclude_min=True),
        "B": st.floats(0, 1e6),
    },
)
limits = {"passes": numbers, "gap": st.just(0.0) | numbers, "seconds": numbers, "seed": st.integers(0, 2**64)}
objectives = st.one_of(
    st.tuples(st.just("synthetic:crf=2"), st.sampled_from(["log", "hinge"]), numbers, st.just("eg"), eg_params),
    st.tuples(st.just(CHAIN), st.none(), st.none(), st.just("laso"), laso_params),
    st.tuples(odd.map("svmlight:{}".format), st.just("log"), numbers, st.just("lbfgs"), st.just({})),
)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(objectives, st.fixed_dictionaries({}, optional=limits), st.integers(1, 1024), st.none() | odd)
def test_a_name_leads_back_to_its_spec(objective, rest, threads, test):
    rest |= {"threads": threads} if objective[3] != "laso" else {}
    rest |= {"test": test} if objective[0].startswith("svmlight") else {}
    spec = make(*objective, **rest)
    assert parse(spec.key, spec.paths) == spec
    assert "/" not in spec.key and spec.key.isprintable() and spec.key.isascii()


def test_files_are_named_by_their_stem_and_told_apart_by_their_path(tmp_path, monkeypatch):
    for folder in ("a", "b"):
        (tmp_path / folder / "x").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a")
    ways = ("x/my train.txt", "./x/my train.txt", f"{tmp_path}/b/../a/x/my train.txt")
    specs = [make(f"columns:{way},templates={tmp_path}/t.crf", "log", 1, "eg", test=way) for way in ways]
    assert len(set(specs)) == 1 and specs[0].data.text.startswith(f"columns:{tmp_path}/a/x/my train.txt,")
    name = r"my-train~[0-9a-f]{6}"
    key = rf"columns:{name},templates=t~[0-9a-f]{{6}}__log__C=1__eg__test={name}"
    assert re.fullmatch(key, specs[0].key)
    assert specs[0].data.shown == "columns:my-train,templates=t"
    monkeypatch.chdir(tmp_path / "b")
    other = make("columns:x/my train.txt", "log", 1, "eg")
    assert other.key != make(f"columns:{ways[2]}", "log", 1, "eg").key
    assert other.data.shown == "columns:my-train"
    with pytest.raises(UserError, match=r"'my-train~.{6}' is the short name of a file of yours: the run's"):
        parse(other.key)
    (tmp_path / "c,d").mkdir()
    monkeypatch.chdir(tmp_path / "c,d")
    with pytest.raises(UserError, match=r"a path of templates must have no comma: .*c,d/t"):
        make("columns:a,templates=t", "log", 1, "eg")


def test_a_name_is_readable_and_holds_no_defaults():
    cyclic = make(
        "conll2000:sentences=500", "hinge", 0.5, "eg", {"order": "cyclic", "eta": "0.5"}, passes=50, seed=0
    )
    alma = {"beam": "10", "update": "alma"}
    named = {
        "mnist__log__C=10__eg": make("mnist", "log", 10, "eg"),
        "conll2000:sentences=500__hinge__C=0.5__eg:order=cyclic__passes=50": cyclic,
        "mnist__log__C=1__lbfgs": make("mnist", "log", 1, "lbfgs", {"memory": 10}, gap=1e-6, threads=1),
        f"{JOINT}__none__laso": make(JOINT, None, None, "laso"),
        f"{JOINT}__none__laso:beam=10,update=alma": make(JOINT, "none", None, "laso", alma),
        f"{CHAIN}__none__perceptron": make(CHAIN, None, None, "perceptron", {"beam": "inf"}),
    }  # fmt: skip
    assert {name: spec.key for name, spec in named.items()} == {name: name for name in named}
    assert named["mnist__log__C=1__lbfgs"].as_dict()["params"] == {
        "memory": 10,
        "preconditioner": "none",
    }, "all parameters are filled in"
    laso = named[f"{JOINT}__none__laso:beam=10,update=alma"]
    assert (laso.loss, laso.penalty, dict(laso.params)["beam"], fields_of(laso.key)[2]) == (
        "none",
        "none",
        10,
        None,
    )
    said = gathered.of_key(laso.key)
    assert (said.loss, said.C, said.options) == ("none", None, ("beam=10", "update=alma"))


def test_equal_specs_have_one_name(tmp_path, monkeypatch):
    first = make("synthetic:crf=1,fold=2", "log", 2, "eg", {"eta": "1", "mode": "batch"})
    assert first == make("synthetic:fold=2,crf=1", "log", 2.0, "eg", {"mode": "batch", "eta": 1.0}, passes=100)
    assert make("mnist", "log", 1.0, "eg", {"eta": -0.0}).key == make("mnist", "log", 1.0, "eg", {"eta": 0.0}).key
    laplace = {
        make("mnist", "hinge", 1, "lapm3n", penalty=f"laplace-{n}").penalty for n in ("100", "1e2", "100.0")
    }
    assert laplace == {"laplace-100"}
    elastic = {make("mnist", "log", 1, "sdca", penalty=f"elastic-{n}").key for n in ("0.10", "1e-1")}
    assert elastic == {"mnist__log__C=1__sdca__penalty=elastic-0.1"} == {parse(key).key for key in elastic}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    written = ["a.txt", "./a.txt", "b/../a.txt", str(tmp_path / "a.txt"), f"../{tmp_path.name}/a.txt"]
    made = {
        make(f"svmlight:{path}", "log", 1.0, "eg", test=path, gap=gap) for path in written for gap in (0.0, -0.0)
    }
    (key,) = {spec.key for spec in made}
    assert re.fullmatch(r"svmlight:(a~\w{6})__log__C=1__eg__test=\1__gap=0", key)
    beside = ("../b.txt", str(tmp_path.parent / "b.txt"))
    assert {make(f"svmlight:{path}", "log", 1.0, "lbfgs").data.text for path in beside} == {
        f"svmlight:{tmp_path.parent}/b.txt"
    }
    home = make(f"svmlight:{tmp_path}/home/a.txt", "log", 1.0, "eg")
    assert make("svmlight:~/a.txt", "log", 1.0, "eg") == home
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")  # the same text is another file now
    assert make(f"svmlight:{tmp_path}/a.txt", "log", 1.0, "eg").data.text == f"svmlight:{tmp_path}/a.txt"


def test_different_specs_have_different_names():
    base = {"data": "svmlight:a", "loss": "log", "C": 1.0, "algorithm": "eg"}
    changes = [
        {}, {"data": "ocr"}, {"loss": "hinge"}, {"C": 1.0000001}, {"algorithm": "sgd"}, {"seed": 1},
        {"params": {"eta": 0.1}}, {"params": {"mode": "batch"}}, {"passes": 99.0}, {"gap": 0.0},
        {"seconds": 5.0}, {"threads": 2}, {"test": "file"},
    ]  # fmt: skip
    specs = [make(**(base | change)) for change in changes]
    specs += [make("ocr", "hinge", 1.0, "lapm3n", penalty=f"laplace-123456{last}") for last in (7, 8)]
    assert (
        len({spec.key for spec in specs}) == len(specs)
        and [parse(spec.key, spec.paths) for spec in specs] == specs
    )


LASO = {"data": JOINT, "loss": None, "C": None, "algorithm": "laso"}
LOSSES = "log or hinge or smoothed-hinge-TAU or softmax-margin"
WRONG = [
    ({"algorithm": "lbgfs"}, "unknown algorithm 'lbgfs': did you mean 'lbfgs'?"),
    ({"algorithm": "magic"}, "unknown algorithm 'magic': `python -m bench list algorithms` names all "),
    ({"algorithm": "dual-variables"}, "dual_variables.py is no algorithm: it has no @algorithm(...) above solve"),
    ({"algorithm": "gradient_ascent"}, "unknown algorithm 'gradient_ascent': did you mean 'gradient-ascent'?"),
    ({"params": {"etta": 1}}, "algorithm eg has no option 'etta': did you mean 'eta'?"),
    ({"params": {"mode": "offline"}}, "algorithm eg: mode must be one of online, batch, not 'offline'"),
    ({"algorithm": "eg-path", "params": {"tolerance": 1e-15}}, "tolerance must be at least 1e-14, not '1e-15'"),
    (LASO | {"params": {"beam": 0}}, "algorithm laso: beam (or inf) must be at least 1, not '0'"),
    (LASO | {"params": {"beam": 10**9}}, "beam (or inf) must be at most 10000, not '1000000000'"),
    (LASO | {"params": {"decode": "b"}}, "decode (or same, inf, a-star) must be a whole number, not 'b'"),
    (LASO | {"algorithm": "early-update", "params": {"beam": "inf"}}, "beam must be a whole number, not 'inf'"),
    ({"loss": "Log"}, "unknown loss 'Log': did you mean 'log'? choose log or hinge or"),
    ({"loss": "squared"}, f"unknown loss 'squared': choose {LOSSES}"),
    (
        {"loss": "hinge", "algorithm": "sgd"},
        f"sgd minimises the {LOSSES.replace('hinge or ', '', 1)} loss, not 'hinge'",
    ),
    ({"loss": "none"}, f"eg minimises the {LOSSES} loss, not 'none'"),
    (
        {"loss": "hinge", "data": "ocr", "algorithm": "crfsuite"},
        "crfsuite minimises the log loss, not 'hinge' (it does with method=ap, pa, arow)",
    ),
    ({"loss": None}, f"eg needs a loss: {LOSSES}"),
    (LASO | {"loss": "log"}, "laso minimises no loss: leave out 'log'"),
    ({"C": None}, "eg needs a C, the strength of the penalty: a number above 0, such as 1"),
    (LASO | {"C": 2.0}, "laso has no penalty: leave out C = 2"),
    (LASO | {"C": NAN}, "laso has no penalty: leave out C = nan"),
    *(({"C": C}, f"C must be a number above 0, not {C:g}") for C in (0, -1.5, NAN, INF)),
    ({"penalty": "l3"}, "unknown penalty 'l3': choose l2 or elastic-A or l1 or l1-ball"),
    ({"penalty": "laplace-100"}, "eg takes the penalty l2 or elastic-A, not 'laplace-100'"),
    ({"penalty": "elastic-0"}, "penalty 'elastic-0': elastic-A needs a number above 0, such as elastic-0.1"),
    (LASO | {"penalty": "l2"}, "laso takes the penalty none, not 'l2'"),
    ({"loss": "hinge", "algorithm": "lapm3n"}, "lapm3n needs a penalty laplace-LAMBDA, such as laplace-100"),
    *(({"passes": passes}, f"passes must be above 0 and finite, not {passes:g}") for passes in (0.0, NAN, INF)),
    ({"gap": -1.0}, "gap must be at least 1e-14 and finite, or 0 (until it rounds to 0), not -1"),
    *(({"gap": gap}, f"(until it rounds to 0), not {gap:g}") for gap in (NAN, INF, 9e-15)),
    *(({"seconds": seconds}, f"seconds must be above 0 and finite, not {seconds:g}") for seconds in (0.0, INF)),
    *(({"threads": n}, f"threads must be 1 or more and at most 1024, not {n}") for n in (0, 1025)),
    *(
        ({"algorithm": name, "threads": 4}, f"{name} uses one thread: leave out threads = 4")
        for name in ("sgd", "crfsuite")
    ),
    (LASO | {"threads": 4}, "laso uses one thread: leave out threads = 4"),
    ({"seed": -1}, "seed must be 0 or more, not -1"),
    ({"data": "minst"}, "unknown data set 'minst': did you mean 'mnist'?"),
    ({"data": "svmlight"}, "data set svmlight reads a file of yours: write svmlight:PATH"),
    ({"test": "t.txt"}, "data set mnist has its own test split: it takes no test file 't.txt'"),
    ({"algorithm": "crfsuite"}, "crfsuite needs label sequences, which multiclass problems do not have: "),
    ({"data": "ocr", "algorithm": "sklearn"}, "`python -m bench list algorithms --structure chain`"),
]


@pytest.mark.parametrize("number", ["0.00001", "1e-5", "1E-05", "0.5e-4", "1e3", "0.25"])
def test_a_loss_may_have_any_number(number):
    spec = make("mnist", f"smoothed-hinge-{number}", 1.0, "lbfgs")
    assert float(spec.loss.rpartition("-")[2]) == float(number) and parse(spec.key) == spec
    assert make("mnist", f"smoothed-hinge-{float(number)}", 1.0, "lbfgs") == spec


UNDERSCORES = """from structbench.bench.runs.spec import make, parse
spec = make("mnist", "log", 1.0, "sk", {"_step__size_": 0.02}, passes=2)
assert parse(spec.key) == spec
print(spec.key)"""


def test_a_parameter_may_have_two_underscores_in_its_name(tmp_path):
    text = (making.SKELETONS / "algorithm.txt").read_text()
    changed = making.filled(text, {"MODULE": "sk", "ID": "sk"}).replace(
        "rng, *", "rng, *, _step__size_: float = 0.01", 1
    )
    (tmp_path / "algorithms").mkdir()
    (tmp_path / "algorithms" / "sk.py").write_text(changed)
    said = python("-c", UNDERSCORES, **{own_folders.VARIABLE: str(tmp_path)})
    assert said == "mnist__log__C=1__sk:_step%5F_size_=0.02__passes=2\n"


@pytest.mark.parametrize(("changed", "sentence"), WRONG)
def test_what_is_wrong_is_said_in_a_sentence(changed, sentence):
    with pytest.raises(UserError) as error:
        make(**({"data": "mnist", "loss": "log", "C": 1.0, "algorithm": "eg"} | changed))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "key",
    [
        *(
            "",
            "mnist",
            "mnist__log__eg",
            "mnist__log__C=x__eg",
            "mnist__log__C=1__nothing",
            "mnist__log__C=1__eg:eta",
        ),
        *(f"mnist__log__C=1__eg__{rest}" for rest in ("colour=red", "seed=1.5", "passes")),
        *(f"{JOINT}__none", f"{JOINT}__none__C=1__laso", f"{JOINT}__none__laso:beam=0"),
    ],
)
def test_what_is_no_name_of_a_run_is_refused(key):
    with pytest.raises(UserError):
        parse(key)


def test_a_name_too_long_for_a_folder_is_said():
    short = make("svmlight:a", "log", 1.0, "eg", seed=1)
    longest = 10 ** (LONGEST_KEY - len(short.key))
    check_name(make("svmlight:a", "log", 1.0, "eg", seed=longest))
    with pytest.raises(UserError, match="longer than 240 bytes"):
        check_name(make("svmlight:a", "log", 1.0, "eg", seed=10 * longest))
    check_name(make(f"svmlight:{'a' * 500}", "log", 1.0, "eg"))


@pytest.mark.parametrize(
    ("algorithm", "loss", "penalty"),
    [("lbfgs", "log", "l2"), ("owl-qn", "log", "l1"), ("l1m3n-em", "hinge", "l1-squared")],
)
def test_a_penalty_that_is_not_given_is_the_algorithms_own(algorithm, loss, penalty):
    assert make("mnist", loss, 1, algorithm).penalty == penalty


RUNS = [
    make("synthetic", "log", 2, "eg", {"order": "cyclic"}, passes=7, seconds=9, seed=3),
    make("toy-english", None, None, "laso", {"beam": "inf", "update": "alma", "alpha": 0.95}, passes=7, gap=0),
    make("svmlight:my file", "log", 1.0, "lbfgs", test="a b", threads=3),
    *(make("mnist", "log", 1, "owl-qn", penalty=penalty) for penalty in ("l1", "l2", "none")),
]


@pytest.mark.parametrize("spec", RUNS, ids=lambda spec: spec.key)
def test_the_command_makes_the_same_run(spec):
    given = parse_words(shlex.split(spec.command().removeprefix("python -m bench ")))
    params = dict(each.split("=") for each in given.set)
    names = ("test", "penalty", "passes", "gap", "seconds", "seed", "threads")
    assert (
        make(given.data, given.loss, given.C, given.algorithm, params, **{n: getattr(given, n) for n in names})
        == spec
    )


def test_a_command_says_what_is_not_usual():
    assert RUNS[0].command() == (
        "python -m bench run --data synthetic --loss log --C 2 --algorithm eg --set order=cyclic "
        "--passes 7 --gap 1e-06 --seconds 9 --seed 3 --threads 1 --out DIR"
    )
    assert [
        word for word in RUNS[1].command().split() if word in ("--loss", "--C", "--penalty", "--seconds")
    ] == []
