"""LaSO against laso2005's Figure 2 and Eq. (2) and (3) written plainly, and against a theorem."""

import numpy as np
import pytest

from structbench.algorithms.mistake_driven import laso as module
from structbench.algorithms.structures import interface as parts
from tests.algorithms import learners, oracle
from tests.algorithms.learners import Weights, alma, learned, passes, solver
from tests.algorithms.searching import EXACT, LEARNABLE, PROBLEMS, Searcher, best, joint_case, learnable
from tests.algorithms.searching import weights as drawn
from tests.narrowing import number

PASSES = 3
RULES = {"perceptron": {}, "alma": {"alpha": 0.9}, "alma-wide": {"alpha": 0.5, "B": 1.5, "C": 0.7}}


def given(rule: str) -> tuple[dict, learners.Alma | None]:
    """Parameters of the algorithm, and the same of the plain one."""
    update, values = rule.split("-")[0], RULES[rule]
    return {"update": update} | values, alma(**values) if update == "alma" else None


@pytest.mark.parametrize("name", LEARNABLE)
@pytest.mark.parametrize(
    ("beam", "rows", "average"),
    [(1, "decisions", "none"), (2, "decisions", "growing"), (2, "steps", "none"), (5, "steps", "uniform")],
)
@pytest.mark.parametrize("rule", RULES)
def test_it_is_the_papers_algorithm(name, beam, rule, rows, average):
    """Averages are means over the examples."""
    problem, (params, plain) = learnable(name), given(rule)
    run = learned("laso", problem, PASSES, beam=beam, average=average, compare_at=rows, **params)
    expected = passes(problem, lambda i, w: learners.laso(problem, i, beam, w, rows), plain, 0)
    met = 0
    for (w, updates), weights in zip(run, expected, strict=False):
        assert updates == len(weights.differences)
        np.testing.assert_allclose(w, weights.average(average), atol=1e-9 * max(1.0, np.abs(w).max()))
        met += 1
    assert met == PASSES or updates == len(weights.differences) > 0


@pytest.mark.parametrize("name", [name for name in EXACT if name in LEARNABLE])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("average", ["none", "growing", "uniform"])
def test_without_a_beam_updates_are_differences_to_expectations_and_follow_mistakes_only(name, rule, average):
    case, (params, plain), closest = oracle.case(name, 2, density=1.0), given(rule), []

    def visit(i: int, weights: Weights) -> None:
        e, margin = case.examples[i], weights.margin
        s = e.features @ weights.w - margin / max(e.gold.sum(), 1) * e.gold
        scores = e.outputs @ s
        right = int(np.flatnonzero((e.outputs == e.gold).all(axis=1))[0])
        if weights.w.any():
            closest.append(abs(np.delete(scores, right).max() - scores[right]))
        if e.best(s) != right:
            expected = e.distribution(s / margin if margin else s) @ e.outputs
            weights.update((e.gold - expected) @ e.features)
        weights.visited()

    run = learned("laso", case.split, 4, beam="inf", average=average, **params)
    quiet = 0
    for (w, updates), weights in zip(run, passes(case.split, visit, plain, 0), strict=False):
        assert updates == len(weights.differences) > 0
        quiet += len(weights.after_examples) - updates
        expected = weights.average(average)
        np.testing.assert_allclose(w, expected, atol=1e-8 * max(1.0, np.abs(expected).max()))
    assert quiet > 0, "examples without an update"
    assert min(closest) > 1e-9, "no tie decides"


# ---- separable problems ----------------------------------------------------------------------------

SEPARABLE = {  # as many features as tokens: a token's own weights can decide everything
    name: (lambda name=name: PROBLEMS[name](columns=20, density=1.0)) for name in ("chain-dense", "segments-dense")
} | {"joint": lambda: joint_case(columns=20)}


def reference(problem, beam, rule, limit=400) -> Weights:
    """The plain learner's weights when a pass changed nothing."""
    before = -1
    for count, weights in enumerate(passes(problem, lambda i, w: learners.laso(problem, i, beam, w), rule, 0)):
        if len(weights.differences) == before:
            return weights
        before = len(weights.differences)
        assert count < limit, "not separable"
    raise AssertionError("no passes")


def leads(problem, beam: int, w: np.ndarray) -> list[float]:
    """Of the best y-good path over each that is not, in all rows of all searches.

    At a beam of 1 only y-good paths go on.
    """
    found = []
    for i in range(parts.num_examples(problem)):
        searcher = Searcher(problem, i)
        queues, r = {0: [searcher.start()]}, 0
        while not searcher.all_finished(queues.get(r, [])):
            searcher.expand(queues, r, "decisions")
            r += 1
            good = best([path for path in queues.get(r, []) if path.good], w, beam + 1)
            queues[r] = best(queues.get(r, []), w, beam + 1)
            if good:
                found += [(good[0].features - path.features) @ w for path in queues[r] if not path.good]
                queues[r] = good if beam == 1 else queues[r]
    return found


@pytest.mark.parametrize("name", ["chain-dense", "segments-dense", "joint"])
@pytest.mark.parametrize("beam", [1, 2, 5])
def test_the_margin_is_the_least_lead_of_a_right_path(name, beam):
    problem = learnable(name)
    w = drawn(problem, 0)
    found = module._least_lead(parts.compiled(problem), w, beam, True)
    assert found == pytest.approx(min(leads(problem, beam, w)))


@pytest.mark.parametrize("name", SEPARABLE)
def test_the_margin_at_which_alma_settles_gives_a_bound_too(name):
    problem = SEPARABLE[name]()
    weights = reference(problem, 1, alma(0.9))
    unit = weights.w / np.sqrt(weights.w @ weights.w)
    largest = max(1.0, *(float(np.sqrt(each @ each)) for each in weights.differences))
    notes = list(solver("laso", problem, beam=1, update="alma"))[-1].notes
    margin, updates = number(notes, "margin"), number(notes, "updates")
    assert margin == pytest.approx(min(leads(problem, 1, unit)) / largest)
    assert 3 < updates <= 2 / margin**2 * (2 / 0.9 - 1) ** 2 + 8 / 0.9 - 4


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("beam", [1, 2])
def test_learning_ends_by_itself_after_a_pass_without_updates(name, beam):
    problem = SEPARABLE[name]()
    found = list(solver("laso", problem, beam=beam, average="none"))
    ends = [int(each.notes["updates"]) for each in found if each.hints.evaluate_now]
    assert ends[-1] == ends[-2] > 0
    assert (np.diff([0, *ends[:-1]]) > 0).all()  # a pass without an update ends it
    assert found[-1].visits == len(ends) * parts.num_examples(problem)
    out, right, _ = module.solve.declaration.predict(
        problem, found[-1].vector * found[-1].scale, beam=beam, decode="same", compare_at="decisions"
    )
    np.testing.assert_array_equal(out, right)
