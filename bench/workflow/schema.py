"""Check a config against its schema, and say in a sentence what is wrong with it.

A dict of Python may hold arrays, tuples and paths. Three slips of the pen are taken as they are meant. One value
where a list is asked for becomes a list of one. A number as text (YAML reads ``1e-3`` so) becomes that number, and
so do ``true`` and ``false``, which ``snakemake --config`` passes so. A key with nothing after it becomes none.
"""

import math
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.runs.documents import Json

FILE = Path(__file__).with_name("config.schema.yaml")
LONGEST = 60  # characters of a wrong value that are shown
KINDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "keys and values",
    "string": "text",
}


def checked_config(given: Any) -> Json:
    """The config as its schema wants it; raises a UserError that says what is wrong, where, and what is right."""
    import yaml
    from jsonschema import Draft202012Validator

    schema = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    meant = _meant(_as_in_a_file(given), schema)
    errors = list(Draft202012Validator(schema).iter_errors(meant))
    if errors:
        # a key that does not exist explains the one that is missing
        first = min(errors, key=lambda error: (error.validator != "additionalProperties", len(error.path)))
        raise UserError(f"config{_place(meant, [*first.path])}: {_said(first)}")
    return meant


def _as_in_a_file(value: Any) -> Any:
    """A value of Python as a file has it: arrays and tuples are lists there, and paths are texts."""
    if isinstance(value, dict):
        return {key: _as_in_a_file(each) for key, each in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple | range):
        return [_as_in_a_file(each) for each in value]
    return str(value) if isinstance(value, Path) else value


def _meant(value: Any, schema: Json) -> Any:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if isinstance(value, dict) and (kind == "object" or "properties" in schema):
        own, others = schema.get("properties", {}), schema.get("additionalProperties") or {}
        there = {key: each for key, each in value.items() if each is not None or key not in own}
        return {key: _meant(each, own.get(key, others)) for key, each in there.items()}
    if kind == "array":
        items = schema.get("items", {})
        # a lone whole number could be meant as a count
        single = isinstance(value, str | bool | int | float) and items.get("type") != "integer"
        values = [value] if single else value
        return [_meant(each, items) for each in values] if isinstance(values, list) else values
    if kind in ("number", "integer") and isinstance(value, str | int | float) and not isinstance(value, bool):
        return _number(value, kind)
    if kind == "boolean" and value in ("true", "false"):
        return value == "true"
    return value


def _number(value: str | int | float, kind: str) -> Any:
    """The number that a text is, whole if the kind is integer; anything else as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    except OverflowError:
        return math.inf
    if isinstance(value, int) or not math.isfinite(number):
        return value
    if kind == "integer":
        return int(number) if number.is_integer() else value
    return number


def _place(config: Any, path: list[Any]) -> str:
    """Where in the config, in words: ``, grid 'mine', C``."""
    words = []
    if path[:1] == ["grids"] and len(path) > 1:
        grid = config["grids"][path[1]]
        name = grid.get("name") if isinstance(grid, dict) else None
        words, path = [f"grid {name!r}" if isinstance(name, str) else f"grid {path[1] + 1}"], path[2:]
    keys = ".".join(str(step) for step in path if not isinstance(step, int))
    return "".join(f", {word}" for word in [*words, *([keys] if keys else [])])


def _said(error: Any) -> str:
    """What is wrong with a value, and what would be right."""
    schema, value, limit = error.schema, error.instance, error.validator_value
    written = repr(value) if len(repr(value)) <= LONGEST else f"{repr(value)[:LONGEST]}..."
    match error.validator:
        case "additionalProperties":
            known = schema["properties"]
            name = next(key for key in value if key not in known)
            return f"there is no key {name!r}: {meant(str(name), known)}the keys are {', '.join(known)}"
        case "required":
            name = next(key for key in limit if key not in value)
            about = schema["properties"][name]
            return f"the key {name!r} is missing: {about['description']}{_example(about)}"
        case "type":
            kinds = [KINDS[kind] for kind in ([limit] if isinstance(limit, str) else limit) if kind != "null"]
            return f"must be {' or '.join(kinds)}{_example(schema)}, not {written}"
        case "enum":
            return f"must be one of {', '.join(limit)}, not {written}"
        case "minItems" | "minProperties":
            return f"is empty: give at least one{_example(schema)}"
        case "exclusiveMinimum":
            return f"must be above {limit}, not {written}"
        case "minimum":
            return f"must be {limit} or more, not {written}"
        case "uniqueItems":
            return f"must have each value once: {written}"
        case "pattern":
            return f"must be small letters, digits and hyphens, 100 at most{_example(schema)}, not {written}"
    return error.message


def _example(schema: Json) -> str:
    import yaml

    if "examples" not in schema:
        return ""
    written = yaml.safe_dump(schema["examples"][0], default_flow_style=True, sort_keys=False, width=1000)
    return f", such as {written.splitlines()[0]}"
