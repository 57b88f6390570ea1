"""Exponentiated gradient on the dual, online and batch, for any loss (eg2008, Figures 1 to 3).

Every example keeps s_i, one number a part, for its dual distribution u_i = p(s_i). A visit to example i moves s_i
along the gradient in the exponent (eg2008, section 4),

    s_i <- (1 - eta tau) s_i + eta (lambda e_i + w(u) . f(x_i, .) / C),

and updates w(u) = sum_i f(x_i, y_i) - E_{u_i} f(x_i, .). tau and lambda are the loss's (see ``losses.family``).
The paper has the log loss and the hinge. Memory: two numbers a part.

Batch mode with the hinge is the algorithm of eg2004, Figure 2. Its C' is 1 / C, and its eta is C times ours.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from structbench.algorithms.exponentiated_gradient import dual_variables as dv
from structbench.algorithms.exponentiated_gradient.step_size import StepSize
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.gold_outputs import subtract_from_gold
from structbench.algorithms.learning.loss_factors import apply_factors
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.penalties import soft
from structbench.algorithms.learning.precision import Precision, any_precision
from structbench.algorithms.learning.sampling import TICKS, ticks
from structbench.algorithms.learning.start import attaining_scores
from structbench.algorithms.losses.terms import augment
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.long_vectors import clear, inner
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts

CALIBRATION_SHARE = 0.1  # of the examples, and the share of them that must improve (eg2008, section 7)
CALIBRATION_IMPROVED = 0.95


@algorithm(
    label="EG",
    penalties=("l2", "elastic-A"),
    needs=any_precision("parts", "argmax", "marginals"),
    random={"mode": ("online",), "order": ("random", "permuted", "gap")},
    loss_factors=True,
    warm_start=True,
    promises=Promises(monotone={"calibrate": (False,), "anneal": (0.0,)}),
    settings=Settings(
        figures={"log": ({}, {"order": "gap"}, {"start": 0.0}), "hinge": ({}, {"order": "gap"})},
        contests=({}, {"order": "permuted"}, {"order": "gap"}),  # as in eg2008, and improved: other orders
        tests=({"calibrate": True}, {"anneal": 20.0, "hold": 2.0}, {"divergence": True}),
    ),
    references=("eg2008", "eg2004"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    mode: Literal["online", "batch"] = "online",
    order: Literal["random", "permuted", "cyclic", "gap"] = "random",
    start: Annotated[float, ">= 0"] = 10.0,
    eta: Annotated[float, ">= 0"] = 0.5,
    calibrate: bool = False,
    adaptive: bool = True,
    grow: Annotated[float, ">= 1"] = 1.05,
    anneal: Annotated[float, ">= 0"] = 0.0,
    hold: Annotated[float, ">= 0"] = 5.0,
    rate: Annotated[float, "> 0"] = 0.7,
    divergence: bool = False,
    precision: Precision = "float64",
) -> Iterator[Iterate]:
    """Run exponentiated gradient. Yields w = 0, as all algorithms, then w(u) / C of the first u, after n visits.

    After an earlier fit the first u is the one that it stored, or else attains a smooth loss at its weights.

    Args:
        mode: one example an update, or all of them.
        order: online: examples with replacement, a new permutation each pass, or file order. With ``gap``, not in
            the paper, in proportion to their gaps after a first pass (``sampling.by_weight``).
        start: the first u_i(y) is proportional to exp(-start e_i(y)): 0 is uniform, more is nearer to y_i.
        eta: the initial step size; 0 is the largest fixed one of eg2008, Theorems 1 and 2 (``proven``).
        calibrate: choose the initial step size on a random tenth of the examples. It is the first of 1, 1/2, 1/4,
            ... at which 95% of the visits of one pass improve the dual.
        adaptive, grow: halve an example's step size until the dual does not fall, then multiply it by ``grow``. If
            not, the step size is fixed. If an example's visits no longer raise the dual, its step size does not
            grow above ``eta``: it would grow beyond all bounds.
        anneal, hold, rate: the strength of the penalty stays at ``anneal`` for ``hold`` passes. Then its
            distance from C falls by ``rate`` a pass (see ``Annealing``). anneal = 0 is C from the start.
        precision: of the features and weights that visits read, and of a smooth loss's dual variables.
            ``float32`` halves their memory. It is for classes and chains, online. On chains the gap of a
            checkpoint then stays above some 1e-6, as w is a sum of float32; the last one is computed in double.
        divergence: let the notes hold D[u || u^1], after each pass, by no visits, on the algorithm's time.

    Online, the notes hold the updates made, and how many of them tried more than one step size.

    Raises:
        UserError: the annealing does not reach C, or see ``proven``.
    """
    annealing = Annealing.of(objective.C, anneal, hold, rate)
    if mode == "batch" and precision != "float64":
        raise UserError(f"precision={precision} is for mode=online: give precision=float64")
    notes: dict[str, float | str] = {}
    if calibrate:
        if eta == 0:
            raise UserError("eta=0 and calibrate=true both choose the step size: give one of them")
        eta, visits = _calibrated(objective, rng, start)
        notes["calibration_visits"] = visits
    elif eta == 0:
        eta, notes["A"] = proven(objective, 1 if mode == "online" else parts.num_examples(objective.split))
    notes["eta"] = eta
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0, notes=notes)
    short = precision == "float32" and objective.smooth  # else s_i grows, and would lose what small steps add
    scores = earlier_scores(objective)
    state = dv.State(objective, start if scores is None else 0.0, eta, scores, precision, short)
    if mode == "online":
        yield from _online(state, objective, rng, order, adaptive, grow, annealing, divergence, notes)
    else:
        yield from _batch(state, objective, adaptive, grow, annealing, divergence, notes)


def earlier_scores(objective: Objective) -> np.ndarray | None:
    """The s_i of all examples, one after another, that an earlier fit gives; None if it gives none."""
    begun = objective.start_from
    if begun is not None and begun.stored is not None:
        offsets = parts.offsets(objective.split)
        before = np.repeat(offsets[:-1], np.diff(offsets))  # numbers of mu
        return begun.stored[np.arange(offsets[-1]) + before].astype(np.float64)
    if begun is not None and objective.smooth:
        return attaining_scores(objective.split, objective.loss_terms, begun.weights)
    return None


def continued(
    objective: Objective,
    rng: np.random.Generator,
    scores: np.ndarray,
    order: str,
    eta: float,
    adaptive: bool,
    grow: float,
) -> Iterator[Iterate]:
    """Run online EG from u_i = p(s_i). ``scores`` are the s_i of all examples, one after another.

    Yields first w(u) / C of that u, after n visits. The rest is as in ``solve``.
    """
    state = dv.State(objective, 0.0, eta, scores)
    annealing = Annealing.of(objective.C)
    yield from _online(state, objective, rng, order, adaptive, grow, annealing, False, {"eta": eta})


class Annealing(NamedTuple):
    """C_t = C + (first - C) rate^(t - hold) after t > hold passes, and ``first`` before (7.1.1)."""

    C: float
    first: float
    hold: float
    rate: float

    @classmethod
    def of(cls, C: float, anneal: float = 0.0, hold: float = 0.0, rate: float = 0.5) -> "Annealing":
        """The schedule from the strength ``anneal``; if that is 0, a schedule that stays at C.

        Raises:
            UserError: it does not fall to C.
        """
        if anneal and not anneal >= C:
            raise UserError(
                f"anneal={anneal:g} is below C={C:g}: annealing goes down, from a strength of C or more"
            )
        if anneal and not rate < 1:
            raise UserError(f"rate={rate:g} never brings the annealed strength to C={C:g}: it must be below 1")
        return cls(C, anneal or C, hold, rate)

    def at(self, passes: float) -> float:
        """C_t; all visits of a piece of a pass have the C_t of its beginning."""
        return self.C + (self.first - self.C) * self.rate ** max(0.0, passes - self.hold)


def proven(objective: Objective, together: int) -> tuple[float, float]:
    """The largest step size of eg2008, Theorems 1 and 2: 1 / (tau + m |A|), for the log loss tau = 1.

    Args:
        together: m, the examples updated together: 1 online, n in a batch.

    Returns:
        The step size, and |A| = max_{i,y} ||f(x_i, y_i) - f(x_i, y)||^2 / C (section 5.1).

    Raises:
        UserError: the examples are not classes; only for classes is that maximum known without a search.
    """
    split = objective.split
    if not parts.has(split, parts.decisions):
        raise UserError(
            "eta=0 stands for the step size of eg2008's theorems, which is known for multiclass data only: "
            "give eta a value"
        )
    examples = parts.classes(split)
    x = features.as_matrix(examples.x)
    lengths = np.where(examples.y >= 0, 2.0, 1.0) * (x * x).sum(axis=1)
    largest = float((objective.loss_factors * lengths).max()) / objective.C
    inverse = together * largest + objective.loss_terms.temperature
    return 1 / inverse if inverse else 1.0, largest


def _online(state, objective, rng, order, adaptive, grow, annealing, divergence, notes) -> Iterator[Iterate]:
    n = len(state.eta)
    visits, updates, retried = n, 0, 0
    yield state.iterate(objective, visits, notes | {"updates": 0})
    for k, examples in enumerate(ticks(rng, n, order, state.gaps), 1):
        C = annealing.at(visits / n)
        made, _, again = dv.sweep(objective, C, state, examples, adaptive, grow, measure=order == "gap")
        visits, updates, retried = visits + made, updates + len(examples), retried + again
        notes = notes | {"updates": updates, "retried": retried}
        if divergence and k % min(TICKS, n) == 0:
            notes = notes | {"divergence": state.divergence()}
        yield state.iterate(objective, visits, notes)


def _calibrated(objective: Objective, rng: np.random.Generator, start: float) -> tuple[float, int]:
    n = parts.num_examples(objective.split)
    chosen = rng.choice(n, size=max(1, round(CALIBRATION_SHARE * n)), replace=False)
    sample = objective.of_examples(np.sort(chosen))
    eta, visits = 1.0, 0
    while True:
        examples = rng.permutation(len(chosen))
        state = dv.State(sample, start, eta)
        made, improved, _ = dv.sweep(sample, sample.C, state, examples, adaptive=False, grow=1.0)
        visits += made
        if improved >= CALIBRATION_IMPROVED * len(chosen) or eta < 1e-9:
            return eta, visits
        eta /= 2


def _batch(state, objective, adaptive, grow, annealing, divergence, notes) -> Iterator[Iterate]:
    n, split, size = len(state.eta), objective.split, StepSize(state.first_eta, adaptive, grow)
    new, difference = dv.State(objective, state.start, size.eta), np.empty(state.offsets[-1])

    def move(eta: float) -> tuple[float, dv.State]:
        parallel.for_each(
            _step_all, n, split, objective.loss_terms, C, eta, state.offsets, w, state.u, new.u,
            new.conjugates, difference,
        )  # fmt: skip
        apply_factors(objective.loss_factors, 0, state.offsets, difference)
        clear(new.w)
        parts.add_expected_features(split, 0, state.offsets, difference, new.w)
        moved = soft(new.w, new.threshold)
        return new.conjugate(objective) - inner(moved, moved) / (2 * C) - (conjugate - penalty), new

    visits = n
    while True:
        told = {"divergence": state.divergence()} if divergence else {}
        yield state.iterate(objective, visits, notes | told | {"last_eta": size.eta})
        C, w = annealing.at(visits / n), soft(state.w, state.threshold)
        conjugate, penalty = state.conjugate(objective), inner(w, w) / (2 * C)
        _, tried = size.search(move, dv.SLACK * (1 + abs(conjugate) + penalty))
        visits += n * tried
        state, new = new, state


@kernel
def _step_all(first, last, split, loss, C, eta, offsets, w, u, u_new, conjugates, difference):
    for i in range(first, last):
        s, _ = dv.scores_and_marginals(u, offsets, i)
        s_new, mu_new = dv.scores_and_marginals(u_new, offsets, i)
        g = difference[offsets[i] : offsets[i + 1]]
        parts.scores(split, i, w, g)
        for r in range(s.shape[0]):
            g[r] /= C
        augment(loss, split, i, g)
        conjugates[0, i], conjugates[1, i] = dv.step(split, loss, i, eta, s, g, s_new, mu_new)
        subtract_from_gold(split, i, mu_new, g)
