"""What the tests of data sets share."""

import pytest

import datasets
from datasets.base.errors import UserError
from datasets.base.fetch import Fetcher


@pytest.fixture(scope="session")
def real():
    """``real(text)`` is the problem of a data set; the test is skipped where its files cannot be had."""
    built = {}

    def build(text):
        name = text.partition(":")[0]
        if text not in built:
            try:
                with Fetcher() as files:
                    for file in datasets.module(name).SOURCES:
                        files(file)
            except UserError as error:
                pytest.skip(str(error))
            built[text] = datasets.build(text)
        return built[text]

    return build


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
