"""Run a command that learns from a file and writes labels or weights to another."""

import math
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from structbench.algorithms.black_boxes import exchange
from structbench.algorithms.black_boxes.box import FILES, Box, filled, point
from structbench.algorithms.black_boxes.labels import Labels
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.peers import harness
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import interface as parts

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def learn(box: Box, problem: Any, objective: Objective, seed: int, params: dict[str, Any]) -> Iterator[Iterate]:
    """Yields where the command stands: before the first call, then after each.

    Files are written and read while the clock stands still. The seconds are those of the command, from its start
    to its end, with the programs that it starts; or those that it writes to ``{seconds}``.

    Raises:
        UserError: The data do not fit the format, or the command cannot be started.
        Fault: The command fails, takes too long, or writes something else than it should.
    """
    require_labels(objective.split, box.name)
    n, notes = parts.num_examples(objective.split), box.notes
    model = Labels(problem.test) if "labels" in box.names else None
    if model is None:
        yield harness.start(objective.split, notes)
        bound = None
        if box.minimises and not objective.smooth:
            bound = harness.HingeBound(problem, objective, seed)
    else:
        yield point(model.start, 0, (0.0, 0.0), notes, model)
        bound = None
    if model is not None and problem.test is None:
        raise UserError(f"{box.name} gives only labels of a test split, which these data lack: give a test file")
    with tempfile.TemporaryDirectory(prefix="structbench-") as folder:
        files = {name: Path(folder, name) for name in FILES}
        files["train"].write_text(exchange.written(box, problem, objective.split, True), encoding="utf-8")
        if "test" in box.names:
            files["test"].write_text(exchange.written(box, problem, problem.test, False), encoding="utf-8")
        values = box.values(objective, seed, params) | {name: str(file) for name, file in files.items()}
        for limit in harness.iterations():
            for name in ("labels", "weights", "seconds"):
                files[name].unlink(missing_ok=True)
            own = (str(box.file.parent / word) if word.startswith("./") else word for word in box.command)
            words = [str(filled(word, values | {"limit": limit})) for word in own]
            seconds = _run(box, words, folder)
            if "seconds" in box.names:
                seconds = _said(box, files["seconds"])
            if model is None:
                vector = exchange.read_weights(box, files["weights"], problem, objective.split)
            else:
                vector = exchange.read_labels(box, files["labels"], problem)
            yield point(vector, n * limit, seconds, notes, model, bound and bound.after(n * limit))
            if "limit" not in box.names:
                return


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
