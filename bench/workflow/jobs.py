"""Snakemake's jobs as the display knows them: their names, which run now, and what they do, in words."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from structbench.bench.workflow.names import title

DRAWING = "figures_"  # how the rules begin that draw
WORDS = {
    "problem": "preparing {what}",
    "breakdown": "timing an update on {what}",
    "track_runs": "logging the runs to MLflow",
    "track": "logging to MLflow",
    "report": "writing the report",
}


@dataclass(frozen=True)
class Job:
    """A job: its rule, and the value of its wildcard, empty if it has none."""

    rule: str
    of: str = ""
    since: float = field(default_factory=time.time, compare=False)

    @property
    def name(self) -> str:
        return f"{self.rule} {self.of}".strip()


@dataclass
class Jobs:
    """The jobs that run, by Snakemake's number, and the names of those that are done, with their seconds."""

    running: dict[int, Job] = field(default_factory=dict)
    done: dict[str, float] = field(default_factory=dict)

    def begin(self, number: int, job: Job) -> None:
        self.running[number] = job

    def end(self, number: int) -> None:
        if job := self.running.pop(number, None):
            self.done[job.name] = time.time() - job.since


JOBS = Jobs()  # those of this process, which follows one workflow


def rule_of_figures(name: str) -> str:
    """The rule that draws the figures of a paper, or of ``grid-NAME``."""
    return DRAWING + name.replace("-", "_")


def drawn(files: Iterable[Path], since: float) -> int:
    """How many of these files were written since then."""
    return sum(1 for file in files if file.exists() and file.stat().st_mtime >= since)


def share_left(job: Job, figures: dict[str, list[Path]]) -> float:
    """The share of a job's figures that are not drawn yet; 1 for a job that draws none."""
    files = next((files for name, files in figures.items() if job.rule == rule_of_figures(name)), [])
    return 1 - drawn(files, job.since) / len(files) if files else 1.0


def words(job: Job, figures: dict[str, list[Path]]) -> str:
    """What a job does; empty for one that makes runs, which say more themselves.

    Args:
        figures: Paper, or ``grid-NAME`` -> the files of its figures.
    """
    for name, files in figures.items():
        if job.rule == rule_of_figures(name):
            now = min(drawn(files, job.since) + 1, len(files))
            return f"drawing {title(name)}, figure {now} of {len(files)}"
    what = unquote(job.of).partition(":")[0]
    return WORDS.get(job.rule, "").format(what=what)
