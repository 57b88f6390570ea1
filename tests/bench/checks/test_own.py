"""``bench new`` writes what works, and ``bench check`` says what is wrong with what does not."""

import argparse
import itertools
import json
import re
from pathlib import Path

import pytest

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.checks import algorithms, own, structures, visits
from structbench.bench.runs import algorithm_module, catalogue
from structbench.bench.verbs import making
from tests.algorithms.oracle import COVERING, case
from tests.bench.test_newcomers import changed, in_readme
from tests.bench.test_own_folder import commands, written

KINDS = {
    "algorithm": "my-steps",
    "data": "my-points",
    "structure": "my-levels",
    "loss": "my-loss",
    "paper": "mine",
}
SHARED, COSTS = "num_parts", "    for k in range(m.num_labels):\n        out[k] += c * ("
MORE = "\n\n@implements(WrongLevels)\ndef "
NORM, GRAM = "squared_norm(m, i, mu):\n    return 1.0\n", "add_gram(m, i, c, mu, out):\n    out[0] += c\n"
SCORES, SUMS = (
    "scores(m, i, w, out):\n    out[:] = 1.0\n",
    "marginals(m, i, s, mu):\n    mu[:] = 0.25\n    return 9.0\n",
)
BEST = "argmax(m, i, s, y):\n    y[:] = 0.0\n    return s[0]\n"
STRUCTURES = {  # what is changed in the skeleton, and what is said then
    "classes_left": (
        SHARED,
        f"decisions {SHARED}",
        "it implements decisions, but the output [",
        ": solvers that ask for",
    ),
    "costly_gold": (
        "abs(k - m.y[i])",
        "abs(k - m.y[i]) + 1",
        "the gold output has the cost 1: add_costs must add 0",
    ),
    "wrong_norm": (" squared_norm", MORE + NORM, "squared_norm is 1, and the features that add_features adds"),
    "wrong_gram": (" add_gram", MORE + GRAM, "add_gram does not add the scores of the features"),
    "affine": (" scores", MORE + SCORES, "scores of twice the weights are not twice the scores"),
    "wrong_sums": ("", MORE + SUMS, "marginals are not the slopes of log Z"),
    "wrong_best": ("", MORE + BEST, "argmax returns "),
    "wrong_take": ("m.x, examples)", "m.x, examples[::-1])", "take changes what operations say of it"),
    "raises": ("abs(k - m.y[i])", "[][k]", "it failed with IndexError", "structures/raises.py:"),
    "other_id": ('"other-id"', '"multiclass"', "WrongLevels must have the id of its file, 'other-id'"),
}
YIELDED, STEP = "Iterate(w, visits, notes", "step = moved @ moved /"
ALGORITHMS = {
    "wrong_dual": (YIELDED, "Iterate(w, visits, Dual(1e6), notes", "its dual point is wrong"),
    "slow": (STEP, "step = 1e-9 * moved @ moved /", "above it: it does not converge, or slowly"),
    "hidden_draws": (STEP, "step = rng.random() * moved @ moved /", "though it declares random=False"),
    "no_draws": ("    random=False,  # whether it draws at random\n", "", "another seed gives the same weights"),
    "fails": (
        STEP,
        "step = [][0]\n            step = moved @ moved /",
        "it failed with IndexError: list index out",
    ),
    "leaves": (STEP, "__import__('os')._exit(0) or moved @ moved /", "it called os._exit(0), which ends"),
    "gives_up": (
        STEP,
        "(_ for _ in ()).throw(GeneratorExit) or moved @ moved /",
        "it failed with GeneratorExit at",
    ),
    "nan": (YIELDED, "Iterate(w + np.nan, visits, notes", "its value is not a number after"),
    "reads_test": (STEP, "step = problem.test is not None and moved @ moved /", "it reads problem.test: nothing"),
    "same_label": ('label="same-label"', 'label="SGD"', "its label 'SGD' is that of sgd, too: choose another"),
    "few_visits": ("new), visits + n", "new), visits + 1", "visits, and has called inference for"),
    "undeclared": ("@algorithm(", "_ = algorithm(", "it has a function solve, but no line @algorithm(...) above"),
    "unread": ("\n@algorithm(", "\nsteps = (\n@algorithm(", "unread.py:"),
    "misspelt_need": ('"marginals"', '"marginal"', "needs has 'marginal': did you mean 'marginals'?"),
}


def skeleton(kind: str, module: str) -> str:
    words = {"MODULE": module, "ID": module.replace("_", "-"), "CLASS": "WrongLevels"}
    text = (making.SKELETONS / f"{kind}.txt").read_text()
    return making.filled(text, words)


def wrong_structure(module: str) -> str:
    old, new, *_ = STRUCTURES[module]
    text = skeleton("structure", module)
    if new.startswith(MORE):
        name = new.removeprefix(MORE).partition("(")[0]
        return changed(text, old, old.replace(f" {name}", "")) + new
    return changed(text, old, new)


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, tuple[int, str]]:
    place = tmp_path_factory.mktemp("checks")
    files = {}
    for module in STRUCTURES:
        files[f"structures/{module}.py"] = wrong_structure(module)
        files[f"datasets/{module}_points.py"] = skeleton("structure_data", module)
    for module, (old, new, _) in ALGORITHMS.items():
        text = changed(skeleton("algorithm", module), old, new)
        files[f"algorithms/{module}.py"] = text.replace("import Iterate", "import Dual, Iterate")
    bad = [
        written(
            place / name, {file: text for file, text in files.items() if file.startswith("algo") == (name == "a")}
        )
        for name in ("a", "b")
    ]
    written(place / "good", {"algorithms/barzilai_borwein.py": in_readme()})
    new = [f"new {kind} {name} --in {place / 'good'}" for kind, name in KINDS.items()]
    names = ("new algorithm sgd --in x", "new algorithm gradient --in x", "new algorithm My --in x")
    first = dict(zip((*new, *names), commands(*new, *names), strict=True))
    run = f"run --with {place / 'good'} --data my-levels-points --loss log --C 1 --algorithm my-steps --passes 300"
    env = {"STRUCTBENCH_RESULTS": str(place)}
    (place / "paper.yaml").write_text(f"with: {place / 'good'}\nscale: tiny\nfigures: [mine]\n")
    points = "run --data toy-points:kind=overlapping --loss log --C 1 --passes 10 --algorithm"
    judged = [f"{points} lbfgs", f"{points} conjugate-gradient", f"claims mine --config {place / 'paper.yaml'}"]
    good = commands(f"check {place / 'good'}", run, *judged, **env)
    both = zip(("good", "run", "", "", "claims"), good, strict=True)
    found = {"algorithm": commands(f"check {bad[0]}", **env)[0]}
    found["structure"] = commands(f"check {bad[1]}", **env, NUMBA_DISABLE_JIT="1")[0]
    return first | dict(both) | found


def test_the_example_of_the_page_works(tmp_path):
    """Its commands are run with another folder; its config names the algorithm and the data that they made."""
    text = (making.SKELETONS.parents[2] / "docs" / "how-to" / "own-folder.md").read_text()
    lines = re.findall(r"```sh\n(.*?)```", text, re.S)[0].splitlines()
    (config,) = re.findall(r"```yaml\n(.*?)```", text, re.S)
    assert [line.split()[3] for line in lines] == ["new", "new", "run", "check"]
    written(tmp_path, {"mine.yaml": config.replace("[mine]", f"[{tmp_path / 'mine'}]")})
    words = [line.removeprefix("python -m bench ").replace(" mine", f" {tmp_path / 'mine'}") for line in lines]
    every = (*words, f"status {tmp_path / 'mine.yaml'}")  # each in a process of its own, as users have them
    found = [commands(each, STRUCTBENCH_RESULTS=str(tmp_path))[0] for each in every]
    assert [code for code, _ in found] == [0, 0, 0, 0, 1], "the runs of the config are missing"
    assert "converged" in found[2][1] and "makes the 6 that are not finished" in found[4][1]


def test_skeletons_are_short_work_and_pass_their_checks(said):
    assert all(len(file.read_text().splitlines()) <= 40 for file in making.SKELETONS.glob("*.txt"))
    assert [code for words, (code, _) in said.items() if words.startswith("new") and " x" not in words] == [0] * 5
    code, text = said["good"]
    lines = [line for line in text.splitlines() if "no news for" not in line]  # on a busy machine
    assert code == 0 and text.count("all is well") == len(lines) == 7, text
    code, text = said["run"]
    made = json.loads(text.splitlines()[0])
    assert code == 0 and made["status"] == "converged" and 0 <= made["relative_gap"] <= 1e-6


def test_the_skeleton_of_a_paper_is_judged(said):
    code, text = said["claims"]
    assert code == 0 and "Yes: the second method needs" in text and "mine: 1 reproduced" in text, text


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("new algorithm sgd --in x", "algorithms/gradient/sgd.py is there already: choose another name"),
        ("new algorithm gradient --in x", "algorithms/gradient is there already: choose another name"),
        ("new algorithm My --in x", "must be small letters, digits and hyphens, such as my-steps, not 'My'"),
    ],
)
def test_a_name_that_is_taken_or_odd_is_refused(said, words, wrong):
    assert said[words][0] == 2 and wrong in said[words][1] and not Path("x").exists()


@pytest.mark.parametrize("module", [*STRUCTURES, *ALGORITHMS])
def test_what_is_wrong_is_said(said, module):
    kind = "structure" if module in STRUCTURES else "algorithm"
    code, text = said[kind]
    assert code == 1 and "Traceback" not in text
    (own,) = (each for each in f"\n{text}".split(f"\n{kind} ") if each.startswith(f"{module.replace('_', '-')}:"))
    assert len(lines := own.splitlines()) == len({*lines}), "each sentence is said once"
    assert module != "nan" or not re.search("optimum|certificate", own)
    for sentence in (STRUCTURES | ALGORITHMS)[module][2:]:
        assert sentence in own, own


def test_a_folder_is_named_in_any_way_and_one_with_nothing_is_refused(tmp_path, monkeypatch):
    (tmp_path / "mine" / "algorithms").mkdir(parents=True)
    (tmp_path / "here" / "algorithms").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv(own_folders.VARIABLE, "")
    seen = []
    monkeypatch.setattr(own, "check_folder", lambda folder: seen.append(folder) or iter(()))
    with pytest.raises(UserError, match=r"nothing was checked: .*mine holds no algorithm or data or"):
        making.do_check(argparse.Namespace(folders=["../mine"]))
    assert seen == [tmp_path / "mine"] == [*own_folders.folders()]
    monkeypatch.setattr(own, "check_folder", lambda folder: seen.append(folder) or iter([own.Checked("", "", [])]))
    assert making.do_check(argparse.Namespace(folders=["../mine", "."])) == 0
    assert seen[1:] == [tmp_path / "mine", tmp_path / "here"], "several are checked"


def test_data_of_which_no_small_problem_can_be_made_are_said(monkeypatch):
    monkeypatch.setattr(own.algorithms, "small", lambda texts: {}[texts[0]])
    assert own._said(Path("x"), own._small, "pebbles", [])[0].startswith("it failed with KeyError: 'pebbles'")


def test_a_structure_without_small_examples_is_not_called_well(monkeypatch):
    monkeypatch.setattr(structures, "MOST_PARTS", 0)
    assert "so nothing was checked" in structures.wrong(case(COVERING[0]).split)[0]


def test_an_algorithm_is_checked_with_losses_and_data_that_it_takes():
    for name in catalogue.algorithms():
        params = algorithm_module.declaration(name).settings.every_test
        assert all(catalogue.minimises(name, loss, params) for loss in algorithms.losses(name)), name
    points = algorithms.small(["toy-points:kind=overlapping,points=12"])
    assert "0 or more" in algorithms.refusal("iterative-scaling", points[0].split)
    assert "was not run: iterative-scaling" in algorithms.wrong("iterative-scaling", points)[0]
    assert "was not run: none has what it needs (label sequences" in algorithms.wrong("crfsuite", points)[0]
    assert not algorithms.refusal("lbfgs", points[0].split)


SVM = """about: linear support vector machines
class: sklearn.svm.LinearSVC
packages: {sklearn: scikit-learn}
minimises: hinge
arguments:
  {C: "{1/C}", multi_class: crammer_singer, fit_intercept: false, tol: "{falling_tolerance}", random_state: 0}
"""


def test_what_is_sound_is_called_well_and_a_broken_score_is_said(tmp_path):
    (score,) = commands(f"new data my-points --in {tmp_path}")
    assert score[0] == 0
    written(tmp_path, {"algorithms/svm.yaml": SVM, "datasets/scores/whole.py": "def (:\n"})
    ((code, said),) = commands(f"check {tmp_path}")
    assert code == 1 and "score whole:\n" in said and "whole.py:1" in said
    assert "algorithm svm: all is well" in said and "data my-points: all is well" in said


def test_our_algorithms_count_their_visits():
    assert visits.undercounted(["eg", "lbfgs", "sdca"]) == dict.fromkeys(("eg", "lbfgs", "sdca"), "")


def test_visits_that_were_not_counted_are_said(monkeypatch):
    (said,) = visits.undercounted(["no-such-steps"]).values()
    assert said.startswith("visits were not counted: ") and "no-such-steps" in said
    monkeypatch.setattr(visits, "SECONDS", 0.01)
    assert "visits were not counted: it takes more than 0.01 s" in visits.undercounted(["eg"])["eg"]


def test_prints_of_a_check_are_said_once(tmp_path, capsys):
    def talkative(name: str) -> list[str]:
        for _ in range(140):
            print("hello")
        return []

    assert own._said(tmp_path, talkative, "mine") == []
    assert capsys.readouterr() == ("", "mine: it prints (140 lines while it was checked, the first: 'hello')\n")


@pytest.mark.parametrize("name", COVERING)
def test_nothing_is_wrong_with_our_structures(name):
    assert structures.wrong(case(name, lengths=(2, 1, 3)).split) == []


def test_an_algorithm_that_takes_too_long_does_not_blame_those_after_it(monkeypatch):
    answers = {"a": "", "hangs": None, "b": "", "crashes": None, "c": "it says 3 visits"}

    def counted(names, texts):
        said = list(itertools.takewhile(lambda name: answers[name] is not None, names))
        return {name: answers[name] for name in said}, "it takes more than 60 s without numba"

    monkeypatch.setattr(visits, "_counted", counted)
    found = visits.undercounted([*answers])
    assert [name for name, why in found.items() if why.startswith(visits.NOT_COUNTED)] == ["hangs", "crashes"]
    assert found["c"] == "it says 3 visits" and found["a"] == found["b"] == ""
