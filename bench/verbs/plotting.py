"""``plot``: one figure of the runs that a user names."""

import argparse
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import hosts, state
from structbench.bench.verbs.saying import say


def do_plot(given: argparse.Namespace) -> int:
    from matplotlib.figure import Figure

    from structbench.bench.drawing import draw, plot, style

    out = Path(given.out)
    kind = out.suffix.removeprefix(".")
    if kind not in draw.UNDATED:
        raise UserError(f"--out {out}: a figure's name ends in .{', .'.join(draw.UNDATED)}")
    runs = [hosts.find(name) for name in given.runs]
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
