"""A SLURM that is there already is left alone."""

import os

import pytest

from tests.cluster import slurm


@pytest.fixture
def configuration(tmp_path, monkeypatch):
    file = tmp_path / "slurm.conf"
    monkeypatch.setattr(slurm, "CONFIGURATION", file)
    return file


@pytest.mark.parametrize("text", ["ClusterName=theirs\n", "", f"{slurm.OURS} PROCESS\n"])
def test_a_configuration_that_is_there_is_never_overwritten(configuration, tmp_path, text):
    """Another's, an empty one, and that of a test which is running."""
    text = text.replace("PROCESS", str(os.getpid()))
    configuration.write_text(text)
    assert str(configuration) in slurm.missing()
    with pytest.raises(FileExistsError), slurm.running(tmp_path, 2):
        pass
    assert configuration.read_text() == text


def test_a_configuration_that_a_killed_test_left_is_replaced(configuration, monkeypatch):
    monkeypatch.setattr(slurm, "PROGRAMS", ())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    configuration.write_text(f"{slurm.OURS} {2**31 - 1}\n")
    assert slurm.missing() == ""


def test_where_slurm_is_missing_that_is_said(configuration, monkeypatch):
    monkeypatch.setattr(slurm, "PROGRAMS", ("slurmctld", "no-such-program"))
    assert "no-such-program" in slurm.missing() and "apt-get install slurmctld" in slurm.missing()
