"""Damage to a file: of what its format holds, so that it can still be read, or of its bytes."""

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from structbench.bench.runs import seals

ODD = (
    *(None, True, 0, -1, 1, 2, 7, 1e-300, 1e308, -1e308, 10**40, float("nan"), float("inf"), "", " ", "x" * 5000),
    *(
        "nan",
        "1e999",
        "-1",
        "../..",
        "/",
        "a\nb",
        "\ud800",
        "<script>",
        "{b}",
        "%s%n",
        "l1",
        "lbfgs",
        "log",
        "chain",
    ),
    *([], {}, [[]], [None], {"": None}, ["x"] * 3, [0] * 1000),
)


def mutate(file: Path, rng: random.Random) -> str:
    """Damage a file in place. Return what was done, in few words."""
    by_suffix = {
        ".json": _json, ".jsonl": _lines, ".journal": _lines, ".npz": _npz, ".npy": _npy, ".parquet": _parquet,
        ".db": _sqlite, ".py": _text, ".toml": _text, ".csv": _text, ".txt": _text, ".yaml": _text,
    }  # fmt: skip
    known = by_suffix.get(file.suffix)
    damage = known if known and rng.random() < 0.8 else _bytes
    return f"{damage.__name__.strip('_')}: {damage(file, rng)}"


# ---- any file ---------------------------------------------------------------------------------------


def _bytes(file: Path, rng: random.Random) -> str:
    """What a full disk, a bad copy or an editor leaves."""
    content = bytearray(file.read_bytes())
    kind = rng.choice(["cut", "empty", "flip", "noise", "twice", "zeros", "a folder", "gone", "another's"])
    if kind == "cut":
        content = content[: rng.randrange(len(content) + 1)]
    elif kind == "empty":
        content = bytearray()
    elif kind in ("flip", "noise", "zeros") and content:
        for _ in range(rng.choice([1, 1, 3, 30])):
            place = rng.randrange(len(content))
            if kind == "flip":
                content[place] ^= 1 << rng.randrange(8)
            else:
                content[place : place + 8] = bytes(8) if kind == "zeros" else rng.randbytes(8)
    elif kind == "twice":
        content = content * 2
    elif kind == "another's":  # the file beside it
        content = bytearray(
            rng.choice(sorted(each for each in file.parent.iterdir() if each.is_file())).read_bytes()
        )
    if kind in ("a folder", "gone"):
        file.unlink()
        if kind == "a folder":
            file.mkdir()
    else:
        file.write_bytes(content)
    return kind


# ---- JSON -------------------------------------------------------------------------------------------


def _places(value: Any, above: tuple = ()) -> Iterator[tuple]:
    """The path of every value within a document, its own, (), included."""
    yield above
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from _places(each, (*above, name))


def _changed(value: Any, rng: random.Random) -> tuple[Any, str]:
    """A document with one value changed, and what was done."""
    place = rng.choice([*_places(value)][:2000])
    if not place:
        return rng.choice(ODD), "another document"
    parent = value
    for name in place[:-1]:
        parent = parent[name]
    name, old = place[-1], parent[place[-1]]
    kind = rng.choice(["odd", "odd", "odd", "gone", "deep", "moved", "text", "negative"])
    if kind == "gone":
        del parent[name]
    elif kind == "deep":
        for _ in range(rng.choice([3, 200])):
            old = [old]
        parent[name] = old
    elif kind == "moved":
        names = [*parent] if isinstance(parent, dict) else range(len(parent))
        parent[name] = parent[rng.choice([*names])]
    elif kind == "text":
        parent[name] = str(old)
    elif kind == "negative" and isinstance(old, int | float):
        parent[name] = -old
    else:
        parent[name] = rng.choice(ODD)
    return value, f"{kind} at {'.'.join(map(str, place))[:60]}"


def _json(file: Path, rng: random.Random) -> str:
    value, said = json.loads(file.read_text(encoding="utf-8")), []
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        value, done = _changed(value, rng)
        said.append(done)
    if file.name == "summary.json" and isinstance(value, dict) and rng.random() < 0.7:
        with suppress(OSError, ValueError, TypeError, RecursionError):  # as if it had been written so
            value = seals.sealed(file.parent, value)
    file.write_text(json.dumps(value), encoding="utf-8", errors="surrogatepass")
    return " and ".join(said)


def _lines(file: Path, rng: random.Random) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    kind = rng.choice(["changed", "changed", "gone", "twice", "cut", "swapped"])
    at = rng.randrange(len(lines)) if lines else 0
    if not lines:
        lines = ["[]"]
    elif kind == "changed":
        value, kind = _changed(json.loads(lines[at]), rng)
        lines[at] = json.dumps(value)
    elif kind == "gone":
        del lines[at]
    elif kind == "twice":
        lines.insert(at, lines[at])
    elif kind == "cut":
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    else:
        lines.reverse()
    file.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")
    return kind


# ---- arrays and tables ------------------------------------------------------------------------------


def _array(array: np.ndarray, rng: random.Random) -> tuple[np.ndarray, str]:
    """An array like this one, wrong in some way, and what was done."""
    changes: dict[str, Callable[[], np.ndarray]] = {
        "shorter": lambda: array[: len(array) // 2] if array.ndim else array,
        "longer": lambda: np.concatenate([array, array]) if array.ndim else np.array([array, array]),
        "empty": lambda: array[:0] if array.ndim else np.empty(0, array.dtype),
        "flat": lambda: array.reshape(-1),
        "deeper": lambda: array[None],
        "text": lambda: array.astype(str),
        "objects": lambda: array.astype(object),
        "bytes": lambda: np.frombuffer(array.tobytes(), np.uint8),
        "float32": lambda: array.astype(np.float32),
        "complex": lambda: array.astype(complex),
    }
    if array.dtype.kind in "iuf" and array.size:
        changes |= {
            "negative": lambda: _with(array, rng, -1),
            "huge": lambda: _with(array, rng, 2**31 - 1 if array.dtype.kind == "f" else np.iinfo(array.dtype).max),
            "reversed": lambda: array[::-1].copy() if array.ndim else array,
        }
    if array.dtype.kind == "f" and array.size:
        changes |= {
            "not a number": lambda: _with(array, rng, np.nan),
            "infinite": lambda: _with(array, rng, np.inf),
        }
    kind = rng.choice([*changes])
    with np.errstate(all="ignore"):
        return changes[kind](), kind


def _with(array: np.ndarray, rng: random.Random, value: float) -> np.ndarray:
    copy = array.copy()
    copy.reshape(-1)[rng.randrange(copy.size)] = np.asarray(value).astype(array.dtype)
    return copy


def _npz(file: Path, rng: random.Random) -> str:
    with np.load(file, allow_pickle=True) as opened:
        arrays = dict(opened)
    name = rng.choice([*arrays])
    said = rng.choice(["changed", "changed", "changed", "gone", "renamed", "swapped"])
    if said == "changed":
        arrays[name], said = _array(arrays[name], rng)
    elif said == "swapped":
        arrays[name] = arrays[rng.choice([*arrays])]
    else:
        array = arrays.pop(name)
        arrays |= {f"{name}_": array} if said == "renamed" else {}
    np.savez(file, **arrays)
    return f"{said} {name}"


def _npy(file: Path, rng: random.Random) -> str:
    array, said = _array(np.load(file, allow_pickle=True), rng)
    np.save(file, array)
    return said


def _parquet(file: Path, rng: random.Random) -> str:
    table = pd.read_parquet(file)
    name = rng.choice([*table])
    kind = rng.choice(
        ["gone", "renamed", "text", "nothing", "no rows", "one row", "shuffled", "odd", "lists", "more"]
    )
    if kind == "gone":
        table = table.drop(columns=name)
    elif kind == "renamed":
        table = table.rename(columns={name: f"{name}\n<b>"})
    elif kind in ("text", "lists", "nothing", "odd"):
        value = {"text": "many", "lists": [1.0], "nothing": None, "odd": rng.choice([np.nan, np.inf, -1.0, 1e308])}
        table[name] = [value[kind]] * len(table)
    elif kind == "shuffled":
        table = table.sample(frac=1, random_state=rng.randrange(2**31))
    elif kind == "more":
        table = pd.concat([table] * 50)
    else:
        table = table.head(int(kind == "one row"))
    table.to_parquet(file)
    return f"{kind} {name}"


def _sqlite(file: Path, rng: random.Random) -> str:
    """Change a database as another program would: a table, a column or values of one."""
    with closing(sqlite3.connect(file)) as database:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        tables = sorted(name for (name,) in database.execute(query))
        common = [
            name
            for name in tables
            if name in ("runs", "tags", "params", "metrics", "experiments", "alembic_version")
        ]
        table = rng.choice(rng.choice([tables, common]))
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        column = rng.choice(columns)
        value = rng.choice(["NULL", "''", "-1", "'x'", "1e308", "x'ff00fe'", "'../..'", "9223372036854775807"])
        statement = rng.choice(
            [
                f'DROP TABLE "{table}"',
                f'DELETE FROM "{table}"',
                f'DELETE FROM "{table}" WHERE rowid % 2',
                f'ALTER TABLE "{table}" RENAME TO "{table}_"',
                f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{column}_"',
                f'UPDATE OR IGNORE "{table}" SET "{column}" = {value}',
                f'UPDATE OR IGNORE "{table}" SET "{column}" = {value} WHERE rowid % 2',
            ]
        )
        with suppress(sqlite3.Error):  # a key that others need
            database.execute("PRAGMA foreign_keys = OFF")
            database.execute(statement)
        database.commit()
    return statement


# ---- text and programs ------------------------------------------------------------------------------


def _text(file: Path, rng: random.Random) -> str:
    """Lines gone, doubled, moved or cut; a word in place of another."""
    lines = file.read_text(encoding="utf-8").splitlines()
    kind = rng.choice(["gone", "twice", "moved", "cut", "words", "words", "words", "indented", "mark"])
    at = rng.randrange(len(lines))
    if kind == "gone":
        del lines[at]
    elif kind == "twice":
        lines.insert(at, lines[at])
    elif kind == "moved":
        lines.insert(rng.randrange(len(lines)), lines.pop(at))
    elif kind == "cut":
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    elif kind == "indented":
        lines[at] = f"  {lines[at]}"
    elif kind == "mark":
        lines[at] += rng.choice(["\x00", "(", "\\", '"""', "\t", "\u202e", " = 1", ":", ","])
    else:
        words = [(k, word) for k, line in enumerate(lines) for word in line.split() if not line.startswith("#")]
        k, old = rng.choice(words)
        new = rng.choice(
            [*(word for _, word in words), "None", "0", "-1", '"x"', "[]", "object()", "1e999", "print"]
        )
        lines[k] = lines[k].replace(old, new, 1)
        return f"{old[:30]} became {new[:30]} in line {k + 1}"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{kind} line {at + 1}"
