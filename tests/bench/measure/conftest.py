"""Each test has a results folder of its own."""

import pytest

from structbench.bench.runs import results


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    return tmp_path / "results" / "runs"
