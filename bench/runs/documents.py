"""Read JSON files and check them against an expected shape, since they may be truncated, edited or outdated."""

import json
import sys
from pathlib import Path
from types import NoneType
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs.jsonable import to_json as to_json
from structbench.bench.runs.jsonable import to_jsonable as to_jsonable

Json = dict[str, Any]  # an object of a file
NUMBER = (int, float, NoneType)
SPEC = dict.fromkeys(("data", "loss", "algorithm", "penalty?"), str) | {
    **{"test": (str, NoneType), "C": NUMBER, "params": dict, "seconds": NUMBER},
    **{"passes": (int, float), "gap": (int, float), "seed": int, "threads": int},
}
PROVENANCE = dict.fromkeys(("host", "code_sha256", "data_sha256", "git_commit"), str) | {
    "started": (str, int, float),
    "others?": NUMBER,
    "data_from?": {str: str},
    "own_files?": {str: str},
    "settings?": {str: str},
}
VALUES = ("primal", "dual", "gap", "passes", "wall_seconds", "cpu_seconds", "test_error")
SUMMARY = {
    **{"key": str, "status": str, "message": str, "provenance": PROVENANCE, "notes": dict, "num_examples": int},
    **{"C?": NUMBER, "scheme?": str, "by_label?": {str: {str: NUMBER}}} | dict.fromkeys(VALUES, NUMBER),
}
WORDS = {str: "text", dict: "an object", list: "a list", int: "a number", float: "a number"}
WORDS |= {bool: "true or false", NoneType: "null"}


def content(file: Path, shape: Any, remedy: str) -> Any:
    """What a JSON file holds.

    Args:
        shape: A type or several, ``[shape]`` of a list, ``{name: shape}`` of an object that has at least these
            names, or ``{str: shape}`` of one with any names. Names that end with ``?`` may be missing.
        remedy: What to do if it is broken.

    Raises:
        UserError: It cannot be read, or has another shape; says where.
    """
    try:
        text = file.read_text(encoding="utf-8")
        value = _shared(json.loads(text))
        if "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()  # half a character could not be written again
        if wrong := differs(value, shape):
            raise ValueError(wrong)
    except OSError as error:
        raise UserError(f"{file} cannot be read ({error.strerror}): {remedy}") from error
    except (ValueError, RecursionError) as error:
        said = "nested too deeply" if isinstance(error, RecursionError) else str(error).partition("\n")[0]
        raise UserError(f"{file} is broken ({said}): {remedy}") from error
    return value


def _shared(value: Any) -> Any:
    """The value, whose texts are kept once for all documents: a run's summary then takes a third of the memory."""
    if isinstance(value, str):
        return sys.intern(value)
    if isinstance(value, dict):
        return {sys.intern(name): _shared(inner) for name, inner in value.items()}
    return [_shared(inner) for inner in value] if isinstance(value, list) else value


def differs(value: Any, shape: Any, where: str = "it") -> str:
    """How a value differs from a shape; empty if it has it."""
    kinds = type(shape) if isinstance(shape, list | dict) else shape
    if not isinstance(value, kinds):
        wanted = kinds if isinstance(kinds, tuple) else (kinds,)
        words = dict.fromkeys(WORDS[each] for each in wanted)
        return f"{where} is {WORDS.get(type(value), repr(value))}, not {' or '.join(words)}"
    inside = []
    if isinstance(shape, list):
        inside = [(f"{where}[{k}]", each, shape[0]) for k, each in enumerate(value)]
    elif isinstance(shape, dict):
        named = dict.fromkeys(value, shape[str]) if str in shape else shape
        for name, wanted in named.items():
            plain = name.removesuffix("?")
            if plain in value:
                inside.append((f"{where}.{plain}", value[plain], wanted))
            elif plain == name:
                return f"{where} has no {name!r}"
    return next(filter(None, (differs(each, wanted, place) for place, each, wanted in inside)), "")
