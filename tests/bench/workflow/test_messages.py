"""What of Snakemake's words reaches a user, and in which."""

import logging
import logging.handlers
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from structbench.bench.workflow import messages, screen
from structbench.bench.workflow.messages import Job
from tests.narrowing import UNUSED, fake
from tests.workflow.conftest import ROOT

QUIET = fake(verbose=False)


@pytest.fixture
def handler(monkeypatch):
    """The handler; ``said`` of it is what it says."""
    made: Any = messages.LogHandler(QUIET, None)
    made.said = []
    monkeypatch.setattr(messages, "RUNNING", {})
    monkeypatch.setattr(messages, "SCREEN", fake(say=made.said.append))
    yield made
    messages.SILENT.clear()


def tell(handler, message="", level=logging.INFO, **more):
    record = logging.makeLogRecord({"msg": message, "levelno": level, **more})
    handler.handle(record)


def test_warnings_and_errors_are_said_once_and_what_tells_a_user_nothing_is_not(handler):
    for message in ("Assuming unrestricted shared filesystem usage.", "host: here", "Building DAG of jobs..."):
        tell(handler, message)
    tell(handler, "Directory cannot be locked.", logging.ERROR)
    tell(handler, "Nothing to be done (all requested files are present and up to date).")
    tell(handler, "{'a'} not present when the DAG was created", logging.WARNING)
    tell(handler, "RuleException: Command 'set' returned non-zero exit status 1.", logging.ERROR)
    tell(handler, "Exiting because a job execution failed. Look above for error messages", logging.ERROR)
    assert handler.said == ["Directory cannot be locked.", "Nothing to be done: everything is there."]
    messages.SILENT.set()  # the user has ended it
    tell(handler, "Directory cannot be locked.", logging.ERROR)
    assert len(handler.said) == 2


def test_jobs_are_followed_and_one_that_fails_is_said_with_the_end_of_its_log(handler, tmp_path):
    log = tmp_path / "log"
    log.write_text("drew one\n" * 40 + "error: no space left\nput it elsewhere\n")
    for number, rule in ((1, "figures_grid_mine"), (2, "batch"), (3, "outcome")):
        told = {"output": [f"{rule}.json", "b"] if number < 3 else [], "rule_msg": {1: "drawing"}.get(number)}
        tell(handler, event=LogEvent.JOB_INFO, jobid=number, rule_name=rule, **told)
    assert dict(messages.RUNNING) == {
        1: Job("figures_grid_mine", "drawing", Path("figures_grid_mine.json")),
        2: Job("batch", "", Path("batch.json")),
        3: Job("outcome", "", Path()),
    }
    tell(handler, event=LogEvent.JOB_FINISHED, job_id=2)
    failed = {"level": logging.ERROR, "event": LogEvent.JOB_ERROR, "log": [str(log)]}
    tell(handler, "x", jobid=1, rule_name="figures_grid_mine", **failed)
    log.write_text("error: 2 runs are missing\n")
    tell(handler, "x", jobid=3, rule_name="outcome", **failed)
    assert not messages.RUNNING
    assert handler.said == [
        "FAILED: figures grid mine\nerror: no space left\nput it elsewhere",
        "error: 2 runs are missing",
    ]


def test_the_end_of_a_log_without_an_error_of_ours(tmp_path):
    log = tmp_path / "log"
    log.write_text("".join(f"line {k}\n" for k in range(100)))
    lines = messages.failure("report", [str(log), str(tmp_path / "none")]).splitlines()
    assert lines[:2] == ["FAILED: report", f"line {100 - messages.LAST}"] and lines[-1] == f"(the end of {log})"


def test_snakemake_finds_the_plugin_on_the_path(monkeypatch):
    """By the interface that its next version has, too."""
    monkeypatch.syspath_prepend(str(ROOT / "workflow" / "plugins"))
    registry = object.__new__(LoggerPluginRegistry)
    registry.collect_plugins()
    assert registry.plugins["structbench"].log_handler is messages.LogHandler


def test_without_the_plugin_the_handler_takes_the_place_of_snakemakes_own(monkeypatch, tmp_path):
    from snakemake.logging import logger

    file = logging.FileHandler(tmp_path / "log")
    monkeypatch.setattr(logger, "handlers", [logging.StreamHandler(), file])
    messages.attach(QUIET)
    assert [type(each) for each in logger.handlers] == [logging.FileHandler, messages.LogHandler]
    for settings, there in ((QUIET, logging.handlers.QueueHandler(UNUSED)), (fake(verbose=True), file)):
        monkeypatch.setattr(logger, "handlers", [there])
        messages.attach(settings)  # another plugin; or a user who wants to see everything
        assert logger.handlers == [there]
    file.close()


def test_make_calls_snakemake_as_the_profile_does():
    profile = yaml.safe_load((ROOT / "workflow" / "profiles" / "default" / "config.yaml").read_text())
    command = (ROOT / "Makefile").read_text()
    for key, value in profile.items():
        assert f"--{key}{'' if value is True else f' {value[0] if isinstance(value, list) else value}'}" in command


def test_where_there_is_no_terminal_the_line_is_printed_now_and_then(monkeypatch, capfd):
    now = [0.0]
    monkeypatch.setattr(screen.time, "monotonic", lambda: now[0])
    shown = screen.Screen()
    for second in range(100):
        now[0] = float(second)
        shown.show([f"line {second}", "and what runs"])
    shown.say("a [sentence] :smile:")
    shown.close()
    assert capfd.readouterr().err.splitlines() == [
        *(f"line {second}; and what runs" for second in (31, 62, 93)),
        "a [sentence] :smile:",
    ]
