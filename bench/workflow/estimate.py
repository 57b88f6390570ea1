"""Estimate how long runs and other jobs take, and how much runs keep, from rates measured once.

``rates.csv`` holds the mean seconds and bytes of each kind of run, relative to the yardstick. It also holds the
seconds of the other jobs. ``python -m bench measure rates`` writes the file. If a kind is not in it, the same kind
with another limit counts, in proportion to the limits, else the same algorithm with another loss, on similar data,
or any. Of these the data set whose options differ least counts. As work is done, ``progress`` corrects the rest.
"""

import csv
import itertools
import statistics
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from structbench import datasets
from structbench.bench.runs import yardstick
from structbench.bench.runs.spec import Spec

RATES = Path(__file__).with_name("rates.csv")
FIELDS = ("data", "algorithm", "loss", "passes", "seconds", "pass_seconds", "bytes")
PROBLEM = "problem"  # in place of an algorithm: reading a data set and building its problem


class Rate(NamedTuple):
    """What a run of a kind takes: seconds in all and a pass, and bytes on disk."""

    seconds: float
    pass_seconds: float
    bytes: float


NOMINAL = Rate(0.0, 0.2, 100_000)  # where nothing like it was measured
# format of a user's files -> the data set that is most like them, and its megabytes in this format
LIKE = {"svmlight": ("mnist:", 80.0), "crfsuite": ("conll2000:", 56.0)}


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
    return Kind(without_draw(spec.data), spec.algorithm, spec.loss, spec.passes)


def without_draw(data: str) -> str:
    """A data set, whichever its fold or seed."""
    name, options, path = datasets.parse(data)
    chosen = sorted((key, value) for key, value in options.items() if key not in ("fold", "crf", "seed", "costs"))
    return f"{name}:{path or ''}{','.join(f'{key}={value}' for key, value in chosen)}"


def of(spec: Spec) -> Rate:
    """What a run is expected to take here. A limit of seconds ends a run at the same time everywhere."""
    found = reference(spec)
    limit = min(spec.seconds or 0.0, found.seconds)
    return found._replace(seconds=limit + (found.seconds - limit) * yardstick.slowness())


def is_measured(spec: Spec) -> bool:
    """Whether runs of its kind were measured, with whatever limit of passes."""
    return any(one[:3] == kind(spec)[:3] for one in measured())


def reference(spec: Spec) -> Rate:
    """What a run is expected to take where the rates were measured."""
    name, _, path = datasets.parse(spec.data)
    found = _of_file(name, path, kind(spec)) if path and name in LIKE else _of_kind(kind(spec))
    if spec.seconds is None or kind(spec) in measured():
        return found
    return found._replace(seconds=min(found.seconds, spec.seconds + 1))  # runs of its kind did not take longer


def _of_file(name: str, path: str, wanted: Kind) -> Rate:
    """The rate of a run on a file: the rate on a similar data set, times how much larger the file is."""
    other, megabytes = LIKE[name]
    try:
        larger = Path(path).expanduser().stat().st_size / (1e6 * megabytes)
    except OSError:
        larger = 1.0
    return Rate(*(larger * value for value in _of_kind(wanted._replace(data=other))))


@cache
def _of_kind(wanted: Kind) -> Rate:
    rates = measured()
    if wanted in rates:
        return rates[wanted]
    here = {one: rate for one, rate in rates.items() if one.corpus == wanted.corpus and one.passes}
    for same in (slice(0, 3), slice(0, 2), slice(1, 3), slice(1, 2), slice(0, 0)):  # of data, algorithm and loss
        found = {one: rate for one, rate in here.items() if one[same] == wanted[same]}
        if found:
            break
    else:
        return NOMINAL._replace(seconds=NOMINAL.pass_seconds * wanted.passes + 1)
    apart = {one: _differences(one.data, wanted.data) for one in found}
    nearest = [one for one in found if apart[one] == min(apart.values())]
    return median(
        [found[one]._replace(seconds=found[one].seconds * wanted.passes / one.passes) for one in nearest]
    )


def _differences(one: str, other: str) -> int:
    """How far apart two data sets of a name are: 1 for an option's other value, 3 for one that is not given."""
    these, those = (
        dict(option.partition("=")[::2] for option in data.partition(":")[2].split(",") if option)
        for data in (one, other)
    )
    apart = [name for name in these.keys() | those.keys() if these.get(name) != those.get(name)]
    return sum(1 if name in these and name in those else 3 for name in apart)


def mean(rates: list[Rate]) -> Rate:
    """The mean of each of their numbers."""
    return Rate(*map(statistics.mean, zip(*rates, strict=True)))


def median(rates: list[Rate]) -> Rate:
    """The median of each of their numbers: one slow program does not stand for all."""
    return Rate(*map(statistics.median, zip(*rates, strict=True)))


def overhead(what: str, data: str = "") -> float:
    """Seconds of one of the other jobs here. For a problem, its data set's if they were measured.

    ``batch`` and ``job``: To start a process, for runs and for other work. ``figure``, ``grid-figure``: To draw
    one of a paper, of a grid. ``claims``: To judge a paper. ``track``: To open MLflow, ``database`` if that is
    new. ``tracked``: To log a run. ``report``: To write it, ``reported`` for each figure. ``problem``: To build
    one. ``breakdown``: To measure one.
    """
    rates = measured()
    return rates.get(of_all(what, data), rates[of_all(what)]).seconds * yardstick.slowness()


def of_all(what: str, data: str = "") -> Kind:
    """The row of an ``overhead``."""
    return Kind(data, what, "", 0.0)


@cache
def measured() -> dict[Kind, Rate]:
    """What is in the file."""
    with RATES.open(encoding="utf-8", newline="") as file:
        rows = ([*row[:3], *map(float, row[3:])] for row in itertools.islice(csv.reader(file), 1, None))
        return {Kind(*row[:4]): Rate(*row[4:]) for row in rows}


def write(rates: Iterable[tuple[Kind, Rate]], file: Path = RATES) -> None:
    """Write the file of rates."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        out = csv.writer(opened, lineterminator="\n")
        out.writerow(FIELDS)
        for (*names, passes), rate in sorted(rates):
            out.writerow([*names, *(f"{value:.4g}" for value in (passes, *rate))])
