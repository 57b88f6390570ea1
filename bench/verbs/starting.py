"""``start`` and ``unlock``: what comes before Snakemake, which says less of what is wrong and starts slowly."""

import argparse
import os
import sys

from structbench.bench.workflow import unchanged

# A Ctrl-C while Snakemake is imported ends it without Python's traceback; its own handling comes later.
SNAKEMAKE = """
import runpy, signal, sys
del sys.argv[0]
signal.signal(signal.SIGINT, signal.SIG_DFL)
runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
"""


def do_start(given: argparse.Namespace) -> int:
    """Say that nothing is to be done, or become Snakemake."""
    if unchanged.is_so(given.words):
        print(unchanged.NOTHING, flush=True)
        return 0
    do_unlock(given)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-c", SNAKEMAKE, "snakemake", *given.words])


def do_unlock(given: argparse.Namespace) -> int:
    """Refuse what Snakemake cannot do, and take away the lock of a workflow that was killed."""
    from structbench.bench.workflow import lock, starting

    starting.check(given.words)
    if lock.clear():
        print("the workflow before was killed: it goes on from there", file=sys.stderr, flush=True)
    return 0
