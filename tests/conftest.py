"""What all tests share."""

import os
from pathlib import Path

import pytest

from datasets import conll2000
from datasets.base.archives import ArchiveError
from datasets.base.fetch import status
from datasets.base.sources import Mirror, SourceError

LEFT_OUT = pytest.StashKey[int]()


def _at_hand() -> bool:
    """Whether the CoNLL-2000 corpus needs no download."""
    if status(conll2000.CORPUS) == "cached":
        return True
    folder = os.environ.get("STRUCTBENCH_MIRROR")
    if not folder:
        return False
    try:
        with Mirror(Path(folder), conll2000.CORPUS.name, conll2000.CORPUS.sources).open():
            return True
    except (SourceError, ArchiveError, OSError):
        return False


def pytest_collection_modifyitems(config, items):
    """Without the corpus, deselect the tests of it: package registries, which installing needs, do not have it."""
    on_corpus = [item for item in items if item.get_closest_marker("corpus")]
    if on_corpus and not _at_hand():
        config.stash[LEFT_OUT] = len(on_corpus)
        config.hook.pytest_deselected(items=on_corpus)
        items[:] = [item for item in items if item not in on_corpus]


def pytest_report_collectionfinish(config):
    """Say so."""
    if count := config.stash.get(LEFT_OUT, 0):
        return f"{conll2000.CORPUS.name} is in neither cache nor STRUCTBENCH_MIRROR: {count} tests of it left out"
    return []
