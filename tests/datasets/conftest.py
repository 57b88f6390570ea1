"""What the tests of data sets share."""

import os
from pathlib import Path

import pytest

import datasets
from datasets import conll2000
from datasets.base.archives import ArchiveError
from datasets.base.fetch import status
from datasets.base.sources import Mirror, SourceError

# The registries that installing needs give the other files, but a corpus only a mirror or the web.
CORPUS_FIXTURE = "conll2000_corpus"
LEFT_OUT = pytest.StashKey[int]()


def _at_hand() -> bool:
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
    """Without the corpus, deselect the tests of it."""
    on_corpus = [item for item in items if CORPUS_FIXTURE in getattr(item, "fixturenames", ())]
    if on_corpus and not _at_hand():
        config.stash[LEFT_OUT] = len(on_corpus)
        config.hook.pytest_deselected(items=on_corpus)
        items[:] = [item for item in items if item not in on_corpus]


def pytest_report_collectionfinish(config):
    """Say so."""
    if count := config.stash.get(LEFT_OUT, 0):
        return f"{conll2000.CORPUS.name} is in neither cache nor STRUCTBENCH_MIRROR: tests of it left out, {count}"
    return []


@pytest.fixture(scope="session")
def conll2000_corpus():
    """The problem of the whole corpus."""
    return datasets.build("conll2000")


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """An empty cache, no mirror, and package indexes that do not exist."""
    monkeypatch.setenv("STRUCTBENCH_DATA", str(tmp_path / "cache"))
    monkeypatch.delenv("STRUCTBENCH_MIRROR", raising=False)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "file:///nonexistent")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    return tmp_path


@pytest.fixture
def written(tmp_path):
    """``written(data, name)`` writes bytes or text to a file and returns its path, as text."""

    def write(data, name="data"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return str(path)

    return write
