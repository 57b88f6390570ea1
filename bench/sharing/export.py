"""Export tidy tables for any other tool: all checkpoints, all runs, the numbers of the drawn figures.

Tables come as Parquet and CSV. ``columns.csv`` says what they hold. A value that does not apply is empty.
"""

import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_folder
from structbench.bench.drawing import plotted, sidecars
from structbench.bench.runs import results, state
from structbench.bench.runs.store import Run, first_line
from structbench.bench.sharing import columns

if TYPE_CHECKING:
    import pyarrow as pa

FILES = (
    "checkpoints.parquet", "checkpoints.csv", "runs.parquet", "runs.csv", "columns.csv", "figures.csv", "figures",
)  # fmt: skip
KINDS = {"double": "number", "int64": "whole number", "bool": "true or false", "string": "text"}
COLUMN = ("table", "column", "type", "unit", "meaning")
FIGURE = ("config", "paper", "figure", "title", "file", "runs", "missing", "outdated", "caption")


@dataclass(frozen=True)
class Exported:
    """What went where."""

    folder: Path
    runs: int
    checkpoints: int
    figures: int

    def __str__(self) -> str:
        return f"{self.folder}: {self.runs:,} runs, {self.checkpoints:,} checkpoints, {self.figures:,} figures"


def export(runs: list[Run], figures: dict[str, Path], out: Path) -> Exported:
    """Write the tables of these runs to the folder ``out``, in place of an export before.

    A curve that cannot be read, or a figure without its numbers, is named on stderr and left out.

    Args:
        figures: Name of a config -> the folder of its figures, with a folder for each paper.

    Raises:
        UserError: There are no runs, ``out`` holds something else, or it cannot be written.
    """
    if not runs:
        raise UserError(f"there is no finished run to export under {results.root()}: make some first (`make run`)")
    out = Path(out)
    _check_out(out)
    from structbench.bench.sharing import tables

    outcomes = [columns.outcome(run) | {"state": str(state.of_folder(run.folder).state)} for run in runs]
    names = columns.in_order(tables.kinds(_names(run) for run in runs))
    points = tables.schema(names | _columns_of_curves(runs))
    ends = tables.schema(names | columns.in_order(tables.kinds(outcomes)))
    try:
        with atomic_folder(out.absolute()) as partial:
            checkpoints = tables.write(partial / "checkpoints", points, _checkpoints(runs, points))
            made = zip(runs, outcomes, strict=True)
            rows = (tables.constant(_names(run) | outcome, 1, ends) for run, outcome in made)
            tables.write(partial / "runs", ends, rows)
            drawn = list(_copied_figures(figures, partial, {run.key for run in runs}))
            described = [
                _described(table, field) for table, of in (("checkpoints", points), ("runs", ends)) for field in of
            ]
            for file, names, lines in (("figures", FIGURE, drawn), ("columns", COLUMN, described)):
                (partial / f"{file}.csv").write_text(plotted.text(names, lines), encoding="utf-8", newline="")
    except OSError as error:
        raise UserError(f"cannot write {out} ({error.strerror or error}): mend that and export again") from error
    return Exported(out, len(runs), checkpoints, len(drawn))


def _check_out(out: Path) -> None:
    """See that the folder may be replaced.

    Raises:
        UserError: It holds something that is not an export's.
    """
    try:
        strange = out.is_symlink() or (out.exists() and {file.name for file in out.iterdir()} - set(FILES))
    except OSError:  # a file, or a folder that cannot be read
        strange = True
    if strange:
        raise UserError(f"{out} holds something other than an export: choose another folder for --out")


def _names(run: Run) -> dict[str, Any]:
    """The columns that say which run it is."""
    place = run.folder.relative_to(results.root()).as_posix()
    return {"run": place, "host": run.summary["provenance"]["host"], "key": run.key} | columns.flat_spec(run.spec)


def _columns_of_curves(runs: list[Run]) -> "dict[str, pa.DataType]":
    """The columns that any of the curves has, in the order in which they are described."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: set[str] = set()
    for run in runs:
        with suppress(OSError, pa.ArrowException):  # ``_checkpoints`` says so
            found.update(map(columns.of_curve, pq.read_schema(run.folder / "curve.parquet").names))
    return columns.in_order(dict.fromkeys(found, pa.float64()))


def _checkpoints(runs: list[Run], of: "pa.Schema") -> "Iterator[pa.Table]":
    """The curve of each run, behind the columns that say which run it is."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from structbench.bench.sharing import tables

    for run in runs:
        try:
            curve = pq.read_table(run.folder / "curve.parquet", use_threads=False)
        except (OSError, pa.ArrowException) as error:
            print(f"left out: {run.folder}/curve.parquet cannot be read ({first_line(error)})", file=sys.stderr)
            continue
        values = {columns.of_curve(name): curve[name] for name in curve.column_names}
        yield tables.with_columns(tables.constant(_names(run), len(curve), of), values)


def _copied_figures(figures: dict[str, Path], out: Path, known: set[str]) -> Iterator[dict[str, str | int]]:
    """Copy the numbers of each figure; yields its row of ``figures.csv``.

    known: the keys of the runs that are exported. A figure that shows others is out of date.
    """
    for config, folder in figures.items():
        for sidecar in sorted(folder.glob("*/*.json")):
            numbers = sidecar.with_suffix(".csv")
            copy = Path("figures", config, sidecar.parent.name, numbers.name)
            try:
                said = sidecars.read(sidecar)
                content = numbers.read_bytes()
            except (OSError, UserError) as error:
                where = f"figure {sidecar.with_suffix('')} ({first_line(error)})"
                print(f"left out: {where}: draw it again", file=sys.stderr)
                continue
            (out / copy).parent.mkdir(parents=True, exist_ok=True)
            (out / copy).write_bytes(content)
            outdated = len(set(said.runs) - known)
            where = config, sidecar.parent.name, sidecar.stem, said.title, copy.as_posix()
            yield dict(
                zip(FIGURE, (*where, len(said.runs), len(said.missing), outdated, said.caption), strict=True)
            )


def _described(table: str, field: "pa.Field") -> dict[str, str]:
    about = columns.about(field.name)
    return {"table": table, "column": field.name, "type": KINDS[str(field.type)]} | about._asdict()
