"""``plot``: one figure of the runs that a user names."""

import argparse
from pathlib import Path

from structbench.bench.runs import hosts, state
from structbench.bench.verbs.saying import say


def do_plot(given: argparse.Namespace) -> int:
    from structbench.bench.drawing import plot

    runs = [hosts.find(name) for name in given.runs]
    found = {run.key: state.of_folder(run.folder) for run in runs}
    for key, each in found.items():
        if not each.is_finished:
            say(f"{key} is {each.state}: {each.reason}; it is drawn as it is")
    stale = sum(not each.is_finished for each in found.values())
    plot.write(given.y, given.x, runs, Path(given.out), stale)
    say(f"drew {given.out}")
    return 0
