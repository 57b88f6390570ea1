"""How the verbs speak: news on stderr, results as tables, text or one JSON document on stdout."""

import json
import math
import sys
from collections.abc import Sequence
from typing import Any

from structbench.algorithms.runtime.commands import as_called
from structbench.algorithms.runtime.names import plural
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import documents, records
from structbench.bench.runs.store import Run

NOT_KEPT = "no verdicts are kept for a report: stale runs count"


def say(*lines: str) -> None:
    """Tell the user something that is not the result."""
    for line in lines:
        print(as_called(line), file=sys.stderr, flush=True)


def say_disturbed(runs: Sequence[Run]) -> None:
    """Say of how many of these runs the seconds mean little, if there are some."""
    if shaken := sum(bool(run.disturbance) for run in runs):
        were = "was" if shaken == 1 else "were"
        of = f"{shaken} of {plural(len(runs), 'run')}"
        say(f"{of} {were} not timed alone, or {were} disturbed: seconds mean little there")


def document(value: Any) -> int:
    """Print a result, such as a record, as one line of JSON: None for what is not finite."""
    print(json.dumps(documents.to_jsonable(records.plain(value, words=False))))
    return 0


def text(value) -> str:
    """A value as a cell of a table: six digits, or a dash for nothing and what is not finite."""
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else "-"
    if isinstance(value, dict):
        return ", ".join(f"{k}={text(v)}" for k, v in value.items())
    return "-" if value is None else str(value)


def percent(name: str, value) -> str:
    """A value as a cell; an error or F1, which is a share, in percent as in rankings."""
    is_share = name.endswith(("_error", "_f1")) and isinstance(value, float) and math.isfinite(value)
    return f"{100 * value:.4g} %" if is_share else text(value)


def print_pairs(header: tuple[str, str], rows: dict[str, str]) -> int:
    """Print a table of two columns."""
    print_table([*header], [[name, text] for name, text in rows.items()])
    return 0
