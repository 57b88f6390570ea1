"""Tables written piece by piece, as Parquet and CSV at once."""

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from structbench.bench.sharing import columns

PIECE_ROWS, PIECE_TABLES = 20_000, 256  # written at a time, whichever is less: small tables are mostly overhead


def schema(kinds: Mapping[str, pa.DataType]) -> pa.Schema:
    """The columns of a table, each with its unit and meaning."""
    return pa.schema(pa.field(name, kind, metadata=columns.about(name)._asdict()) for name, kind in kinds.items())


def kinds(rows: Iterable[Mapping[str, Any]]) -> dict[str, pa.DataType]:
    """Name -> the narrowest type that holds what all rows have there; text where they have numbers and words."""
    found: dict[str, pa.DataType] = {}
    for row in rows:
        for name, value in row.items():
            kind = _kind(value)
            found[name] = _wider(found.get(name, kind), kind)
    return {name: pa.string() if kind == pa.null() else kind for name, kind in found.items()}


def _kind(value: Any) -> pa.DataType:
    if value is None:
        return pa.null()
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int) and abs(value) < 2**53:
        return pa.int64()
    return pa.float64() if isinstance(value, int | float) else pa.string()


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The type that holds values of both."""
    if pa.null() in (one, other):
        return other if one == pa.null() else one
    if one == other:
        return one
    return pa.float64() if {one, other} == {pa.int64(), pa.float64()} else pa.string()


def constant(row: Mapping[str, Any], rows: int, of: pa.Schema) -> pa.Table:
    """A table of ``rows`` equal rows; what the row has not is empty."""
    return pa.table([_repeated(row.get(field.name), rows, field.type) for field in of], schema=of)


def _repeated(value: Any, rows: int, kind: pa.DataType) -> pa.Array:
    if value is None:
        return pa.nulls(rows, kind)
    if kind == pa.string():
        value = str(value)
    return pa.repeat(pa.scalar(value, kind), rows)


def with_columns(table: pa.Table, values: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    """The table with these numbers in place of its own. NaN means "does not apply" and becomes empty."""
    for name, numbers in values.items():
        place = table.schema.get_field_index(name)
        present = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
        table = table.set_column(place, table.schema.field(place), present)
    return table


def write(file: Path, of: pa.Schema, tables: Iterable[pa.Table]) -> int:
    """Write ``file``.parquet and ``file``.csv; returns the number of rows.

    Raises:
        OSError: They cannot be written.
    """
    options = pa.csv.WriteOptions(quoting_style="needed")
    written, waiting = 0, []
    with ExitStack() as open_files:
        writers = [
            open_files.enter_context(pa.parquet.ParquetWriter(file.with_suffix(".parquet"), of)),
            open_files.enter_context(pa.csv.CSVWriter(file.with_suffix(".csv"), of, write_options=options)),
        ]

        def flush() -> None:
            if waiting:
                piece = pa.concat_tables(waiting).combine_chunks()
                for writer in writers:
                    writer.write_table(piece)
                waiting.clear()

        for table in tables:
            waiting.append(table)
            written += len(table)
            if sum(map(len, waiting)) >= PIECE_ROWS or len(waiting) >= PIECE_TABLES:
                flush()
        flush()
    return written
