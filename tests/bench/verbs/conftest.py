"""``python -m bench`` on made-up runs of two small grids."""

from pathlib import Path

import pytest

from structbench.bench.__main__ import main
from structbench.bench.runs import results
from tests.bench import fake_runs

MINE = """
scale: tiny
figures: []
grids:
  - {name: mine, data: [mnist], C: [1, 10], algorithms: {eg: {}, lbfgs: {}}, passes: 60, figures: [error-passes]}
  - {name: letters, data: [ocr], C: [10], algorithms: {eg: {}}, passes: 60, figures: [error-passes]}
"""


@pytest.fixture
def bench(tmp_path, monkeypatch, capfd):
    """``python -m bench`` in a folder with the config ``mine``: exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(results.VARIABLE, "results")
    Path("config").mkdir()
    Path("config/mine.yaml").write_text(MINE)

    def run(*words: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main([*words])
        said = capfd.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def made():
    """Makes runs up, given data, C and algorithm of each."""

    def make(*wanted: tuple[str, float, str]) -> None:
        for data, C, algorithm in wanted:
            fake_runs.write(results.runs(), data=data, C=C, algorithm=algorithm)

    return make
