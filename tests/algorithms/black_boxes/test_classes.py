"""Black boxes that are classes: scikit-learn's real ones, and what is said of one with mistakes."""

import re
import sys
from contextlib import nullcontext

import numpy as np
import pytest

from structbench.algorithms.black_boxes import classes, declared
from structbench.algorithms.black_boxes.box import filled
from structbench.algorithms.learning import refusals
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.runtime.options import typed_options
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.bench.runs import algorithm_module, driver
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case

POINTS = "toy-points:kind=overlapping,points=200,classes=3"
CONSTANT = """
import numpy as np

class Constant:
    def __init__(self, label=0, short=0): self.label, self.short = label, short
    def fit(self, x, y):
        if self.label == "raise": raise RuntimeError("no\\nmore")
        return self
    def predict(self, x): return np.full(x.shape[0] - self.short, self.label)

class Mute:
    def fit(self, x, y): return self

class Tags:
    def fit(self, x, y): self.first = y[0][0]
    def predict(self, x): return [[self.first for token in each] for each in x]
"""


def box(folder, text, module=CONSTANT):
    (folder / "mine.py").write_text(module)
    file = folder / "mine.yaml"
    file.write_text(f"about: mine\n{text}")
    return file


def iterates(file, split, loss="none", most=6, test=None, **params):
    problem = Problem(parts.compiled(split), test and parts.compiled(test), ())
    solver = declared.module(file).solve(
        problem, Objective(problem.train, loss, 0.8), np.random.default_rng(0), **params
    )
    return [each for each, _ in zip(solver, range(most), strict=False)]


@pytest.fixture(scope="module")
def points():
    from structbench import datasets

    return datasets.build(POINTS)


def test_a_class_with_weights_reaches_our_optimum_and_proves_it(points):
    result = driver.run(make(POINTS, "log", 1.0, "sklearn", passes=100), points)
    assert result.summary["status"] == "converged" and result.summary["relative_gap"] < 1e-6
    assert [row["passes"] for row in result.rows][:4] == [0, 1, 2, 3]
    assert result.summary["notes"]["points"].startswith("each point is a run of its own")


@pytest.mark.parametrize("classes", [2, 3])
def test_the_strength_of_the_penalty_is_ours_for_two_classes_and_for_more(classes):
    split = case("multiclass-dense", num_labels=classes).split
    objective = Objective(parts.compiled(split), "log", 0.8)
    file = algorithm_module.modules.ROOT / algorithm_module.file_of("sklearn")
    last = iterates(file, split, "log", most=60)[-1]
    value = objective.evaluate(last.vector, None)
    assert (value.primal - value.dual) / value.primal < 1e-8


def test_sgd_classifier_makes_a_pass_a_point_and_has_errors_alone(points):
    result = driver.run(make(POINTS, None, None, "sgd-classifier", passes=5, seed=3), points)
    assert [row["passes"] for row in result.rows] == [0, 1, 2, 3, 4, 5]
    assert np.isnan([row["primal"] for row in result.rows]).all() and np.isnan(result.rows[-1]["relative_gap"])
    seconds = [row["cpu_seconds"] for row in result.rows]
    assert seconds == sorted(seconds) and seconds[0] == 0, "the seconds of all passes add up"
    from sklearn.linear_model import SGDClassifier

    theirs = SGDClassifier(random_state=int(np.random.default_rng(3).integers(2**31)))
    train, test = parts.classes(points.train), parts.classes(points.test)
    for _ in range(5):
        theirs.partial_fit(train.x.dense, train.y, classes=np.arange(3))
    assert np.isnan(result.rows[0]["test_error"]), "it has labelled nothing yet"
    assert result.rows[-1]["test_error"] == np.mean(theirs.predict(test.x.dense) != test.y)


def test_warm_restarts_go_on_where_the_last_one_ended(tmp_path, points):
    text = "class: sklearn.linear_model.LogisticRegression\nminimises: log\ncurve: restarts\narguments: {{}}\n"
    own = "C: '{1/C_of_difference}', warm_start: true, fit_intercept: false, tol: 1.0e-14, max_iter: '{limit}'"
    file = box(tmp_path, text.replace("{}", own).replace("}}", "}").replace("{{", "{"))
    found = iterates(file, points.train, "log", most=6)
    objective = Objective(parts.compiled(points.train), "log", 0.8)
    values = [objective.evaluate(each.vector, None).primal for each in found]
    assert values == sorted(values, reverse=True) and len(values) > 3
    seconds = [each.hints.seconds[0] for each in found]
    assert seconds == sorted(seconds), "a restart adds its seconds to those before"


def test_a_class_for_sequences_gets_tokens_as_dicts_and_names_of_labels(tmp_path):
    split = case("chain-dense").split
    file = box(tmp_path, "class: mine.py:Tags\nreads: sequences\n")
    last = iterates(file, split, test=split)[-1]
    model = last.hints.model
    predicted, right, starts = model.predictions(parts.compiled(split), last.vector)
    _, gold, begins = predictions(split, np.zeros(parts.num_weights(split)))
    assert {*predicted} == {right[0]} and right.tolist() == gold.tolist() and starts.tolist() == begins.tolist()


@pytest.mark.parametrize(
    ("text", "params", "sentence"),
    [
        ("class: mine.py:Constant\nparameters: {label: raise}\n", {"label": "raise"},
         r"mine: mine.py:Constant.fit failed with "
         r"RuntimeError: no \(at .*mine.py:7\)$"),
        ("class: mine.py:Constant\nparameters: {short: 2}\n", {"short": 2}, r"predict gave \d+ labels, not \d+$"),
        ("class: mine.py:Constant\nparameters: {label: 9}\n", {"label": 9},
         "gave the label 9, which is none of 0, 1, 2"),
        ("class: mine.py:Constant\nminimises: log\narguments: {label: '{C}'}\n", {},
         r"needs a coef_ of shape \(3, "),
    ],
)  # fmt: skip
def test_a_class_that_fails_is_told_in_a_sentence(tmp_path, text, params, sentence):
    split = case("multiclass-dense").split
    with pytest.raises(Fault, match=sentence) as told:
        iterates(box(tmp_path, text), split, "log" if "log" in text else "none", test=split, **params)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("value", ["a/b", "../x", "a__b", "a_", "a,b", ""])
def test_a_text_that_a_name_of_a_run_cannot_hold_is_refused(tmp_path, value):
    solve = declared.module(box(tmp_path, "class: mine.py:Constant\nparameters: {kind: a_b}\n")).solve
    assert typed_options(solve, {"kind": "b.c+d-1_e"}, "mine") == {"kind": "b.c+d-1_e"}
    with pytest.raises(UserError, match="mine: kind must be letters, digits and "):
        typed_options(solve, {"kind": value}, "mine")


SPOILS = """
import numpy as np

class Spoils:
    def __init__(self, steps=1): self.steps = steps
    def fit(self, x, y):
        WHAT
        return self
    def predict(self, x):
        return [[0] * len(each) for each in x] if isinstance(x, list) else np.zeros(x.shape[0], int)
"""


@pytest.mark.parametrize(
    ("what", "spoilt"),
    [("y *= 2", True), ("x /= 10", True), ("x[0][0].clear()", True), ("x, y = 2 * x, y + 0", False)],
)
def test_a_class_of_the_users_that_changes_its_data_is_refused(tmp_path, monkeypatch, what, spoilt):
    reads = "sequences" if "clear" in what else "rows"
    text = f"class: mine.py:Spoils\nreads: {reads}\narguments: {{steps: '{{limit}}'}}\n"
    file = box(tmp_path, text, SPOILS.replace("WHAT", what))
    small = case("chain-binary" if reads == "sequences" else "multiclass-dense")
    monkeypatch.setattr(refusals, "owner", lambda file: tmp_path)
    with pytest.raises(Fault, match="Spoils changes its X or y in place") if spoilt else nullcontext():
        assert iterates(file, small.split, test=small.split)


@pytest.mark.parametrize("text", ["arguments: {tol: 1e-4}", "parameters: {tol: 1.5E4}"])
def test_a_number_that_yaml_reads_as_a_text_is_refused(tmp_path, text):
    with pytest.raises(UserError, match=r"mine.yaml: \w+: YAML reads tol = .* as a text: write a dot and a sign"):
        declared.read_box(box(tmp_path, f"class: mine.py:Constant\n{text}\n"))


def test_a_class_imports_the_files_beside_it(tmp_path):
    for name, value in (("a", 1), ("b", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper.py").write_text(f"VALUE = {value}\n")
        file = box(
            tmp_path / name, "class: mine.py:Constant\n", f"import helper\n{CONSTANT}    value = helper.VALUE\n"
        )
        before = [*sys.path]
        assert classes.class_of(declared.read_box(file)).__module__ == "black_box_mine"
        assert sys.modules["black_box_mine"].Tags.value == value
        assert sys.path == before and "helper" not in sys.modules


TAKERS = """
class Other:
    def __init__(self, solver): print("Other", solver)
    def fit(self, x, y): pass
    def predict(self, x): return [0] * x.shape[0]

class Both(Other):
    def __init__(self, solver, method): print("Both", solver, method)
"""


@pytest.mark.parametrize(("name", "said"), [("Other", "Other b"), ("Both", "Both b b")])
def test_a_parameter_in_braces_is_an_argument_too_if_the_class_takes_it(tmp_path, capsys, name, said):
    text = f"class: mine.py:{name}\nparameters: {{method: [a, b]}}\narguments: {{solver: '{{method}}'}}\n"
    split = case("multiclass-dense").split
    iterates(box(tmp_path, text, TAKERS), split, test=split, method="b")
    assert {*capsys.readouterr().out.splitlines()} == {said}


def test_whole_numbers_in_braces_are_whole():
    assert [str(filled(text, {"n": 3})) for text in ("{n*2}", "{2}", "{n*2.0}")] == ["6", "2", "6.0"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("class: mine.py:Mute\n", "mine.py:Mute has no method predict"),
        ("class: mine.py:Nobody\n", "the class mine.py:Nobody cannot be had: AttributeError"),
        ("class: yours.py:Mute\n", "there is no Python file yours.py beside it"),
        ("class: mine.py:Constant\narguments: {size: 3}\n", "mine.py:Constant cannot be made: .*'size'"),
        ("class: mine.py:Constant\ncurve: partial_fit\n", "has no method partial_fit"),
        ("clas: mine.py:Constant\n", "unknown key 'clas': did you mean 'class'?"),
        ("class: 3\n", "the class 3 cannot be had: ValueError"),
        ("label: x\n", "expected either a class or a command"),
        ("class: a.B\nminimises: square\n", "minimises must be one of log, hinge, any, not 'square'"),
        (
            "class: a.B\nminimises: log\n",
            "it minimises log, but no argument says C: add one such as alpha: '{C/n}'",
        ),
        ("class: a.B\narguments: {x: '{limitt}'}\n", "there is no {limitt}: did you mean 'limit'?"),
        ("class: a.B\nparameters: {Eta: 1}\n", "a parameter is a word of small letters .* not 'Eta'"),
        ("class: a.B\nparameters: {eta: [1, 2]}\n", r"the parameter eta must be .*, not \[1, 2\]"),
        (
            "class: a.B\nparameters: {rng: 1}\n",
            "a parameter cannot be called rng: .* other than problem, objective, rng and",
        ),
        ("class: a.B\nparameters: {lambda: 1}\n", "a parameter cannot be called lambda: .* keywords of Python$"),
        ("class: a.B\nparameters: {a__b: 1}\n", "a parameter cannot be called a__b: choose a name without __"),
        ("class: a.B\nparameters: {kind: [a, b/c]}\n", "a value of kind must be letters, .*, not 'b/c'"),
        ("class: a.B\narguments: {x: [{y: '{C}'}]}\n", "the argument x has braces within a list or a dict"),
        ("class: a.B\ncurve: restarts\narguments: {x: '{limit*2}'}\n", "restarts needs an argument that is"),
        ("class: a.B\nparameters: {m: [x, y]}\nrandom: {m: [z]}\n", "random of m has 'z': there are x, y$"),
        ("class: a.B\nrandom: {m: 3}\n", "random has 'm': there are none"),
        (
            "class: a.B\nparameters: {m: [x, y]}\nrandom: {m: 3}\n",
            "expected such as .*random: .*, not {}, {'m': 3}",
        ),
        (
            "class: a.B\nparameters: {m: [x, y]}\nloss_with: {m: log}\n",
            "expected such as loss_with: .*, not {'m': 'log'}",
        ),
        ("class: a.B\nfigures: [3]\n", r"expected such as .*, not {}, {}, \[3\]$"),
        ("class: a.B\nfigures: {log: [{eta: 1}]}\n", "settings has 'eta': there are none"),
        ("class: a.B\narguments: {x: '{train}'}\n", "there is no {train}: "),
        ("class: [\n", r"cannot be read as YAML \(line 3\)"),
    ],
)
def test_mistakes_of_a_declaration_are_a_sentence(tmp_path, text, sentence):
    file = box(tmp_path, text)
    with pytest.raises(UserError, match=sentence) as told:
        iterates(file, case("multiclass-dense").split)
    assert re.search(r"mine.yaml(:1)?: ", str(told.value)) and "\n" not in str(told.value)
