"""Convert values to plain JSON: numpy numbers to numbers, tuples to lists, NaN and infinity to null."""

import json
import math
from typing import Any


def to_json(value: Any) -> str:
    """The value as a JSON file has it."""
    return json.dumps(to_jsonable(value), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def to_jsonable(value: Any) -> Any:
    """The value as JSON keeps it: plain numbers, lists for tuples, None for what is not finite."""
    if isinstance(value, dict):
        return {name: to_jsonable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_jsonable(inner) for inner in value]
    if hasattr(value, "item"):  # a numpy number
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
