"""``start`` and ``unlock``: what comes before Snakemake, which says less of what is wrong and starts slowly."""

import argparse
import os
import sys

from structbench.bench.workflow import unchanged


def do_start(given: argparse.Namespace) -> int:
    """Say that nothing is to be done, or become Snakemake."""
    if unchanged.is_so(given.words):
        print(unchanged.NOTHING, flush=True)
        return 0
    do_unlock(given)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *given.words])


def do_unlock(given: argparse.Namespace) -> int:
    """Refuse what Snakemake cannot do, and take away the lock of a workflow that was killed."""
    from structbench.bench.workflow import lock, starting

    starting.check(given.words)
    if lock.clear():
        print("the workflow before was killed: it goes on from there", file=sys.stderr, flush=True)
    return 0
