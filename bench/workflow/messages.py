"""Tell a user in our words what Snakemake reports: a job that failed, a warning, nothing to do.

It is a logger plugin: ``snakemake --logger structbench``, as ``make run`` calls it. Without that option the
Snakefile puts it in the place of Snakemake's own handler. That handler has said a few lines by then. The log file
keeps everything.
"""

import logging
import threading
from logging.handlers import QueueHandler
from pathlib import Path
from typing import Any, NamedTuple

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from structbench.bench.workflow.screen import SCREEN

LAST = 25  # lines of a failed job's log that are shown
# What is there before its own job, as it should be: a data set that a run needed and built, and MLflow's database,
# which tracking begins to fill while figures are drawn.
EARLY = "not present when the DAG was created"
NOTHING = "Nothing to be done"  # how Snakemake says so, and we with more words
SAID_BY_THE_JOB = ("returned non-zero exit status", "At least one job did not complete", "a job execution failed")

SILENT = threading.Event()  # the user has ended the workflow: what jobs say of that is of no use


class Job(NamedTuple):
    """A job that runs: its rule, what it does, empty if the rule has no message, and its first output."""

    rule: str
    words: str
    output: Path


RUNNING: dict[int, Job] = {}  # by Snakemake's number


class LogHandler(LogHandlerBase):
    """Notes which jobs run, and says what a user needs to know."""

    writes_to_stream = has_filter = has_formatter = property(lambda self: True)
    writes_to_file = needs_rulegraph = property(lambda self: False)

    def emit(self, record: logging.LogRecord) -> None:
        """Note what a record says, and show it."""
        try:
            _note(record)
            if said := str(record.msg) if self.common_settings.verbose else sentence(record):
                SCREEN.say(said)
        except Exception:  # a fault of the display must not end the workflow
            self.handleError(record)


def _note(record: logging.LogRecord) -> None:
    """Keep ``RUNNING`` up to date."""
    told = record.__dict__
    match told.get("event"):
        case LogEvent.JOB_INFO:
            output = Path(next(iter(told["output"]), ""))
            RUNNING[told["jobid"]] = Job(told["rule_name"], told["rule_msg"] or "", output)
        case LogEvent.JOB_FINISHED | LogEvent.JOB_ERROR:
            RUNNING.pop(told["job_id"] if "job_id" in told else told["jobid"], None)


def sentence(record: logging.LogRecord) -> str:
    """What a record tells a user; empty if nothing."""
    told = record.__dict__
    if SILENT.is_set():
        return ""
    if told.get("event") == LogEvent.JOB_ERROR:
        return failure(told["rule_name"], told["log"])
    if told.get("event") == LogEvent.GROUP_ERROR:
        return "\n".join(failure(job["rule_name"], job["log"]) for job in told["job_error_info"])
    message = str(record.msg or "").strip()
    if message.startswith(NOTHING):
        return f"{NOTHING}: everything is there."
    if record.levelno < logging.WARNING or EARLY in message or any(each in message for each in SAID_BY_THE_JOB):
        return ""
    return message


def failure(rule: str, logs: list[str]) -> str:
    """That a job failed, with the end of its log. If the log has an error of ours, from that error on."""
    lines = [] if rule == "outcome" else [f"FAILED: {rule.replace('_', ' ')}"]
    for log in logs:
        try:
            text = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        first = next((at for at, line in enumerate(text) if line.startswith("error: ")), 0)
        lines += text[max(first, len(text) - LAST) :]
        if not first and len(text) > LAST:
            lines.append(f"(the end of {log})")
    return "\n".join(lines)


def attach(settings: Any) -> None:
    """Put the handler in place of Snakemake's own, unless a plugin writes to the terminal.

    Args:
        settings: Snakemake's of its output.
    """
    from snakemake.logging import logger

    if settings.verbose or any(isinstance(handler, QueueHandler) for handler in logger.handlers):
        return
    for handler in list(logger.handlers):
        if not isinstance(handler, logging.FileHandler):
            logger.removeHandler(handler)
    logger.addHandler(LogHandler(settings, None))
