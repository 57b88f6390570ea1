"""Export finished runs as one Parquet file: a row per checkpoint, each with the run's spec and outcome.

Each column carries its unit and meaning. A value that does not apply is empty.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import atomic_file
from structbench.bench.runs import results, state
from structbench.bench.runs.store import Run, first_line
from structbench.bench.sharing import columns

SUFFIX = ".parquet"
PIECE_ROWS, PIECE_TABLES = 20_000, 256  # written at a time, whichever is less: small tables are mostly overhead


def export(runs: list[Run], out: Path) -> str:
    """Write the checkpoints of these runs to the file ``out``, in place of an export before; say how many.

    A curve that cannot be read is named on stderr and left out.

    Raises:
        UserError: There are no runs, ``out`` is no name of a Parquet file, or it cannot be written.
    """
    if not runs:
        raise UserError(f"there is no finished run to export under {results.root()}: make some first (`make run`)")
    if out.suffix != SUFFIX or out.is_dir():
        raise UserError(f"--out must be a file that ends in {SUFFIX}, not {str(out)!r}: it holds all checkpoints")
    said = table_of([_said(run) for run in runs])
    named = {field.name: field.type for field in said.schema} | _columns_of_curves(runs)
    about = {name: columns.about(name) for name in named}
    ordered = columns.in_order(named)
    schema = pa.schema([pa.field(name, kind, metadata=about[name]) for name, kind in ordered.items()])
    with write_or_explain(out, "mend that and export again"), atomic_file(out.absolute()) as partial:
        checkpoints = _write(partial, schema, _checkpoints(runs, said, schema))
    return f"{out}: {len(runs):,} runs, {checkpoints:,} checkpoints"


def _said(run: Run) -> dict[str, object]:
    """What is said of a run in each of its rows: which run it is, and how it ended."""
    place = run.folder.relative_to(results.root()).as_posix()
    named = {"run": place, "host": run.summary["provenance"]["host"], "key": run.key}
    ended = columns.outcome(run) | {"state": str(state.of_folder(run.folder).state)}
    return named | columns.flat_spec(run.spec) | ended


def _columns_of_curves(runs: list[Run]) -> dict[str, pa.DataType]:
    """The columns that any of the curves has, by their names here."""
    found: set[str] = set()
    for run in runs:
        with suppress(OSError, pa.ArrowException):  # ``_checkpoints`` says so
            found.update(filter(columns.is_measured, pq.read_schema(run.folder / "curve.parquet").names))
    return dict.fromkeys(map(columns.of_curve, found), pa.float64())


def table_of(rows: list[dict[str, object]]) -> pa.Table:
    """The rows as a table: each column has the narrowest type that holds it; text if it has numbers and words."""
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pa.Array:
    values = [float(each) if isinstance(each, int) and abs(each) >= 2**53 else each for each in values]
    try:
        found = pa.array(values)
    except pa.ArrowException:
        found = pa.array([None if each is None else str(each) for each in values])
    return found.cast(pa.string()) if found.type == pa.null() else found


def _checkpoints(runs: list[Run], said: pa.Table, schema: pa.Schema) -> Iterator[pa.Table]:
    """The curve of each run, beside what is said of the run."""
    for place, run in enumerate(runs):
        try:
            curve = pq.read_table(run.folder / "curve.parquet", use_threads=False)
        except (OSError, pa.ArrowException) as error:
            print(f"left out: {run.folder}/curve.parquet cannot be read ({first_line(error)})", file=sys.stderr)
            continue
        same = said.take(pa.repeat(place, len(curve)))
        measured = filter(columns.is_measured, curve.column_names)
        values = {columns.of_curve(name): _present(curve[name]) for name in measured}
        values = {name: same[name] for name in same.column_names} | values
        nothing = pa.nulls(len(curve))
        yield pa.table([values.get(field.name, nothing).cast(field.type) for field in schema], schema=schema)


def _present(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """The numbers of a curve; NaN means "does not apply" and becomes empty."""
    is_nan = pc.call_function("is_nan", [numbers])
    return pc.call_function("if_else", [is_nan, pa.scalar(None, pa.float64()), numbers])


def _write(file: Path, schema: pa.Schema, tables: Iterable[pa.Table]) -> int:
    """Write the tables as one; returns the number of rows."""
    written, waiting = 0, []
    with pq.ParquetWriter(file, schema) as writer:
        for table in tables:
            waiting.append(table)
            written += len(table)
            if sum(map(len, waiting)) >= PIECE_ROWS or len(waiting) >= PIECE_TABLES:
                writer.write_table(pa.concat_tables(waiting).combine_chunks())
                waiting.clear()
        if waiting:
            writer.write_table(pa.concat_tables(waiting).combine_chunks())
    return written
