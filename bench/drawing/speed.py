"""How fast methods come near the optimum: seconds to a certified distance, and sentences that compare them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.method_looks import Problem, certifiable, clock, clock_word, counts_visits, problems
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

FARTHER = (1e-2, 1e-1)  # relative distances for a sentence, if no method comes nearer
TIE = 1.05  # times the fastest's seconds: no difference
NAMED = 5  # methods that a part of a sentence names
INSTANT = 1e-6  # seconds: the resolution of the clock
SHORT = 0.05  # seconds: methods that take fewer are compared by passes
TOO_SHORT = " (too short to time)"
DISTURBED = " (disturbed: these seconds mean little)"


class Answer(NamedTuple):
    """Which method is how fast on a problem, in a sentence or more, and the column of curves that says it."""

    problem: Problem
    text: str
    clock: str


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
    """For each problem, how soon which method is within ``level`` of the optimum, where a dual value tells.

    All problems are answered by seconds, or all by passes if the fastest of one takes too few seconds.
    """
    found = []
    for problem, members in problems(filter(certifiable, names)):
        comparable = runs.comparable(members)
        if np.isfinite(curves.optimum(comparable.present(members)).dual):
            found.append((problem, members, comparable))
    column = clock(names)
    known = [_arrived(members, runs, names, level, column).known for _, members, runs in found]
    fastest = [min(each.values(), default=1.0) for each in known]
    if too_short(fastest, [spec for _, each, _ in found for spec in each]):
        column = "passes"
    return [
        Answer(problem, _sentences(members, runs, names, level, column), column)
        for problem, members, runs in found
    ]


def too_short(seconds: Iterable[float], specs: Iterable[Spec]) -> bool:
    """Whether passes compare these runs, as one of them takes too few seconds, and all count visits as passes."""
    return any(each < SHORT for each in seconds) and all(map(counts_visits, specs))


class _Arrived(NamedTuple):
    """Seconds or passes to the least of some levels that a method comes to: of each seed, and medians."""

    level: float
    by_seed: dict[str, list[float]]
    known: dict[str, float]


def _arrived(members: list[Spec], runs: Runs, names: dict[Spec, str], nearest: float, column: str) -> _Arrived:
    found = _Arrived(nearest, {}, {})
    for level in (nearest, *(level for level in FARTHER if level > nearest)):
        seconds = seconds_to(members, names, level, runs, column)
        by_seed = {name: [*each.values()] for name, each in seconds.items()}
        known = {name: float(np.median(each)) for name, each in by_seed.items() if not np.isnan(each).any()}
        found = _Arrived(level, by_seed, known)
        if any(value < np.inf for value in known.values()):
            break
    return found


def _sentences(members: list[Spec], runs: Runs, names: dict[Spec, str], nearest: float, column: str) -> str:
    word, why = ("passes", TOO_SHORT) if column == "passes" else (f"{clock_word(names)} s", "")
    level, by_seed, known = _arrived(members, runs, names, nearest, column)
    arrived = {name: known[name] for name in sorted(known, key=known.__getitem__) if known[name] < np.inf}
    if not arrived:
        return f"No method is certified to be within {100 * level:g} % of the optimum."
    fastest, is_timed = min(arrived.values()), column != "passes"
    fastest = max(fastest, INSTANT) if is_timed else fastest
    first = [name for name, seconds in arrived.items() if seconds <= TIE * fastest]
    median = ", the median of seeds" if any(len(each) > 1 for each in by_seed.values()) else ""
    after = f"{_rounded(fastest)} {word}{median}{why}"
    said = [f"Within {100 * level:g} % of the optimum after {after}: {in_words(first)}."]
    if others := [name for name in arrived if name not in first]:
        if fastest > 0:
            ratios = [(name, arrived[name] / fastest) for name in others]
            said.append(slower(ratios, "long" if is_timed else "many"))
        else:  # some begin within the level
            said.append(f"The next after {_rounded(arrived[others[0]])} passes: {bracketed(others[0])}.")
    if is_timed and any(run.disturbance for run in runs.present([s for s in members if names[s] in arrived])):
        said[-1] = f"{said[-1].removesuffix('.')}{DISTURBED}."
    late = {name: by_seed[name] for name in known if name not in arrived}
    return " ".join([*said, *_late(late, members, names, runs)])


def slower(ratios: list[tuple[str, float]], much: str = "long") -> str:
    """How many times the fastest's seconds or passes the others take: as ``long``, or as ``many``."""
    shown = ratios if len(ratios) <= NAMED else ratios[: NAMED - 1]
    parts = [f"{bracketed(name)} {_rounded(ratio)} times" for name, ratio in shown]
    name, ratio = shown[0]
    parts[0] = f"{bracketed(name)} takes {_rounded(ratio)} times as {much}"
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
        f"{in_words(which)} {one if len(which) == 1 else several}." for (one, several), which in reasons.items()
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


def in_words(names: Sequence[str]) -> str:
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
