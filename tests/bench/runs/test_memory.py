"""Peak memory: of a process that makes one run and nothing else."""

from pathlib import Path

import numpy as np
import pytest

from algorithms.runtime.errors import Fault
from bench.runs import memory
from bench.runs.spec import make

pytestmark = pytest.mark.skipif(not memory.STATUS.exists(), reason="the system does not tell")


def test_a_run_is_measured_in_a_process_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train.svm").write_text("0 1:1\n1 2:1\n" * 5)
    held = np.ones(2**27)  # a gigabyte that this process has, and the other has not
    assert memory.peak() > held.nbytes
    spec = make("svmlight:train.svm", "log", 1.0, "sgd", {"eta0": 0.1}, passes=1.0)
    assert 2**25 < memory.of_run(spec) < held.nbytes


def test_a_process_that_fails_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Fault, match=r"measures the memory of sgd failed: UserError: cannot read 'none.svm'"):
        memory.of_run(make("svmlight:none.svm", "log", 1.0, "sgd"))


def test_nothing_is_measured_where_the_system_does_not_tell(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "STATUS", tmp_path / "none")
    assert memory.of_run(make("svmlight:none.svm", "log", 1.0, "sgd")) is None
