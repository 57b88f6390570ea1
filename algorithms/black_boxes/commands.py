"""Run a command that learns from a file and writes labels or weights to another."""

import math
import os
import resource
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from structbench.algorithms.black_boxes import exchange
from structbench.algorithms.black_boxes.box import FILES, Box, Given, Seconds, at, filled
from structbench.algorithms.runtime.errors import Fault, UserError

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Command:
    """A command at work in a folder. ``how``: what a point of its curve is, a key of ``CURVES``."""

    def __init__(self, box: Box, problem: Any, split: Any, values: Given, folder: str) -> None:
        """Write the files that it reads."""
        self.box, self.problem, self.split, self.folder, self.how = box, problem, split, folder, box.points
        if not box.has_weights and problem.test is None:
            raise UserError(
                f"{box.name} gives only labels of a test split, which these data lack: give a test file"
            )
        self.files = {name: Path(folder, name) for name in FILES}
        self.values = values | {name: str(file) for name, file in self.files.items()}
        self.files["train"].write_text(exchange.split_text(box, problem, split, True), encoding="utf-8")
        if "test" in box.names:
            self.files["test"].write_text(exchange.split_text(box, problem, problem.test, False), encoding="utf-8")

    def run(self, budget: int, before: int) -> tuple[int, None, Seconds]:
        """Run it with a limit; the limit, no visits, and its seconds from start to end or as it writes them."""
        for name in ("labels", "weights", "seconds"):
            self.files[name].unlink(missing_ok=True)
        own = (str(self.box.file.parent / word) if word.startswith("./") else word for word in self.box.command)
        values = at(self.values, budget)
        seconds = _run(self.box, [str(filled(word, values)) for word in own], self.folder)
        return budget, None, _said(self.box, self.files["seconds"]) if "seconds" in self.box.names else seconds

    def found(self) -> np.ndarray:
        """The weights or labels that it wrote."""
        if self.box.has_weights:
            rows = (line.split("\t") for line in _lines(self.box, self.files["weights"]))
            return exchange.weights(self.box.name, rows, self.problem, self.split)
        given = [line.strip() for line in _lines(self.box, self.files["labels"]) if line.strip()]
        return exchange.numbers(self.box, "the command", given, self.problem)


def _run(box: Box, words: list[str], folder: str) -> tuple[float, float]:
    """Run the command in a folder, on one thread if it heeds the usual variables; its wall and CPU seconds."""
    alone = os.environ | dict.fromkeys(THREADS, "1")
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryFile() as errors:
        try:
            running = subprocess.Popen(
                words, cwd=folder, env=alone, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise UserError(f"{box.name}: the command {words[0]!r} cannot be started: {error.strerror}") from None
        try:
            status = running.wait(timeout=box.time_limit)
        except subprocess.TimeoutExpired:
            raise Fault(
                f"{box.name}: the command took longer than {box.time_limit:g} seconds, its time_limit"
            ) from None
        finally:
            if running.poll() is None:  # too long, or the run was interrupted
                os.killpg(running.pid, signal.SIGKILL)
                running.wait()
        wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if status:
            errors.seek(0)
            said = _first_line(errors.read().decode("utf-8", errors="replace"))
            raise Fault(f"{box.name}: the command failed with exit status {status}: {said or 'it said nothing'}")
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _first_line(text: str) -> str:
    """The first line that a program said; of a Python traceback the last, which has the error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    return lines[-1] if lines[0].startswith("Traceback ") else lines[0]


def _said(box: Box, file: Path) -> tuple[float, float]:
    """The wall and CPU seconds that a command wrote."""
    try:
        wall, cpu = map(float, file.read_text(encoding="utf-8").split())
        if not (0 <= wall < math.inf and 0 <= cpu < math.inf):
            raise ValueError
        return wall, cpu
    except (OSError, ValueError):
        raise Fault(f"{box.name}: the command wrote no wall and CPU seconds, 0 or more, to {{seconds}}") from None


def _lines(box: Box, file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise Fault(f"{box.name}: the command wrote no file {{{file.name}}}") from None
    except (OSError, ValueError) as error:
        raise Fault(f"{box.name}: the file {{{file.name}}} that it wrote cannot be read: {error}") from None
