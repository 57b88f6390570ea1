"""What code of the user's must not do ends its run in a sentence; such calls make no run stale."""

import ast
import os
from pathlib import Path

import numpy as np
import pytest

from structbench.algorithms.learning.loss_factors import EQUAL
from structbench.algorithms.learning.objective import Dual, Iterate, Objective
from structbench.algorithms.runtime.errors import Fault
from structbench.bench.runs import anybodys_code, patches, program_text, refusals
from tests.algorithms.oracle import case

FLOATS = "a vector of {} float64, not float64 of shape"


@pytest.fixture
def objective():
    return Objective(case("chain-binary").split, "log", 1.0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda o, w: o.value_and_gradient(w[:2], w), "w must be {} \\(2,\\)"),
        (lambda o, w: o.value_and_gradient(np.append(w, 5.0), w), "w must be {} \\("),
        (lambda o, w: o.loss_and_gradient(w, w[:2].copy()), "gradient must be {} \\(2,\\)"),
        (lambda o, w: o.losses_and_conjugates(w, w[1:].copy()), "gradient must be {} \\("),
        (lambda o, w: o.evaluate(w[1:], None), "w must be {} \\("),
        (lambda o, w: o.evaluate(w, 0.0, w[:1]), "dual_weights must be {} \\(1,\\)"),
        (lambda o, w: o.dual_value(0.0, w[1:]), "dual_weights must be {} \\("),
        (lambda o, w: o.evaluate([*w], None), "w must be a vector of [0-9]+ float64, not list"),
        (lambda o, w: o.evaluate(w.astype("f4"), None), "w must be a vector of [0-9]+ float64, not float32"),
        (lambda o, w: o.evaluate(np.zeros((len(w), 2))[:, 1], None), "w must be a vector in one piece"),
    ],
)
def test_a_vector_that_does_not_fit_is_refused_before_a_kernel_reads_it(call, said, objective):
    w = objective.first_weights()
    with pytest.raises(ValueError, match=said.format(FLOATS.format(len(w)))):
        call(objective, w)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda w: {"dual": (0.0, w)}, "the third field of an Iterate is None or Dual"),
        (
            lambda w: {"dual": Dual(0.0)._replace(conjugate=w)},
            "the conjugate of a Dual must be a number, not ndarray",
        ),
        (lambda w: {"dual": Dual(0.0, w[1:])}, "the weights of a Dual must be " + FLOATS),
        (lambda w: {"hints": None}, r"hints must be Hints\(...\), not NoneType"),
        (lambda w: {"scale": None}, "scale must be a number, not NoneType"),
        (lambda w: {"kept": np.zeros((len(w), 2))[:, 1]}, "weights must be a vector in one piece"),
    ],
)
def test_an_odd_iterate_is_the_algorithms_fault(changed, said, objective, monkeypatch):
    monkeypatch.setattr(refusals, "shown", lambda name: "mine.py")
    w = objective.first_weights()
    right = Iterate(w, 0, Dual(0.0, w))
    refusals.odd_iterate("mine", right, True, (None, objective))
    with pytest.raises(Fault, match=f"mine.py: {said.format(len(w))}"):
        refusals.odd_iterate("mine", right._replace(**changed(w)), True, (None, objective))


def test_the_factor_of_all_losses_is_put_back_and_whose_fault_it_is_said(monkeypatch):
    monkeypatch.setattr(patches, "owner", lambda file: Path("mine"))
    with pytest.raises(Fault, match=r"sgd changes objective\.loss_factors in place"), patches.undone("sgd"):
        EQUAL[:] *= 0.9
    assert [*EQUAL] == [1.0]
    weighed = np.array([0.5, 2.0])
    with pytest.raises(Fault, match="sgd changes"), patches.undone("sgd", weighed):
        weighed[1] = 1.0
    assert [*weighed] == [0.5, 2.0]


def test_a_value_that_is_not_finite_is_no_lie():
    for said, primal in ((np.nan, np.inf), (np.inf, np.nan), (np.nan, np.nan), (1.0, 1.0 + 1e-12)):
        refusals.require_alike("mine", said, primal)
    for said, primal in ((1.0, np.inf), (np.nan, 1.0), (1.0, 1.1)):
        with pytest.raises(Fault, match="mine says that its value is"):
            refusals.require_alike("mine", said, primal)


def test_results_lie_where_they_lay_after_code_that_changes_the_folder(tmp_path):
    before = Path.cwd()
    with anybodys_code.watched(print, None):
        os.chdir(tmp_path)
    assert Path.cwd() == before


PLAIN = """
from structbench.bench.runs import spec

def f(w, o):
    return w
"""


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("refusals.odd(w, o.split, name=o)", False),
        ("refusals.odd(w, g(o))", True),
        ("refusals.odd((w := o))", True),
        ("w = refusals.odd(w)", True),
        ("o.refusals.odd(w)", True),
    ],
)
def test_a_refusal_makes_no_run_stale_unless_it_computes(line, counts):
    def sha256(text: str) -> str:
        return program_text.sha256(ast.parse(text))

    def refusing(of: str) -> str:
        return PLAIN.replace("spec\n", f"spec\nfrom {of} import refusals\n").replace(":\n", f":\n    {line}\n")

    assert (sha256(refusing("structbench.bench.runs")) != sha256(PLAIN)) == counts
    assert sha256(refusing("own.folder")) != sha256(PLAIN)
    together = refusing("structbench.algorithms.learning").replace("import spec", "import refusals, spec")
    assert (sha256(together) != sha256(PLAIN)) == counts
