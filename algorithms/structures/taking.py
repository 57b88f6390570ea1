"""Implements ``take``, which selects examples of a split, from a declaration of what indexes each field."""

from collections.abc import Callable
from typing import Any

import numpy as np

from structbench.algorithms.runtime.arrays import frozen, ranges, starts_of
from structbench.algorithms.structures import checks
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.inner_products import Products


def implement_take(
    kind: type, each: tuple[str, ...] = (), others: Callable[[Any, np.ndarray], dict] | None = None, **units: Any
) -> None:
    """Give a structure the operation ``take``. Fields that are not named stay.

    Args:
        each: fields with an entry or a row for each example.
        units: a field that says where each example's units begin -> fields with one for each unit.
        others: returns further fields by their names, for a structure and numbers of examples.
    """

    def take(c: Any, examples: np.ndarray) -> Any:
        examples = checks.chosen(examples, parts.num_examples(c))
        changed = {name: _some(getattr(c, name), examples) for name in each}
        for bounds, names in units.items():
            places = ranges(getattr(c, bounds), examples)
            changed |= {name: _some(getattr(c, name), places) for name in names}
            changed[bounds] = starts_of(np.diff(getattr(c, bounds))[examples])
        return c._replace(**changed | (others(c, examples) if others else {}))

    implements(kind)(take)


def _some(field: Any, places: np.ndarray) -> Any:
    if isinstance(field, ft.Features):
        return ft.take_rows(field, places) if ft.shape(field)[0] else field
    if isinstance(field, Products):
        chosen = ranges(field.starts, places)
        numbers, small = (_some(each, chosen) if len(each) else each for each in (field.numbers, field.small))
        return Products(starts_of(np.diff(field.starts)[places]), numbers, small)
    return frozen(field[places], field.dtype)
