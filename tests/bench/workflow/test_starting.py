"""What Snakemake would say badly is said in a sentence, and a command line is understood."""

import inspect
import os
import shlex
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.runs import results
from structbench.bench.verbs import jobs
from structbench.bench.verbs import starting as verb
from structbench.bench.verbs.command_line import parse_words
from structbench.bench.workflow import batches, config_files, starting


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "good.yaml").write_text("figures: [eg2008]\n")
    (tmp_path / "broken.yaml").write_text("figures: [eg2008\nscale: quick\n")
    (tmp_path / "train.txt").write_text("the D\ndog N\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        *((words, "") for words in ("", "-n --config figures=[eg2008]", "--configfile good.yaml --cores 2")),
        *((words, "") for words in ("--configfile=good.yaml -n", "--configfiles good.yaml good.yaml")),
        ("--configfile broken.yaml -n", "broken.yaml, line 2: not YAML: expected ',' or ']', but got ':'"),
        ("-n --configfile=broken.yaml", "broken.yaml, line 2: "),
        ("--configfile good.yaml broken.yaml", "broken.yaml, line 2: "),
        ("--configfile train.txt", "train.txt is no config: it has no keys with values; a config has figures"),
        ("--configfile nowhere.yaml", "cannot read the config nowhere.yaml"),
    ],
)
def test_a_config_that_snakemake_cannot_read_is_said_before_it_starts(folder, monkeypatch, words, sentence):
    called = []
    monkeypatch.setattr(os, "execv", lambda program, given: called.append(given))
    with pytest.raises(UserError) if sentence else nullcontext() as error:
        verb.do_start(parse_words(["start", "--", *words.split()]))
    assert [given[-len(words.split()) :] if words else [] for given in called] == (
        [] if sentence else [words.split()]
    )
    assert error is None or sentence in str(error.value)


def test_a_workflow_tells_commands_in_the_form_of_the_one_that_started_it(tmp_path, monkeypatch):
    called = []
    monkeypatch.setattr(os, "execv", lambda program, given: called.append(given))
    monkeypatch.setattr(sys, "orig_argv", [".venv/bin/python", "-m", "bench", "start"])
    verb.do_start(parse_words(["start", "--", "-n"]))
    tells = "import sys\nfrom structbench.algorithms.runtime.commands import as_called, command\n"
    (tmp_path / "snakemake.py").write_text(f"{tells}print(as_called(command('best')), sys.argv[1:])\n")
    told = subprocess.run(called[0], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert told == ".venv/bin/python -m bench best ['-n']\n"


def test_the_verb_that_went_says_what_to_do_now():
    with pytest.raises(UserError, match="no verb 'unlock' any more: call the same command again"):
        parse_words(["unlock"])


def test_a_folder_of_results_that_snakemake_takes_for_a_pattern_is_refused():
    starting.check_results(Path("a b, 100%/it's"))
    with pytest.raises(UserError, match=r"cannot make results in a/{x}: braces are Snakemake's"):
        starting.check_results(Path("a/{x}"))


@pytest.mark.parametrize(("age", "status", "refused"), [(199, "squeue", 1), (200, "squeue", 0), (2, "sacct", 0)])
def test_a_slurm_that_forgets_a_job_before_snakemake_looks_is_refused(folder, monkeypatch, age, status, refused):
    scontrol = folder / "scontrol"
    scontrol.write_text(f"#!/bin/sh\necho 'MessageTimeout = 10 sec\nMinJobAge               = {age} sec'\n")
    scontrol.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    (folder / "ours").mkdir()
    (folder / "ours" / "config.yaml").write_text(f"executor: slurm\nslurm-status-command: {status}\n")
    starting.check_slurm(["--cores", "2"])
    starting.check_slurm(["--profile", "somewhere-of-snakemake"])
    with pytest.raises(UserError, match="after 199 s") if refused else nullcontext():
        starting.check_slurm(["--profile", "ours"])


def test_what_a_command_line_asks_for_is_known(monkeypatch):
    looks = (
        "--lint",
        "-S",
        "--summary",
        "--report",
        "--report=a.zip",
        "--unlock",
        "--list-rules",
        "--dag",
        "--d3dag",
    )
    assert all(map(starting.LOOK.fullmatch, looks))
    makes = ("-F", "-pF", "--report-after-run", "--latency-wait", "results/quick/report", "-call")
    assert not any(map(starting.LOOK.fullmatch, (*makes, "--cores", "2")))
    for name in ("PATH", "PYTHONPATH", batches.AGAIN_VARIABLE):
        monkeypatch.setenv(name, "")
    for words, again in ((["-f", "--cores"], False), (["-n", "results/F"], False), (["-pF"], True)):
        starting.prepare_jobs(words)
        assert batches.is_again() == again
    assert os.environ["PYTHONPATH"] == str(ROOT)


def test_snakemake_looks_for_jobs_only_when_one_ends():
    """Its limit on jobs a second, which it always has, makes it look for ever more often."""
    assert "workflow.scheduler.job_rate_limiter = None" in (ROOT / "Snakefile").read_text()
    # an upgrade that names it otherwise is noticed
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler.job_selector)
    assert "self.job_rate_limiter is not None" in inspect.getsource(JobScheduler.schedule)


def test_a_mistake_ends_a_workflow_with_one_sentence(capsys):
    with pytest.raises(SystemExit) as end, starting.sentences():
        raise UserError("there is no such thing")
    assert end.value.code == 2 and capsys.readouterr().err == "error: there is no such thing\n"


def test_make_starts_snakemake_by_our_verb_with_the_options_of_the_profile():
    text = (ROOT / "Makefile").read_text()
    assert text.count("@$(SNAKEMAKE) ") == 4 and "-m snakemake" not in text and "-m bench start -- " in text
    profile = (ROOT / "workflow" / "profiles" / "default" / "config.yaml").read_text()
    assert "rerun-triggers: mtime" in profile and "--rerun-triggers mtime" in text


@pytest.mark.parametrize(
    "word", ["CONFIG=config/mine.yaml", "ARGS=config/mine.yaml", "config/mine.yaml", "CONFIG=it's my/mine.yaml"]
)
def test_make_run_takes_a_config(word):
    said = subprocess.run(
        ["make", "-n", "-o", ".venv/.ready", "run", word], cwd=ROOT, capture_output=True, text=True
    )
    given = shlex.split(said.stdout)
    assert (
        given[given.index("--configfile") + 1] == word.rpartition("=")[2] and said.stdout.count("mine.yaml") == 1
    )


@pytest.mark.parametrize(
    "words",
    [
        "demo a.yaml",
        "a.yaml",
        "run a.yaml b.yml",
        "run a.yaml CONFIG=b.yaml",
        "paper a.yaml",
        "demo CONFIG=a.yaml",
        "lint bench CONFIG=a.yaml",
    ],
)
def test_another_command_takes_no_config(words):
    command = ["make", "-n", "-o", ".venv/.ready", *words.split()]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert said.returncode == 2 and "say: make run CONFIG=a.yaml" in said.stderr and not said.stdout
    assert "make lint has" not in said.stderr


@pytest.mark.parametrize(
    ("config", "makes"),
    [
        ("demo", "make demo"),
        ("config/quick.yaml", "make run"),
        ("config/tiny.yaml", "make run CONFIG=config/tiny.yaml"),
    ],
)
def test_the_command_that_makes_a_config(config, makes, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert config_files.make_command(config) == makes


def test_a_config_is_found_by_its_name(folder, monkeypatch):
    called = []
    monkeypatch.setattr(os, "execv", lambda program, given: called.append(given))
    verb.do_start(parse_words(["start", "--", "--configfile", "demo", "--cores", "2"]))
    assert called[0][-4:] == ["--configfile", config_files.config_file("demo"), "--cores", "2"]
    assert called[0][-3].endswith("config/demo.yaml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["paper", "PAPER=eg2004", "ARGS=--config mirror=/data"], "say: ARGS='mirror=FOLDER', without --config"),
        (["paper", "FRESH=1", "ARGS=-n --configfile a.yaml"], "PAPER and FRESH are options of --config"),
        (["run", "CONFIG=a.yaml", "FRESH=1"], "PAPER and FRESH are of make paper"),
        (["demo", "PAPER=eg2008"], "PAPER and FRESH are of make paper"),
        (["paper", "PAPER=eg2008", "FRESH=0"], "FRESH must be 1, or not be given; it is 0"),
        (["run", "CONFIG=a.yaml", "ARGS=b.yaml"], "there are two configs, a.yaml and one in ARGS: name one"),
        (["run", "CONFIG=a.yaml", "ARGS=--configfile=b.yaml"], "there are two configs"),
    ],
)
def test_what_snakemake_would_drop_is_refused(words, said):
    command = ["make", "-n", "-o", ".venv/.ready", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr


def test_results_in_the_home_folder_are_found_by_all_commands():
    command = ["make", "-n", "-o", ".venv/.ready", "ui", "RESULTS=~/my results"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"HOME": "/home/me"})
    assert 'test -f "/home/me/my results/mlflow.db"' in done.stdout


@pytest.mark.parametrize("words", ["--cores 0", "--cores=0 -n", "-c0", "--cores 2 --config a=1 -c 0"])
def test_without_cores_nothing_is_begun(words):
    starting.check_cores([*words.split(), "--cores", "2"])
    with pytest.raises(UserError, match=r"^CORES must be 1 or more, not 0 "):
        starting.check_cores(words.split())


@pytest.mark.parametrize(("words", "named"), [(["RESULTS=my results"], " my results"), ([], "")])
def test_make_says_whether_its_call_named_the_results(words, named):
    """What the user's environment names need not be said again in the commands that are printed."""
    command = ["make", "-n", "-p", "-o", ".venv/.ready", "run", *words]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    assert f"run: {results.NAMED} :={named}" in map(str.strip, told)


def test_a_home_folder_that_cannot_be_written_is_no_hindrance(folder, monkeypatch, ours):
    monkeypatch.setattr(os, "execv", lambda program, given: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    verb.do_start(parse_words(["start", "--", "-n"]))
    assert os.environ["XDG_CACHE_HOME"] == str(folder / "cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "train.txt"))  # a file: no folder can be made there
    verb.do_start(parse_words(["start", "--", "-n"]))
    assert os.environ["XDG_CACHE_HOME"] == str(ours / "logs" / "cache")


def test_a_port_that_is_taken_is_said_before_addresses(ours):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(
            UserError, match=rf"cannot listen at 127.0.0.1:{port} .*take another port, as in `make ui PORT=5001`"
        ):
            jobs.do_addresses(parse_words(["addresses", f"http://127.0.0.1:{port}", "--start"]))
    for wrong in ("abc", "70000"):
        with pytest.raises(
            UserError, match=f"PORT must be a whole number from 1 to 65535: 127.0.0.1:{wrong} has none"
        ):
            jobs.do_addresses(parse_words(["addresses", f"http://127.0.0.1:{wrong}", "--start"]))
