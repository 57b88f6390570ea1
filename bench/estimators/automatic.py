"""Choose the algorithm for ``algorithm="auto"``: by loss, penalty, structure, size and scale of the data."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from structbench.algorithms.learning.declaration import numberless
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import catalogue, objective_names
from structbench.bench.runs.algorithm_module import declaration

Choice = tuple[str, Given]
OF_SECOND_ORDER: tuple[Choice, ...] = (("newton", {}), ("interior-point", {}))
MAX_WORK = 1e10  # multiplications of an iteration of these: 0.3 s
OF_STEEP: Choice = ("lbfgs", {"preconditioner": "diagonal"})
LARGE = 10.0  # values above it are on a scale of their own
OF_LARGE_C: Choice = ("sequential-dual", {})
# C from which it needs fewer passes than estimators allow, and 3 to 7 times less time than others
FEW_PASSES = 1.0
FASTEST: tuple[Choice, ...] = (  # measured on MNIST, OCR, sentences of CoNLL-2000 and Spanish trees, C = 1 and 10
    ("cutting-plane", {}),
    ("eg", {"order": "gap"}),
    ("eg-proximal", {}),
    ("owl-qn", {}),
)


def choice(train: Any, loss: str, penalty: str, C: float, refused: Callable[[str], str]) -> Choice:
    """The algorithm and its parameters: the first that fits, and of which ``refused`` names nothing.

    Raises:
        UserError: there is no such loss or penalty, or none fits.
    """
    objective_names.check_loss(loss)
    objective_names.penalty_kind(penalty)
    for name, given in _ordered(train, C):
        if not refused(name) and _fits(train, loss, penalty, name, given):
            return name, given
    others = instead(train, loss, penalty, itertools.filterfalse(refused, catalogue.algorithms()))
    raise UserError(f"no algorithm of choice minimises the {loss} loss with the penalty {penalty!r}: {others}")


def instead(train: Any, loss: str, penalty: str, names: Iterable[str]) -> str:
    """Names some of these algorithms that minimise a loss and a penalty on a structure, the fast ones first."""
    fit = (name for name in names if not declaration(name).black_box and _fits(train, loss, penalty, name, {}))
    found = sorted(fit, key=lambda name: not declaration(name).settings.contests)
    return f"take {' or '.join(found[: catalogue.SHOWN])}" if found else "no algorithm does"


def _fits(train: Any, loss: str, penalty: str, name: str, given: Given) -> bool:
    fits = numberless(penalty) in catalogue.penalties(name) and catalogue.minimises(name, loss, given)
    return fits and not catalogue.lacking(name, given, type(train))


def _ordered(train: Any, C: float) -> Iterator[Choice]:
    n, size = parts.num_examples(train), parts.num_weights(train)
    if (n + size) * size**2 <= MAX_WORK:
        yield from OF_SECOND_ORDER
    if _largest(train) > LARGE and _largest_norm(train) > n * C:
        yield OF_STEEP
    if C >= FEW_PASSES:
        yield OF_LARGE_C
    yield from FASTEST


def advice(train: Any) -> str:
    """What to do about features on a large scale, to be put before other advice; empty if there are none."""
    largest = _largest(train)
    return f"scale the features, whose values reach {largest:.3g}, " if largest > LARGE else ""


def _largest(train: Any) -> float:
    """The largest value of a feature, 0 if the structure has no rows of features."""
    if catalogue.lacking(*OF_STEEP, type(train)) or not min(ft.shape(parts.rows(train))):
        return 0.0
    return float(abs(ft.as_matrix(parts.rows(train))).max())


def _largest_norm(train: Any) -> float:
    """The largest ||x||^2 of a row."""
    x = ft.as_matrix(parts.rows(train))
    return float((x * x).sum(axis=1).max())
