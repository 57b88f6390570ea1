"""What Snakemake would say badly is said before it starts, and what a config does wrong in one sentence."""

import inspect
import os
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.workflow import batches, starting


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.yaml").write_text("figures: [eg2008]\n")
    (tmp_path / "broken.yaml").write_text("figures: [eg2008\nscale: quick\n")
    for name in ("slurm-nowhere", "local"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text(f"executor: {name}\njobs: 100\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        *((words, "") for words in ("", "-n --config figures=[eg2008]", "--configfile good.yaml --cores 2")),
        *((words, "") for words in ("--configfile=good.yaml -n", "--configfiles good.yaml good.yaml")),
        *(
            (words, "")
            for words in ("--profile local", "--profile somewhere-of-snakemake", "--executor local -j 2")
        ),
        ("--configfile broken.yaml -n", "broken.yaml, line 2: not YAML: expected ',' or ']', but got ':'"),
        ("-n --configfile=broken.yaml", "broken.yaml, line 2: "),
        ("--configfile good.yaml broken.yaml", "broken.yaml, line 2: "),
        ("--configfile nowhere.yaml", "cannot read the config nowhere.yaml"),
        ("--profile slurm-nowhere", "needs the package snakemake-executor-plugin-slurm-nowhere"),
        ("--executor slurm-nowhere", "which is not installed: see docs/how-to/clusters.md"),
    ],
)
def test_what_snakemake_cannot_do_is_said_and_all_else_left_to_it(folder, words, sentence):
    if not sentence:
        return starting.check(words.split())
    with pytest.raises(UserError) as error:
        starting.check(words.split())
    assert sentence in str(error.value)


@pytest.mark.parametrize(("age", "status", "refused"), [(199, "squeue", 1), (200, "squeue", 0), (2, "sacct", 0)])
def test_a_slurm_that_forgets_a_job_before_snakemake_looks_is_refused(folder, monkeypatch, age, status, refused):
    scontrol = folder / "scontrol"
    scontrol.write_text(f"#!/bin/sh\necho 'MessageTimeout = 10 sec\nMinJobAge               = {age} sec'\n")
    scontrol.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    (folder / "local" / "config.yaml").write_text(f"executor: local\nslurm-status-command: {status}\n")
    with pytest.raises(UserError, match="after 199 s") if refused else nullcontext():
        starting.check(["--profile", "local"])


def test_dry_and_forced_runs_are_known_by_their_command_line(monkeypatch):
    assert all(map(starting.is_dry, (["-n"], ["a", "-np"], ["-Fn"], ["--dry-run"], ["--dryrun"])))
    assert not any(map(starting.is_dry, ([], ["--cores", "2"], ["--nolock"], ["-pF"], ["results/n"])))
    for name in ("PATH", "PYTHONPATH", batches.AGAIN):
        monkeypatch.setenv(name, "")
    for words, again in ((["-f", "--cores"], False), (["-pF"], True)):
        starting.prepare_jobs(words)
        assert batches.is_again() == again
    assert os.environ["PYTHONPATH"] == str(ROOT)


def test_snakemake_looks_for_jobs_only_when_one_ends():
    """Its limit on jobs a second, which it always has, makes it look for ever more often."""
    made = SimpleNamespace(job_rate_limiter=object())
    starting.unlimit_job_rate(made)
    assert made.job_rate_limiter is None
    # an upgrade that names it otherwise is noticed
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler.job_selector)
    assert "self.job_rate_limiter is not None" in inspect.getsource(JobScheduler.schedule)


def test_a_mistake_ends_a_workflow_with_one_sentence(capsys):
    with pytest.raises(SystemExit) as end, starting.sentences():
        raise UserError("there is no such thing")
    assert end.value.code == 2 and capsys.readouterr().err == "error: there is no such thing\n"


def test_make_looks_at_what_it_gives_to_snakemake():
    text = (ROOT / "Makefile").read_text()
    assert text.count("@$(SNAKEMAKE) ") == 4 and "-m snakemake" not in text and "-m bench start -- " in text
