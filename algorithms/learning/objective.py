"""The regularised loss that all algorithms minimise, its dual, and what an algorithm yields.

P(w) = sum_i loss_i(w) + C ||w||^2 / 2 (eg2008, section 2.1). Its dual is maximised over distributions u_i:
D(u) = conj(u) - ||w(u)||^2 / (2 C) (sections 2.2 and 2.3, negated). There,
conj(u) = sum_i tau H(u_i) + lambda E_{u_i}[e_i] and w(u) = sum_i f(x_i, y_i) - E_{u_i} f(x_i, .).
``losses.family`` explains tau and lambda, ``learning.penalties`` the penalties other than l2.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning import inference, penalties, refusals
from structbench.algorithms.learning.loss_factors import EQUAL, apply_factors
from structbench.algorithms.learning.start import Start
from structbench.algorithms.losses.family import Loss, named_loss
from structbench.algorithms.runtime import long_vectors
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts

MAX_PARTS_IN_MEMORY = 2**18  # numbers of working memory that passes over all examples use


class Value(NamedTuple):
    """Primal and dual value at a point; the dual is NaN without a dual point."""

    primal: float
    dual: float


class Dual(NamedTuple):
    """A dual point: distributions u_i, known by conj(u) and w(u).

    ``weights``: w(u), if the iterate's weights are not soft(w(u), A) / C (``penalties``; A is 0 for l2).
    ``recompute``: computes conj(u) and w(u) from the stored u_i, for who updates both step by step. The driver
    calls it at the last checkpoint. ``stored``: what is kept of u, if the algorithm can go on from it (``Start``).
    """

    conjugate: float
    weights: np.ndarray | None = None
    recompute: Callable[[], tuple[float, np.ndarray]] | None = None
    stored: np.ndarray | None = None


class Hints(NamedTuple):
    """What the driver should know of an iterate that is unusual.

    C: the strength that it was made for, if not the objective's own. ``seconds``: wall and CPU seconds of a
    third-party program's run that ends here; it is started again for each iterate and times itself.
    ``evaluate_now``: evaluate it, however few the visits since the last evaluation. ``model``: what its numbers
    are weights of, if not of features. ``value``: gives the result of ``Objective.evaluate``, if the algorithm
    has passed over all examples at this very point anyway. ``label_one``: labels one sequence, a dict of
    attributes a token, as a program of others does.
    """

    C: float | None = None
    seconds: tuple[float, float] | None = None
    evaluate_now: bool = False
    model: "Model | None" = None
    value: Callable[[], Value] | None = None
    label_one: Callable[[list[dict[str, float]]], list[str]] | None = None


class Iterate(NamedTuple):
    """Where an algorithm stands: its weights, its dual point and its visits so far.

    The weights are ``scale * vector``; ``vector`` may be the algorithm's own working memory. ``kept``: the vector,
    or a function that returns it. ``visits`` counts inference calls on single examples since the start, line
    searches included. ``dual``: None without dual variables. ``notes``: what a reader of the run may want to know,
    such as a step size. Its ``calibration_visits`` counts the visits before the first update.
    """

    kept: np.ndarray | Callable[[], np.ndarray]
    visits: int
    dual: Dual | None = None
    notes: Mapping[str, float | str] = {}
    scale: float = 1.0
    hints: Hints = Hints()

    @property
    def vector(self) -> np.ndarray:
        """The numbers that the iterate keeps, before ``scale``."""
        return self.kept() if callable(self.kept) else self.kept

    @property
    def weights(self) -> np.ndarray:
        """Maybe the algorithm's own memory."""
        vector = self.vector
        own = vector if callable(self.kept) else None
        return vector if self.scale == 1.0 else np.multiply(vector, self.scale, out=own)

    @property
    def dual_point(self) -> tuple[float | None, np.ndarray | None]:
        """conj(u) and, if it is not C times the weights, w(u). None and None without dual variables."""
        return self.dual[:2] if self.dual else (None, None)


class Model:
    """What an algorithm learns: weights of features, or what a subclass puts in their place.

    ``predictions``: from a split and a vector, as ``structures.prediction.predictions``; or None if it predicts
    nothing yet.
    """

    judged_in_training = True  # whether its errors on training examples mean anything

    def __init__(self, predictions: Callable[[Any, np.ndarray], tuple[np.ndarray, ...] | None]) -> None:
        self.predictions = predictions

    def evaluate(
        self, objective: "Objective", vector: np.ndarray, conjugate: float | None, dual_weights: np.ndarray | None
    ) -> Value:
        """As ``Objective.evaluate``, of a vector of the model's own kind."""
        return objective.evaluate(vector, conjugate, dual_weights)

    def dual_value(self, objective: "Objective", conjugate: float, dual_weights: np.ndarray) -> float:
        """As ``Objective.dual_value``."""
        return objective.dual_value(conjugate, dual_weights)

    def norm(self, vector: np.ndarray) -> float:
        """||w||; not finite if the vector is not finite."""
        return float(np.sqrt(vector @ vector))


@dataclass
class Objective:
    """A loss (see ``losses``) with a penalty (see ``penalties``) of strength C on a training split.

    Loss ``none``: there is only the split to learn from. All values are NaN.

    Attributes:
        conjugate: conj(u) of the u_i that attain the losses, from the last call of ``value_and_gradient`` or
            ``loss_and_gradient``. With that gradient it is a dual point.
        loss_factors: what the loss of each example is multiplied by, see ``loss_factors``.
        start_from: where to start in place of w = 0, if the algorithm declares ``warm_start``.

    Raises:
        UserError: there is no such loss or penalty.
    """

    split: Any
    loss: str
    C: float
    penalty: str = "l2"
    loss_factors: np.ndarray = field(default_factory=lambda: EQUAL, repr=False)
    start_from: Start | None = field(default=None, repr=False)
    conjugate: float = field(init=False, default=np.nan)
    _blocks: list[tuple[int, np.ndarray]] = field(init=False, repr=False)
    _mu: np.ndarray = field(init=False, repr=False)
    _dual_weights: np.ndarray = field(init=False, repr=False)
    _penalty: penalties.Penalty = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.split = parts.compiled(self.split)
        whole = self.loss == "none" or not parts.has(self.split, parts.add_expected_features)
        self._blocks = [] if whole else list(blocks(self.split))
        self._mu = np.empty(max((offsets[-1] for _, offsets in self._blocks), default=0))
        self._dual_weights = np.empty(0)
        self._penalty = penalties.get(self.penalty)

    @cached_property
    def loss_terms(self) -> Loss:
        """The loss as kernels take it."""
        return named_loss(self.loss)

    @property
    def strengths(self) -> penalties.Strengths:
        """The penalty as two numbers, if it is l2, elastic, l1 or none; else 0 and 0."""
        return penalties.strengths(self.penalty, self.C)

    @property
    def smooth(self) -> bool:
        """Whether the loss has a gradient, so that each w has a dual point of its own."""
        return self.loss_terms.temperature > 0

    def first_weights(self) -> np.ndarray:
        """The weights to start from, 0 without an earlier fit; memory of its own."""
        size = parts.num_weights(self.split)
        return self.start_from.weights.copy() if self.start_from else np.zeros(size)

    def of_examples(self, examples: np.ndarray) -> "Objective":
        """The same of some examples alone."""
        factors = self.loss_factors
        taken = factors[examples] if len(factors) > 1 else factors
        return replace(self, split=parts.take(self.split, examples), loss_factors=taken, start_from=None)

    def loss_and_gradient(self, w: np.ndarray, gradient: np.ndarray) -> float:
        """sum_i loss_i(w) alone. ``gradient`` becomes its gradient, or a subgradient."""
        refusals.odd_vectors(self.split, w=w, gradient=gradient)
        long_vectors.clear(gradient)
        return self._add_loss(w, gradient)

    def value_and_gradient(self, w: np.ndarray, gradient: np.ndarray) -> float:
        """P(w). ``gradient`` becomes its gradient, or a subgradient, shape (num_weights,)."""
        refusals.odd_vectors(self.split, w=w, gradient=gradient)
        if self.penalty == "l2":  # in place: fresh memory costs more than the product
            penalty = self.C * long_vectors.scale_to(self.C, w, gradient) / 2
        else:
            gradient[:] = self._penalty.subgradient(w, self.C)
            penalty = self.penalty_value(w)
        return self._add_loss(w, gradient) + penalty

    def _add_loss(self, w: np.ndarray, gradient: np.ndarray) -> float:
        losses, conjugates = self._add_losses(w, gradient)
        self.conjugate = float(conjugates.sum())
        return float(losses.sum())

    def penalty_value(self, w: np.ndarray) -> float:
        """C Omega(w)."""
        return self._penalty.value(w, self.C)

    def evaluate(self, w: np.ndarray, conjugate: float | None, dual_weights: np.ndarray | None = None) -> Value:
        """P(w), and a dual value: of the algorithm's own u, or of the u_i that attain a smooth loss at w.

        ``conjugate`` and ``dual_weights``, w(u), come from an ``Iterate``. Without w(u), w is soft(w(u), A) / C.

        Raises:
            ValueError: ``dual_weights`` is left out, though the penalty is not l2 or elastic.
        """
        if self.loss == "none":
            return Value(np.nan, np.nan)
        refusals.odd_vectors(self.split, w=w, dual_weights=dual_weights)
        if conjugate is not None and dual_weights is None and not self.strengths.C:
            raise ValueError(f"with the penalty {self.penalty} the weights do not tell w(u): give it")
        own = conjugate is None and self.smooth
        if self._dual_weights.shape != (w.shape if own else (0,)):
            self._dual_weights = np.empty(w.shape if own else 0)
        if own:
            dual_weights = self._dual_weights  # kept: fresh memory costs as much as clearing it many times
        losses, conjugates = self.losses_and_conjugates(w, dual_weights if own else None)
        penalty = self.penalty_value(w)
        primal = float(losses.sum()) + penalty
        if own:  # the gradient is -w(u), and the bounds do not mind the sign
            conjugate = float(conjugates.sum())
        if conjugate is None:
            return Value(primal, np.nan)
        A = self.strengths.A
        if dual_weights is None and A:  # soft(w(u), A) = C w
            square = self.C * long_vectors.inner(w, w)
            if conjugate >= square + A * float(np.abs(w).sum()):  # no mixture with the gold outputs is better
                return Value(primal, conjugate - square / 2)
            dual_weights = self.C * w + A * np.sign(w)  # w(u), where it is not shrunk to 0
        if dual_weights is None:
            return Value(primal, conjugate - penalty)
        return Value(primal, self.dual_value(conjugate, dual_weights))

    def dual_value(self, conjugate: float, dual_weights: np.ndarray) -> float:
        """The dual value of u, or of its best mixture with the gold outputs, from conj(u) and w(u)."""
        refusals.odd_vectors(self.split, dual_weights=dual_weights)
        return self._penalty.dual_value(conjugate, dual_weights, self.C, self.penalty != "l2" and self.all_known)

    @cached_property
    def all_known(self) -> bool:
        """Whether every gold output is a possible output: training saw all its labels."""
        y = parts.unwrap(self.split).y
        return len(y) == 0 or bool(y.min() >= 0)

    def losses_and_conjugates(self, w: np.ndarray, gradient: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Losses and dual terms of all examples. ``gradient``, if any, becomes that of the sum of losses."""
        refusals.odd_vectors(self.split, w=w, gradient=gradient)
        if gradient is not None:
            long_vectors.clear(gradient)
        return self._add_losses(w, gradient)

    def _add_losses(self, w: np.ndarray, gradient: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        found = []
        for begin, offsets in self._blocks:
            found.append(inference.expectations(self.split, begin, w, self.loss_terms, offsets, self._mu))
            if gradient is not None:
                apply_factors(self.loss_factors, begin, offsets, self._mu)
                parts.add_expected_features(self.split, begin, offsets, self._mu, gradient)
        losses, conjugates = zip(*found, strict=True)
        return self.loss_factors * np.concatenate(losses), self.loss_factors * np.concatenate(conjugates)


def require_labels(split: Any, algorithm: str) -> None:
    """Raise a UserError unless training knows every label: some dual variables start at gold outputs."""
    y = parts.unwrap(split).y
    if len(y) and y.min() < 0:
        where = int(np.argmin(y))
        raise UserError(
            f"{algorithm} needs a known label everywhere in the training data: decision {where} has none"
        )


def blocks(split: Any, first: int = 0, end: int | None = None) -> Iterator[tuple[int, np.ndarray]]:
    """Cut the examples first .. end - 1 into blocks of at most MAX_PARTS_IN_MEMORY parts, or of one example.

    Yields the number of a block's first example, and where each of its examples' parts begin in memory for all.
    """
    offsets, stop = parts.offsets(split), parts.num_examples(split) if end is None else end
    while first < stop:
        most = int(np.searchsorted(offsets, offsets[first] + MAX_PARTS_IN_MEMORY, side="right")) - 1
        last = min(max(first + 1, most), stop)
        yield first, offsets[first : last + 1] - offsets[first]
        first = last
