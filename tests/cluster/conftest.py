"""A SLURM cluster for all tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import slurm
from tests.narrowing import not_none
from tests.workflow.conftest import checkout

__all__ = ["checkout", "cluster"]

NODES = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nodes", type=int, default=NODES, help="of the SLURM cluster; at least 2")


@pytest.fixture
def cluster(tmp_path: Path, pytestconfig: pytest.Config) -> Iterator[slurm.Slurm]:
    """``--nodes`` nodes, until the test ends."""
    if why := slurm.missing():
        pytest.skip(why)
    folder = tmp_path / "slurm"
    folder.mkdir(mode=0o755)
    with slurm.running(folder, not_none(pytestconfig.getoption("--nodes", NODES))) as running:
        yield running
