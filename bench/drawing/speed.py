"""How fast methods come near the optimum: seconds to a certified distance, and sentences that compare them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.method_looks import Problem, certifiable, clock, clock_word, problems
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

FARTHER = (1e-2, 1e-1)  # relative distances for a sentence, if no method comes nearer
TIE = 1.05  # times the fastest's seconds: no difference
NAMED = 5  # methods that a part of a sentence names
INSTANT = 1e-6  # seconds: the resolution of the clock


class Answer(NamedTuple):
    """Which method is how fast on a problem, in a sentence or more."""

    problem: Problem
    text: str


def seconds_to(
    members: list[Spec], names: dict[Spec, str], level: float, runs: Runs, column: str
) -> dict[str, dict[int, float]]:
    """Method -> seed -> seconds until a run on one problem is certified to be within ``level`` of the optimum.

    The certificate is the greatest dual value of all these runs. Infinity if the run does not come so near, NaN if
    no seconds are known.
    """
    bound = curves.optimum(runs.present(members)).dual
    found: dict[str, dict[int, float]] = {}
    for spec in members:
        if (run := runs[spec]) is not None:
            seconds = curves.seconds_to(curves.own(run), bound, level, column)
            found.setdefault(names[spec], {})[spec.seed] = seconds
    return found


def answers(names: dict[Spec, str], runs: Runs, level: float) -> list[Answer]:
    """For each problem, how soon which method is within ``level`` of the optimum, where a dual value tells."""
    column, found = clock(names), []
    for problem, members in problems(filter(certifiable, names)):
        comparable = runs.comparable(members)
        if np.isfinite(curves.optimum(comparable.present(members)).dual):
            found.append(Answer(problem, _sentences(members, names, comparable, level, column)))
    return found


def _sentences(members: list[Spec], names: dict[Spec, str], runs: Runs, nearest: float, column: str) -> str:
    word = clock_word(names)
    for level in (nearest, *(level for level in FARTHER if level > nearest)):
        by_seed = {
            name: [*each.values()] for name, each in seconds_to(members, names, level, runs, column).items()
        }
        known = {name: float(np.median(each)) for name, each in by_seed.items() if not np.isnan(each).any()}
        arrived = {name: known[name] for name in sorted(known, key=known.__getitem__) if known[name] < np.inf}
        if arrived:
            break
    else:
        return f"No method is certified to be within {100 * level:g} % of the optimum."
    fastest = max(min(arrived.values()), INSTANT)
    first = [name for name, seconds in arrived.items() if seconds <= TIE * fastest]
    said = [f"Within {100 * level:g} % of the optimum after {_rounded(fastest)} {word} s: {_listed(first)}."]
    slower = [(name, seconds / fastest) for name, seconds in arrived.items() if name not in first]
    if slower:
        said.append(_slower(slower))
    late = {name: by_seed[name] for name in known if name not in arrived}
    return " ".join([*said, *_late(late, members, names, runs)])


def _slower(ratios: list[tuple[str, float]]) -> str:
    """How many times the fastest's seconds the others take."""
    shown = ratios if len(ratios) <= NAMED else ratios[: NAMED - 1]
    parts = [f"{bracketed(name)} {_rounded(ratio)} times" for name, ratio in shown]
    name, ratio = shown[0]
    parts[0] = f"{bracketed(name)} takes {_rounded(ratio)} times as long"
    if len(shown) < len(ratios):
        parts.append(f"{len(ratios) - len(shown)} others up to {_rounded(ratios[-1][1])} times")
    return ", ".join(parts) + "."


def _late(late: dict[str, list[float]], members: list[Spec], names: dict[Spec, str], runs: Runs) -> list[str]:
    """For each reason why methods do not come so near, a sentence, given the seconds of their seeds."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, seconds in late.items():
        made = runs.present([spec for spec in members if names[spec] == name])
        reasons.setdefault(_reason(seconds, made), []).append(name)
    return [
        f"{_listed(which)} {one if len(which) == 1 else several}." for (one, several), which in reasons.items()
    ]


def _reason(seconds: list[float], made: list[Run]) -> tuple[str, str]:
    """Why a method does not come so near: what is said of one method, and of several."""
    some = int(np.isfinite(seconds).sum())
    if some:
        how_many = f"this with {some} of {len(seconds)} seeds"
        return f"reaches {how_many}", f"reach {how_many}"
    statuses = {run.summary["status"] for run in made}
    if statuses == {"diverged"}:
        return "diverges", "diverge"
    limit = ""
    if statuses == {"passes"}:
        limit = f" in {made[0].spec.passes:g} passes"
    elif statuses == {"timeout"}:
        limit = f" in {made[0].spec.seconds:g} {clock_word([made[0].spec])} s"
    return f"does not reach this{limit}", f"do not reach this{limit}"


def _listed(names: Sequence[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``; of many the first, and how many more."""
    shown = [bracketed(name) for name in (names if len(names) <= NAMED else names[: NAMED - 1])]
    if len(shown) < len(names):
        shown.append(f"{len(names) - len(shown)} others")
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def bracketed(name: str) -> str:
    """The name of a method with its parameters in brackets, as commas separate methods."""
    algorithm, comma, parameters = name.partition(", ")
    return f"{algorithm} ({parameters})" if comma else algorithm


def _rounded(value: float) -> str:
    """Two digits."""
    return f"{float(f'{value:.2g}'):g}"
