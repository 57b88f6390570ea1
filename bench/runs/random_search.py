"""Random search: draw log-uniform values from a grid's ranges, and make a grid of single values per draw."""

import zlib
from collections.abc import Iterator

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import typed_options
from structbench.bench.runs import catalogue
from structbench.bench.runs.documents import Json

DIGITS = 3  # of a number that is drawn
MOST = 10_000  # settings of a grid
RANGE = "{from: 0.01, to: 100}"


def single_settings(given: Json) -> Iterator[Json]:
    """The grid itself; or if it says ``random: N``, N grids with a number in place of each range.

    Numbers are uniform on a log scale. The grid's first seed decides them. All algorithms have the same C.

    Raises:
        UserError: A range is empty or endless, N is too large, or only one of range and ``random`` is there.
    """
    algorithms = {name: lists or {} for name, lists in given["algorithms"].items()}
    places = {"C": given.get("C")}
    places |= {f"{name}.{key}": values for name, lists in algorithms.items() for key, values in lists.items()}
    ranges = {place: found for place, found in places.items() if isinstance(found, dict)}
    if (count := given.get("random")) is None:
        if ranges:
            raise UserError(f"{next(iter(ranges))} is a range: add random: 20, the number of settings to draw")
        yield given
        return
    if count > MOST:
        raise UserError(f"random: {count} settings are too many: {MOST} at most")
    if not ranges:
        raise UserError(f"random: {count} draws from ranges, and there is none: write C: {RANGE}")
    values = {place: _values(place, found, count, given.get("seeds", [0])[0]) for place, found in ranges.items()}
    for k in range(count):
        single = {place: [found[k]] for place, found in values.items()}
        own = {
            name: {key: single.get(f"{name}.{key}", listed) for key, listed in lists.items()}
            for name, lists in algorithms.items()
        }
        yield given | {"algorithms": own} | ({"C": single.get("C", given["C"])} if "C" in given else {})


def _values(place: str, found: Json, count: int, seed: int) -> list[float]:
    low, high = found["from"], found["to"]
    if not 0 < low < high < np.inf:
        raise UserError(f"{place}: {low:g} to {high:g} is no range: from must be above 0 and below a finite to")
    rng = np.random.default_rng([seed, zlib.crc32(place.encode())])
    numbers = np.exp(rng.uniform(np.log(low), np.log(high), count)).tolist()
    algorithm, _, key = place.partition(".")
    is_whole = bool(key) and isinstance(_default(algorithm, key), int)
    return [round(each) if is_whole else float(f"{each:.{DIGITS}g}") for each in numbers]


def _default(algorithm: str, key: str) -> object:
    """A parameter's default in the type that it is declared with: 1 of a real number is 1.0; None if unknown."""
    given = {
        name: value for name, value in catalogue.parameters(algorithm).items() if name == key and value is not None
    }
    return typed_options(catalogue.solver(algorithm), given, algorithm).get(key)
