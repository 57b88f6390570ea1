"""What the tests of data sets share."""

import sys
from collections import namedtuple
from functools import partial
from importlib import import_module
from types import SimpleNamespace

import pytest

from structbench.datasets import text
from tests.datasets.packed import zipped


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


@pytest.fixture
def load_zipped(tmp_path):
    """``load_zipped(data_set, members, **options)``: the problem that a module loads from an archive of these."""

    def load(data_set, members, **options):
        return data_set.load(lambda file: zipped(tmp_path / file.name, members), **options)

    return load


# What structures of trees are built from, and what features of arcs are taken from; test splits have no heads.
Tree = namedtuple("Tree", "id arcs lengths heads learned single_root")
Arcs = namedtuple("Arcs", "sentences heads templates")


@pytest.fixture
def kept_trees(monkeypatch):
    """Structures of trees, and features of arcs, that keep what they are made from."""

    def extract(train, train_heads, test, templates):
        return Arcs(train, train_heads, templates), Arcs(test, None, templates), {}

    made = {"structbench.datasets.text.arc_features": SimpleNamespace(extract=extract)}
    for name, module in (("dependency", "dependency.model"), ("nonprojective", "nonprojective.model")):
        import_module(f"structbench.algorithms.structures.{name}")  # it imports the model itself
        made[f"structbench.algorithms.structures.{module}"] = SimpleNamespace(build=partial(Tree, name))
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(text, "arc_features", made["structbench.datasets.text.arc_features"], raising=False)
