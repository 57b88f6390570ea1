"""Results of two machines: ours, where what is tested keeps and finds them, and others to be merged."""

from pathlib import Path

import pytest

from structbench.bench.runs import results


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of all results, empty."""
    root = tmp_path / "ours"
    root.mkdir()
    monkeypatch.setenv(results.VARIABLE, str(root))
    return root


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """The runs of another checkout."""
    return tmp_path / "theirs" / "runs"
