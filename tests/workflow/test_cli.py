"""The command line: the contract of ``run``, and a sentence for every mistake."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import Terminated
from structbench.bench.__main__ import main
from structbench.bench.runs import store
from structbench.bench.verbs.command_line import GROUPS, JOBS, MODULES, declared, parse_words
from structbench.bench.verbs.verb import DECLARED
from tests.workflow.conftest import ROOT

SVM = "\n".join(f"{k % 3} 1:{k % 3 + 0.1 * (k % 7)} 2:{k % 5} 3:1" for k in range(60)) + "\n"
CRF = "".join(f"{'AB'[t % 2]}\tw={t % 3}\tv={t % 2}:0.5\n" + ("\n" if t % 4 == 3 else "") for t in range(48))
OUTCOME = {
    "status", "primal", "dual", "gap", "relative_gap", "passes", "wall_seconds", "cpu_seconds", "train_error",
    "test_error", "num_weights", "num_examples",
}  # fmt: skip


def last_line(said: str) -> dict:
    """The outcome; json is strict about NaN, which is no JSON."""
    return json.loads(said.splitlines()[-1], parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


@pytest.fixture
def bench(tmp_path, monkeypatch, capfd) -> Callable[..., tuple[int, str]]:
    """``python -m bench`` without another process, in a folder with small files: exit code, and what was said."""
    monkeypatch.chdir(tmp_path)
    Path("train.svm").write_text(SVM)
    Path("train.crf").write_text(CRF)

    def run(*words: str) -> tuple[int, str]:
        capfd.readouterr()
        try:
            code = main([*words])
        except SystemExit as end:  # argparse's own
            code = int(end.code or 0)
        said = capfd.readouterr()
        return code, said.err + said.out

    return run


RUN = ("run", "--loss", "log", "--C", "1")


@pytest.mark.parametrize(
    ("data", "test", "features", "examples"),
    [("svmlight:train.svm", "train.svm", 9, 60), ("crfsuite:train.crf", "train.crf", 14, 12)],
)
def test_a_run_on_files_of_the_user_keeps_its_contract(bench, data, test, features, examples):
    words = [*RUN, "--data", data, "--test", test, "--passes", "300", "--gap", "1e-4", "--out", "out/mine"]
    primal = {}
    for algorithm in ("eg", "lbfgs"):
        code, said = bench(*words, "--algorithm", algorithm, "--again")
        outcome = last_line(said)
        assert code == 0 and outcome.keys() >= OUTCOME, said
        assert outcome["status"] == "converged" and outcome["relative_gap"] <= 1e-4
        assert (outcome["num_weights"], outcome["num_examples"]) == (features, examples)
        assert outcome["train_error"] == outcome["test_error"]  # the test file is the training file
        primal[algorithm] = outcome["primal"]
    assert primal["eg"] == pytest.approx(primal["lbfgs"], rel=2e-4)
    made = Path("out", "mine")
    assert {file.name for file in made.iterdir()} == {"spec.json", "curve.parquet", "summary.json", "weights.npz"}
    assert store.weights_of(store.read_run(made)).shape == (features,)
    assert "converged" in bench("show", "out/mine")[1]


def test_parameters_stand_behind_the_algorithm_or_are_set(bench):
    words = [*RUN, "--data", "svmlight:train.svm", "--passes", "1", "--algorithm"]
    runs = [
        last_line(bench(*words, *more)[1])["run"]
        for more in (["eg:order=gap,eta=0.25"], ["eg", "--set", "order=gap", "--set", "eta=0.25"])
    ]
    assert runs[0] == runs[1] and "eg:" in runs[0] and "order=gap" in runs[0]


def test_a_run_without_a_test_file_prints_null(bench):
    code, said = bench(*RUN, "--data", "svmlight:train.svm", "--algorithm", "eg", "--passes", "1")
    assert code == 0 and last_line(said)["test_error"] is None


def test_a_finished_run_is_not_made_again_and_another_not_overwritten(bench):
    words = [*RUN, "--data", "svmlight:train.svm", "--algorithm", "eg", "--passes", "1", "--out", "out"]
    first = last_line(bench(*words)[1])
    made = Path("out", "summary.json").stat().st_mtime_ns
    code, said = bench(*words)
    assert code == 0 and "nothing to do" in said and last_line(said) == first
    assert Path("out", "summary.json").stat().st_mtime_ns == made
    code, said = bench(*words[:-4], "--passes", "2", "--out", "out")
    assert code == 2 and "holds the run" in said and "--again" in said
    assert Path("out", "summary.json").stat().st_mtime_ns == made
    Path("train.svm").write_text(SVM + "0 1:9\n")
    code, said = bench(*words)
    assert code == 0 and last_line(said)["num_examples"] == 61  # the data changed: made again


def test_a_time_limit_keeps_the_curve_so_far(bench):
    words = [*RUN, "--data", "crfsuite:train.crf", "--algorithm", "sgd", "--passes", "1e9", "--gap", "0"]
    outcome = last_line(bench(*words, "--seconds", "0.05", "--out", "out")[1])
    assert outcome["status"] == "timeout" and outcome["cpu_seconds"] >= 0.05 and outcome["passes"] > 0


# what ``spec.make`` refuses has its own tests: here is what the command line itself reads, opens and writes
MISTAKES = [
    ("--data svmlight:none.svm --algorithm eg", "none.svm"),
    ("--data mnist:trian=3 --algorithm eg", "did you mean 'train'"),
    ("--data svmlight:train.svm --algorithm eg --set eta", "'eta' is not of the form name=value"),
    ("--data svmlight:train.svm --algorithm eg:order=gap --set order=random", "'order' is given twice"),
    ("--data svmlight:train.svm --algorithm eg --set eta=-1", "eta must be at least 0, not '-1'"),
    ("--data svmlight:train.svm --algorithm eg --C many", "--C must be a number, not 'many'; see"),
    ("--data svmlight:train.svm --algorithm eg --penalty l3", "unknown penalty 'l3'"),
    ("--data svmlight:train.svm --algorithm eg --passes inf", "passes must be above 0 and finite, not inf"),
    ("--data svmlight:train.svm --algorithm eg --gap -1", "gap must be at least 1e-14 and finite, or 0"),
    ("--data svmlight:train.svm --algorithm eg --threads 0", "threads must be 1 or more"),
    ("--data svmlight:train.svm --algorithm eg --out .", "holds something other than a run"),
    ("--data svmlight:train.svm --algorithm eg --out train.svm", "holds something other than a run"),
    ("--data svmlight:train.svm --algorithm eg --out train.svm/run", "make it a writable folder"),
    ("--data svmlight:train.svm --algorithm eg --test none.t", "none.t"),
    ("--data svmlight:bad.svm --algorithm eg", "bad.svm, line 2"),
    ("--data crfsuite:bad.crf --algorithm eg", "bad.crf, line 2"),
]


@pytest.mark.parametrize(("words", "said_of_it"), MISTAKES)
def test_a_mistake_gets_a_sentence_and_no_traceback(bench, words, said_of_it):
    Path("bad.svm").write_text("1 1:2\n1 one:2\n")
    Path("bad.crf").write_text("A\tx\n\tx\n")
    code, said = bench(*RUN, *words.split())
    assert code == 2 and said_of_it in said and "Traceback" not in said
    assert not list(Path().glob("results/runs/*"))


JOINT = "--data toy-english:sentences=20,test_sentences=10,task=joint"


@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        (f"{JOINT} --algorithm laso --set decode=a-star", "needs completion bounds, which joint"),
        (f"{JOINT} --algorithm laso --loss log", "minimises no loss: leave out 'log'"),
        ("--data svmlight:train.svm --algorithm eg", "eg needs a loss: log or hinge"),
        ("--data train.svm --algorithm eg --loss log", "'train.svm' is a file, not a data set: write FORMAT:"),
    ],
)
def test_a_mistake_is_refused_before_any_data_are_looked_at(bench, words, said_of_it):
    code, said = bench("run", *words.split())
    assert code == 2 and said_of_it in said and "Traceback" not in said
    assert not Path("results").exists()


def test_a_run_without_an_objective(bench):
    code, said = bench("run", *JOINT.split(), "--algorithm", "laso", "--passes", "2")
    outcome = last_line(said)
    assert code == 0 and outcome["primal"] is None and 0 <= outcome["test_f1"] <= 1, said
    assert outcome["run"] == "toy-english:sentences=20,task=joint,test_sentences=10__none__laso__passes=2"


def test_help_has_all_verbs_in_groups_with_an_example_each(bench):
    code, said = bench("--help")
    assert (code, bench()) == (0, (0, said))
    groups = [line for line in said.splitlines() if line in GROUPS]
    assert groups == [*GROUPS]
    for name in MODULES:
        if name in GROUPS[JOBS]:
            assert name in said.partition(JOBS)[2]
        else:
            assert f"\n  {name} " in said
            assert said.count(f"python -m bench {declared(name).examples[0]}\n") == 1
    assert all(map(declared, MODULES)) and DECLARED.keys() == MODULES.keys()
    for meaning in ("RUN ", "CONFIG ", "--json ", "exit code  0 all is well, 1 ", "130 interrupted"):
        assert said.count(f"\n{meaning}") == 1 or meaning in said.splitlines()[-1]


@pytest.mark.parametrize("end", [KeyboardInterrupt, Terminated])
def test_a_signal_whose_exception_python_drops_comes_again(bench, end):
    class Gone:
        def __del__(self):
            raise end

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    assert bench("list", "losses")[0] == 0
    with pytest.raises(end):
        Gone()
        time.sleep(60)
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("name", MODULES)
def test_every_example_is_taken(name):
    for example in declared(name).examples:
        assert parse_words(shlex.split(example)).do is declared(name).do


def test_a_path_after_an_equals_sign_may_lie_in_the_home_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    given = parse_words(["predict", "~/model", "new.txt", "--out=~/labelled.txt"])
    assert (given.run, given.out) == ("/home/me/model", "/home/me/labelled.txt")
    assert parse_words(["plot", "a", "--out=~nosuchuser/a.svg"]).out == "~nosuchuser/a.svg"


@pytest.mark.parametrize("name", MODULES)
def test_the_help_of_a_verb_is_the_first_sentence_of_its_function(bench, name):
    code, said = bench(name, "--help")
    about = declared(name).about
    assert code == 0 and about[0].isupper() and about.endswith(".") and about in " ".join(said.split())
    assert name in GROUPS[JOBS] or f"  python -m bench {declared(name).examples[-1]}\n" in said


def test_a_verb_imports_no_other():
    """What makes, draws and judges runs is not imported to list what there is."""
    code = (
        "import sys; from structbench.bench.verbs import command_line; command_line.parse_words(['list']);"
        "print(*(name for name in sys.modules if name.startswith('structbench.bench.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    verbs = {name.rpartition(".")[2] for name in done.stdout.split() if ".verbs." in name}
    assert verbs == {"command_line", "listing", "saying", "verb"}
    rooms = {name.split(".")[2] for name in done.stdout.split()}
    assert not rooms & {"checks", "estimators", "measure", "papers", "report", "sharing", "tracking", "workflow"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("runn", "unknown verb 'runn': did you mean 'run'? `python -m bench --help` lists all"),
        ("Claims", "unknown verb 'Claims': did you mean 'claims'? `python -m bench --help` lists all"),
        ("zzz x", "unknown verb 'zzz': `python -m bench --help` lists all"),
        ("show x --jsn", "unknown argument '--jsn': did you mean '--json'? see `python -m bench show --help`"),
        ("show x y", "unknown argument 'y': see `python -m bench show --help`"),
        ("show", "the following arguments are required: RUN; see `python -m bench show --help`"),
        (
            "list --structure Chain",
            "unknown structure 'Chain': did you mean 'chain'? there are ",
        ),
        ("list figures --structure chain", "--structure is for algorithms: leave out 'figures'"),
    ],
)
def test_a_mistake_with_a_verb_is_one_line(bench, words, sentence):
    code, said = bench(*words.split())
    assert code == 2 and said.startswith(f"error: {sentence}") and said.count("\n") == 1


def test_tables_are_json_for_those_who_want_it(bench):
    run = [*RUN, "--data", "svmlight:train.svm", "--algorithm", "lbfgs", "--passes", "2", "--out", "one"]
    assert bench(*run)[0] == 0
    found = {}
    for words in (
        "show one", "list", "list algorithms --structure joint", "data list", "data show mnist svmlight",
        "compare one one",
    ):  # fmt: skip
        code, said = bench(*words.split(), "--json")
        assert code == 0 and said.count("\n") == 1, said
        found[words] = json.loads(said, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    shown = found["show one"]
    assert shown["summary"]["status"] == "passes" and shown["spec"]["algorithm"] == "lbfgs"
    assert len(shown["curve"]["passes"]) > 1 and shown["command"].startswith("python -m bench run ")
    assert found["list"]["algorithms"]["sgd"]["losses"][0] == "log" and "chain" in found["list"]["structures"]
    assert "sgd" in found["list"]["losses"]["softmax-margin"]["algorithms"]
    assert found["list"]["datasets"] == found["data list"]
    assert [*found["list algorithms --structure joint"]["algorithms"]] == [
        "dagger", "early-update", "laso", "max-violation",
    ]  # fmt: skip
    mnist = {"train": 59000, "test": 10000, "tune": False, "hidden": 1}
    assert found["data show mnist svmlight"]["mnist"]["options"] == mnist
    assert found["compare one one"]["equal"]


def test_a_path_is_one_document_if_asked_for(bench):
    words = "path --data svmlight:train.svm --loss log --first 4 --ratio 0.5 --C 1 --passes 30 --json"
    code, said = bench(*words.split())
    outcome = last_line(said)
    assert code == 0 and [stage["C"] for stage in outcome["stages"]] == [4, 2, 1] and outcome["C"] == 1


@pytest.mark.parametrize(
    "words",
    ["list", "data list", "data show mnist", "data show svmlight", "--help", "run --help", "figures --help"],
)
def test_the_other_verbs_answer(bench, words):
    code, said = bench(*words.split())
    assert code == 0 and "Traceback" not in said and len(said.splitlines()) > 3


@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        ("show none", "there is no run 'none'"),
        ("data fetch", "name a data set"),
        ("data show none", "unknown data set 'none'"),
        ("figures --config none.yaml", "cannot read the config none.yaml"),
        (f"claims none --config {ROOT}/config/tiny.yaml", "unknown paper 'none'"),
        (f"measure none --config {ROOT}/config/measure.yaml", "unknown part 'none'"),
    ],
)
def test_mistakes_with_the_other_verbs(bench, words, said_of_it):
    code, said = bench(*words.split())
    assert code == 2 and said_of_it in said and "Traceback" not in said


def test_damaged_stores_are_made_again(checkout):
    """A truncated problem and damaged kernels, each as a killed machine may leave them."""
    (checkout.folder / "train.svm").write_text(SVM)
    words = [*RUN, "--data", "svmlight:train.svm", "--algorithm", "lbfgs", "--passes", "3", "--again"]
    right = last_line(checkout.bench(*words)[1])["primal"]
    problem = next(checkout.folder.glob("results/problems/svmlight*/"))
    (problem / "train.y.npy").write_bytes((problem / "train.y.npy").read_bytes()[:90])
    code, said = checkout.bench(*words)
    assert code == 0 and last_line(said)["primal"] == right
    kernels = checkout.folder.with_name("kernels")
    shutil.copytree(os.environ["STRUCTBENCH_KERNELS"], kernels, copy_function=os.link)
    checkout.env["STRUCTBENCH_KERNELS"] = str(kernels)
    names = (f"{module}.*.{kind}" for kind in ("nbi", "nbc") for module in ("history", "lbfgs", "objective"))
    damaged = [file for name in names for file in sorted(kernels.rglob(name))]
    for k, file in enumerate(damaged):
        content = file.read_bytes()
        file.unlink()  # this link to it: the other tests' kernels stay as they are
        file.write_bytes([b"", b"garbage", content[:50]][k % 3])
    code, said = checkout.bench(*words)
    assert len(damaged) >= 6 and code == 0 and last_line(said)["primal"] == right
