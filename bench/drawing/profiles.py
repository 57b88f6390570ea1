"""The performance profile: the share of problems that a method solves, against seconds (Dolan, More 2002)."""

import numpy as np

from structbench.bench.drawing import crowds, plotted, speed, style
from structbench.bench.drawing.method_looks import Group, clock, clock_word, labels, looks, problems
from structbench.bench.drawing.plotted import Drawn
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

LEVELS = (1e-2, 1e-4, 1e-6)
TICKS = (1, 1.5, 2, 3, 5)  # of an axis that ends before the last
FEWEST = 4  # problems: fewer shares say little


def caption(specs: list[Spec]) -> str:
    """What the profile of these runs shows."""
    many = len({*labels(specs).values()}) > crowds.MOST
    best = (
        f"A panel names {crowds.MOST} methods: those that solve most, in the fewest seconds. The others are grey."
    )
    return (
        "A line at 0.8 above 3 says: the method solves 80 % of the problems within 3 times the "
        f"{clock_word(specs)} seconds of the fastest on each. A problem is a data set, a loss, a C and a seed. It "
        "is solved if (primal - bound) / primal stays within the panel's level. The bound is the greatest dual "
        f"value of all runs of the grid on the problem. {best if many else ''}"
    ).strip()


def suits(specs: list[Spec]) -> bool:
    """Whether there are enough problems for shares, and not only because of several C."""
    found = [problem for problem, _ in problems(specs)]
    return len(found) >= FEWEST and len({problem._replace(C=0.0) for problem in found}) > 1


def draw_profiles(specs: list[Spec], runs: Runs) -> Drawn:
    """A panel for each tolerance."""
    names = labels(specs)
    look = looks(names)
    figure, panels = style.panels(1, len(LEVELS), height=3.1, width=crowds.width([*look]))
    groups = problems(specs)
    seconds = {level: seconds_by_problem(groups, names, level, runs) for level in LEVELS}
    for axes, level in zip(panels[0], LEVELS, strict=True):
        lines = {}
        ratios = {name: _ratios(seconds[level], name) for name in look}
        finite = [r for values in ratios.values() for r in values if np.isfinite(r)]
        right = max(2.0, 1.15 * max(finite, default=1.0))
        for name, values in ratios.items():
            xs = np.sort([r for r in values if np.isfinite(r)])
            count = max(1, len(seconds[level]))
            shares = np.arange(1, len(xs) + 1) / count
            xs = np.concatenate([[1], xs, [right]])
            shares = np.concatenate([[0], shares, [len(shares) / count]])
            lines[name] = plotted.line(axes, xs, shares, drawstyle="steps-post", label=name, **look[name])
        axes.set_xlim(1, right)
        style.log_ticks(axes.xaxis)
        if right < TICKS[-1]:
            axes.set_xticks([tick for tick in TICKS if tick <= right])
        axes.set_ylim(-0.03, 1.05)
        if not finite:
            axes.text(0.5, 0.5, "no run comes so near", transform=axes.transAxes, ha="center", color="#777777")
        axes.set(
            title=f"within {100 * level:g} % of the optimum",
            xlabel=f"times the {clock_word(specs)} seconds of the fastest",
            ylabel="fraction of problems",
        )
        crowds.label_best(axes, lines, crowds.by_area, own=crowds.own(names))
    return figure


def seconds_by_problem(
    groups: list[Group], names: dict[Spec, str], level: float, runs: Runs
) -> list[dict[str, float]]:
    """For each problem and seed, the seconds in which each algorithm solves it; maybe infinite.

    Where nothing is drawn at random, an algorithm has one seed, which then stands for all. A problem with a run of
    another machine than the others is left out.
    """
    column, found = clock(names), []
    for _, members in groups:
        by_name = speed.seconds_to(members, names, level, runs, column)
        for seed in sorted({spec.seed for spec in members}):
            of_seed = {
                name: seconds.get(seed, next(iter(seconds.values())) if len(seconds) == 1 else np.inf)
                for name, seconds in by_name.items()
            }
            if not np.isnan([*of_seed.values()]).any():
                found.append(of_seed)
    return found


def _ratios(seconds: list[dict[str, float]], name: str) -> list[float]:
    """Seconds divided by the fastest method's, one a problem; infinity if the problem is not solved."""
    pairs = ((problem.get(name, np.inf), min(problem.values(), default=np.inf)) for problem in seconds)
    return [own / fastest if np.isfinite(own) and fastest > 0 else np.inf for own, fastest in pairs]
