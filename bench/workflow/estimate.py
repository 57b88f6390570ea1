"""How long runs take and how much they keep, before they are made: from rates that were measured once.

``rates.csv`` holds the mean seconds and bytes of each kind of run, measured beside a yardstick: a fixed piece
of numpy work. The same yardstick, timed here, says how much slower or faster this machine is; as runs end,
``progress`` corrects the rest by what they took. ``python -m bench measure rates`` writes the file. A kind that
is not in it takes as long as with another limit, in proportion, or else all of its passes, each as long as one of
the same algorithm, or of any, with the options of the data set that differ least.
"""

import csv
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import datasets
from bench.runs.spec import Spec

RATES = Path(__file__).with_name("rates.csv")
FIELDS = ("data", "algorithm", "loss", "passes", "seconds", "pass_seconds", "bytes")
YARDSTICK = "yardstick"  # the row whose seconds are the yardstick's when the others were measured


class Rate(NamedTuple):
    """What a run of a kind takes: seconds in all and a pass, and bytes on disk."""

    seconds: float
    pass_seconds: float
    bytes: float


NOMINAL = Rate(0.0, 0.2, 100_000)  # where nothing like it was measured


class Kind(NamedTuple):
    """What runs of one rate have in common: the data set, whichever its fold or seed, and the passes allowed."""

    data: str
    algorithm: str
    loss: str
    passes: float

    @property
    def corpus(self) -> str:
        return self.data.partition(":")[0]


def kind(spec: Spec) -> Kind:
    """The kind of a run."""
    name, options, path = datasets.parse(spec.data)
    chosen = ",".join(
        f"{key}={value}" for key, value in sorted(options.items()) if key not in ("fold", "crf", "seed")
    )
    return Kind(f"{name}:{path or ''}{chosen}", spec.algorithm, spec.loss, spec.passes)


def of(spec: Spec) -> Rate:
    """What a run is expected to take here."""
    found = _of_kind(kind(spec))
    return _within_limit(found._replace(seconds=found.seconds * slowness()), spec)


def reference(spec: Spec) -> Rate:
    """What a run is expected to take where the rates were measured."""
    return _within_limit(_of_kind(kind(spec)), spec)


def _within_limit(rate: Rate, spec: Spec) -> Rate:
    """No longer than its limit of seconds and one more, unless runs of its kind took longer."""
    if spec.seconds is None or kind(spec) in measured():
        return rate
    return rate._replace(seconds=min(rate.seconds, spec.seconds + 1))


@cache
def _of_kind(wanted: Kind) -> Rate:
    rates = measured()
    if wanted in rates:
        return rates[wanted]
    with_limits = [
        rate._replace(seconds=rate.seconds * wanted.passes / one.passes)
        for one, rate in rates.items()
        if one[:3] == wanted[:3]
    ]
    if with_limits:
        return mean(with_limits)
    apart = {one: _differences(one.data, wanted.data) for one in rates if one.corpus == wanted.corpus}
    same = {one: options for one, options in apart.items() if one[1:3] == wanted[1:3]} or apart
    nearest = [rates[one] for one, options in same.items() if options == min(same.values())]
    found = mean(nearest or [NOMINAL])
    return found._replace(seconds=found.pass_seconds * wanted.passes + 1)


def _differences(one: str, other: str) -> int:
    """How far apart two data sets of a name are: 1 for another value of an option, 3 for one that is not given."""
    these, those = (
        dict(option.partition("=")[::2] for option in data.partition(":")[2].split(",") if option)
        for data in (one, other)
    )
    apart = [name for name in these.keys() | those.keys() if these.get(name) != those.get(name)]
    return sum(1 if name in these and name in those else 3 for name in apart)


def mean(rates: list[Rate]) -> Rate:
    """The mean of each of their numbers."""
    return Rate(*(sum(values) / len(rates) for values in zip(*rates, strict=True)))


def overhead(what: str) -> float:
    """Seconds here of a ``batch``'s start, of a ``figure``, of all the ``rest``, of ``compiling`` everything."""
    return measured()[of_all(what)].seconds * slowness()


def of_all(what: str) -> Kind:
    """The row of an ``overhead``, or of the yardstick."""
    return Kind("", what, "", 0.0)


@cache
def measured() -> dict[Kind, Rate]:
    """What is in the file."""
    with RATES.open(encoding="utf-8", newline="") as file:
        return {
            Kind(row["data"], row["algorithm"], row["loss"], float(row["passes"])): Rate(
                *(float(row[name]) for name in Rate._fields)
            )
            for row in csv.DictReader(file)
        }


@cache
def slowness() -> float:
    """How much longer this machine takes than the one whose rates are in the file."""
    return yardstick() / measured()[of_all(YARDSTICK)].seconds


def yardstick() -> float:
    """Seconds of a fixed piece of work like a visit's: inner products, exponentials, sums. The least of three."""
    import numpy as np

    weights, pixels = np.full((784, 10), 1e-3), np.full(784, 0.1)

    def once() -> float:
        begun = time.perf_counter()
        for _ in range(2_000):
            scores = pixels @ weights
            scores = np.exp(scores - scores.max())
            weights[:, 0] += 1e-9 * pixels * (scores / scores.sum())[0]
        return time.perf_counter() - begun

    return min(once() for _ in range(3))


def write(rates: Iterable[tuple[Kind, Rate]], file: Path = RATES) -> None:
    """Write the file of rates."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        out = csv.writer(opened, lineterminator="\n")
        out.writerow(FIELDS)
        for (*names, passes), rate in sorted(rates):
            out.writerow([*names, *(f"{value:.4g}" for value in (passes, *rate))])
