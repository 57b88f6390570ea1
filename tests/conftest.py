"""What all tests share."""

import os
import re
import signal
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from structbench.bench.runs import catalogue, results
from structbench.datasets import conll2000
from structbench.datasets.fetching.archives import ArchiveError
from structbench.datasets.fetching.download import File, size
from structbench.datasets.fetching.mirror import Mirror
from structbench.datasets.fetching.sources import SourceError

ROOT = Path(__file__).resolve().parents[1]
# One folder of kernels for all tests and the processes that they start, in copies of the project, too.
os.environ.setdefault("STRUCTBENCH_KERNELS", str(ROOT / "results" / "kernels"))
os.environ.setdefault("STRUCTBENCH_DATA", str(ROOT / "results" / "data"))
# What was made in the checkout, as by `make demo`, is not for the tests.
_results = tempfile.TemporaryDirectory(prefix="structbench-results-")
os.environ["STRUCTBENCH_RESULTS"] = _results.name
# A make that a test starts is not part of the `make test` that runs it: it would take its options.
for _name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MAKEFILES"):
    os.environ.pop(_name, None)

LEFT_OUT = pytest.StashKey[dict[str, int]]()
OF_STRUCTURES = ("/test_interface.py", "/test_cliques.py")  # they compile the structures' operations
OF_ALGORITHMS = ("/test_runs.py", "/test_warm_up.py")


def _lacks(item: pytest.Item) -> File | None:
    """A file that a test needs and that is not at hand: CoNLL-2000, or one that its marker names."""
    marker = item.get_closest_marker("corpus")
    needed = (marker.args or (conll2000.CORPUS,)) if marker else ()
    return next((file for file in needed if not _at_hand(file)), None)


@cache
def _at_hand(corpus: File) -> bool:
    """Whether it needs no download."""
    if size(corpus) is not None:
        return True
    folder = os.environ.get("STRUCTBENCH_MIRROR")
    if not folder:
        return False
    try:
        with Mirror(Path(folder), corpus.name, corpus.sources).open():
            return True
    except (SourceError, ArchiveError, OSError):
        return False


@pytest.fixture(autouse=True)
def _signals():
    """The command line, tried within a test, takes SIGTERM and dropped exceptions for itself."""
    before = signal.getsignal(signal.SIGTERM), sys.unraisablehook
    yield
    results.use(None, of_call=True)  # of ``main`` with --results
    signal.signal(signal.SIGTERM, before[0])
    sys.unraisablehook = before[1]


def _turn(item: pytest.Item) -> int:
    if item.get_closest_marker("slow"):
        return 0
    return 1 if str(item.path).endswith(OF_STRUCTURES) else 2


def pytest_collection_modifyitems(config, items):
    """Deselect tests of a corpus that is not there: no test downloads one.

    Where several processes share the tests, those that take long begin, so that none of them is alone at the end.
    Then come those that compile what most others need: two processes that need it at once wait for each other.
    """
    lacking = {item: file for item in items if (file := _lacks(item))}
    if lacking:
        config.stash[LEFT_OUT] = Counter(file.name for file in lacking.values())
        config.hook.pytest_deselected(items=[*lacking])
        items[:] = [item for item in items if item not in lacking]
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)


@cache
def group(test: str) -> str:
    """What goes to one process: a file, which makes its fixtures once.

    Of a file that tries all structures or all algorithms, it is the tests of one of them: the process compiles its
    kernels, and no other waits for them.
    """
    file, _, name = test.partition("::")
    tried = ()
    if file.endswith(OF_STRUCTURES):
        tried = catalogue.structures()
    elif file.endswith(OF_ALGORITHMS):
        tried = catalogue.algorithms()
    found = (each for each in tried if re.search(rf"(?<![a-z0-9]){each}(?![a-z0-9])", name))
    return max(found, key=len, default=file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """How several processes share the tests. xdist's own groups do nothing with this pytest."""
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group(nodeid)

    return Groups(config, log)


def pytest_sessionfinish(session):
    """Of several processes, each tells the first."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash.get(LEFT_OUT, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """All of them left out the same tests."""
    node.config.stash[LEFT_OUT] = node.config.stash.get(LEFT_OUT, {}) | getattr(node, "workeroutput", {}).get(
        "left_out", {}
    )


def pytest_terminal_summary(terminalreporter, config):
    """Say what was left out."""
    for name, count in config.stash.get(LEFT_OUT, {}).items():
        terminalreporter.write_line(
            f"{name} is in neither cache nor STRUCTBENCH_MIRROR: {count} tests of it left out"
        )
