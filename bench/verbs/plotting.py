"""``plot``: one figure of the runs that a user names."""

import argparse
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import hosts, state
from structbench.bench.verbs.saying import say
from structbench.bench.verbs.verb import A_RUN, argument, verb


@verb(
    argument("runs", nargs="+", metavar="RUN", help=A_RUN),
    argument("--y", required=True, choices=["gap", "error", "objective", "suboptimality"], help="what"),
    argument("--x", default="passes", choices=["passes", "seconds"], help="against what (default: passes)"),
    argument("--out", required=True, metavar="FILE", help="the file, which ends in .png, .svg or .pdf"),
    examples=(
        "plot mnist__log__C=10__eg mnist__log__C=10__lbfgs --y gap --x passes --out a.svg",
        "plot results/runs/mine results/runs/other --y error --x seconds --out errors.png",
    ),
)
def do_plot(given: argparse.Namespace) -> int:
    """Draw the gap, error, objective or suboptimality of runs to a file."""
    from matplotlib.figure import Figure

    from structbench.bench.drawing import draw, plot, style

    out = Path(given.out)
    kind = out.suffix.removeprefix(".")
    if kind not in draw.UNDATED:
        raise UserError(f"--out {out}: a figure's name ends in .{', .'.join(draw.UNDATED)}")
    runs = [hosts.find_run(name) for name in given.runs]
    stale = 0
    for run in runs:
        found = state.of_folder(run.folder)
        if not found.is_finished:
            say(f"{run.key} is {found.state}: {found.reason}; it is drawn as it is")
            stale += 1
    with style.context():
        figure = Figure(figsize=plot.SIZE, layout="constrained")
        getattr(plot, given.y)(runs, given.x, figure.subplots())
        if stale:
            style.mark(figure, draw.stale_runs(stale))
        content = draw.rendered(figure, kind, is_marked=stale > 0)
    try:
        write_atomically(out, content)
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror}") from error
    say(f"drew {out}")
    return 0
