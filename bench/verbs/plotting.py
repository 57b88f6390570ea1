"""``plot``: one figure of the runs that a user names."""

import argparse

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import state
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import say, say_disturbed
from structbench.bench.verbs.verb import A_RUN, PUBLISHED, argument, verb


@verb(
    argument("runs", nargs="+", metavar="RUN", help=A_RUN),
    argument(
        "--y",
        default="distance",
        choices=["gap", "error", "objective", "distance", "suboptimality"],
        help="what (default: distance, to the optimum; suboptimality is another word for it)",
    ),
    argument("--x", default="passes", choices=["passes", "seconds"], help="against what (default: passes)"),
    PUBLISHED,
    argument("--out", required=True, metavar="FILE", help="the file, which ends in .png, .svg or .pdf"),
    examples=(
        "plot mnist__log__C=10__eg mnist__log__C=10__lbfgs --y gap --x passes --out a.svg",
        "plot mnist__log__C=10__eg --published eg2008 --y distance --out beside.png",
        "plot results/runs/mine results/runs/other --y error --x seconds --out errors.png",
    ),
)
def do_plot(given: argparse.Namespace) -> int:
    """Draw the gap, error, objective or distance to the optimum of runs to a file."""
    from matplotlib.figure import Figure

    from structbench.bench.drawing import draw, style
    from structbench.bench.report import plot, published_runs

    out = named.file_out(given.out)
    kind = out.suffix.removeprefix(".")
    if kind not in draw.UNDATED:
        raise UserError(f"--out {out}: a figure's name ends in .{', .'.join(draw.UNDATED)}")
    runs = named.runs_named(given.runs)
    stale = []
    for run in runs:
        state.spec_of(run)  # what today's programs do not know cannot be drawn: it says so
        found = state.of_folder(run.folder)
        if not found.is_finished:
            stale.append(f"{run.key} is {found.state}: {found.reason}; it is drawn as it is")
    x = given.x
    published: list[plot.Published] = []
    if given.published:
        beside = published_runs.published_beside(runs, given.published)
        published += [(run.paper, run) for run in beside.runs if run.has_curve]
        if x == "seconds" and beside.of_other_cpus:
            x = "passes"
        say(*beside.said)
    with style.context():
        figure = Figure(figsize=plot.SIZE, layout="constrained")
        y = "distance" if given.y == "suboptimality" else given.y
        if published:
            left_out = plot.draw_panels(figure, y, runs, x, published)
        else:
            _, left_out = plot.drawn_beside(y, runs, x, figure.subplots())
        say(*stale, *left_out)
        if x == "seconds":
            say_disturbed([*runs, *(run for _, run in published)])
        if stale:
            style.mark(figure, draw.stale_runs(len(stale)))
        content = draw.rendered(figure, kind, is_marked=bool(stale))
    with write_or_explain(out):
        write_atomically(out, content)
    say(f"drew {out}")
    return 0
