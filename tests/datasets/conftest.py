"""What the tests of data sets share."""

import pytest


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
