"""A SLURM cluster for all tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import slurm
from tests.workflow.conftest import checkout

__all__ = ["checkout", "cluster"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[slurm.Slurm]:
    """Two nodes, until the test ends."""
    if why := slurm.missing():
        pytest.skip(why)
    folder = tmp_path / "slurm"
    folder.mkdir(mode=0o755)
    with slurm.running(folder) as running:
        yield running
