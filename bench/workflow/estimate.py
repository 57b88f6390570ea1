"""How long runs take and how much they keep, before they are made: from rates that were measured once.

``rates.csv`` holds the seconds and bytes of each kind of run in a whole default workflow, measured beside a
yardstick: a fixed piece of numpy work. The same yardstick, timed here, says how much slower or faster this
machine is; as runs end, ``progress`` corrects the rest by what they took. ``python -m bench measure rates``
writes the file.
"""

import csv
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import datasets
from bench.runs.spec import Spec

RATES = Path(__file__).with_name("rates.csv")
FIELDS = ("data", "algorithm", "loss", "seconds", "pass_seconds", "bytes")
NOMINAL = 0.2  # seconds a pass, where nothing like it was measured
NOMINAL_BYTES = 100_000
YARDSTICK = "yardstick"  # the row whose seconds are the yardstick's when the others were measured


class Rate(NamedTuple):
    """What a run of a kind takes: seconds in all and a pass, and bytes on disk."""

    seconds: float
    pass_seconds: float
    bytes: float


def kind(spec: Spec) -> tuple[str, str, str]:
    """What runs have in common whose rate is one: data set, whichever its fold or seed, algorithm and loss."""
    name, options, path = datasets.parse(spec.data)
    chosen = ",".join(
        f"{key}={value}" for key, value in sorted(options.items()) if key not in ("fold", "crf", "seed")
    )
    return f"{name}:{path or ''}{chosen}", spec.algorithm, spec.loss


def of(spec: Spec) -> Rate:
    """What a run is expected to take here."""
    found, speed = reference(spec), slowness()
    seconds = found.seconds * speed
    return found._replace(seconds=seconds if spec.seconds is None else min(seconds, spec.seconds + speed))


def reference(spec: Spec) -> Rate:
    """What a run is expected to take where the rates were measured."""
    rates = _rates()
    data, algorithm, loss = kind(spec)
    found = rates.get((data, algorithm, loss))
    if found is None:
        like = rates.get((data, "", "")) or rates.get((datasets.parse(spec.data).name, "", ""))
        pace = like.pass_seconds if like else NOMINAL
        found = Rate(pace * spec.passes + 1, pace, like.bytes if like else NOMINAL_BYTES)
    return found if spec.seconds is None else found._replace(seconds=min(found.seconds, spec.seconds + 1))


def overhead(what: str) -> float:
    """Seconds here of a ``batch``'s start, of a ``figure``, of all the ``rest``, of ``compiling`` everything."""
    return _rates()["", what, ""].seconds * slowness()


@cache
def _rates() -> dict[tuple[str, str, str], Rate]:
    with RATES.open(encoding="utf-8", newline="") as file:
        rows = [
            ((row["data"], row["algorithm"], row["loss"]), Rate(*(float(row[name]) for name in FIELDS[3:])))
            for row in csv.DictReader(file)
        ]
    found = dict(rows)
    groups: dict[str, list[Rate]] = defaultdict(list)
    for (data, _, _), rate in rows:
        if data:
            groups[data].append(rate)
            groups[data.partition(":")[0]].append(rate)
    for name, members in groups.items():
        found[name, "", ""] = Rate(*(sorted(values)[len(values) // 2] for values in zip(*members, strict=True)))
    return found


@cache
def slowness() -> float:
    """How much longer this machine takes than the one whose rates are in the file."""
    return yardstick() / _rates()["", YARDSTICK, ""].seconds


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


def write(rates: Iterable[tuple[tuple[str, str, str], Rate]], file: Path = RATES) -> None:
    """Write the file of rates."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        out = csv.writer(opened, lineterminator="\n")
        out.writerow(FIELDS)
        for names, rate in sorted(rates):
            out.writerow([*names, *(f"{value:.4g}" for value in rate)])
