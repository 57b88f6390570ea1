"""The files of configs: found by name, and read."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.own_folders import ROOT

DEFAULT = ROOT / "config" / "quick.yaml"


def loaded(file: str) -> Any:
    """What a YAML or JSON file holds.

    Raises:
        UserError: It cannot be read, or is no YAML; says in which line.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read the config {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"the config {file} is not YAML: it is not UTF-8 text: {error.reason}") from error
    with suppress(ValueError):  # JSON is YAML, and this is a hundred times as fast
        return json.loads(text)
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark, context = error.problem_mark, error.context_mark
        line = mark.line + 1 if mark else 1
        since = f" that begins in line {context.line + 1}" if context and context.line + 1 != line else ""
        begun = f" ({error.context}{since})" if error.context else ""
        raise UserError(f"{file}, line {line}: not YAML: {error.problem}{begun}") from error
    except yaml.YAMLError as error:
        raise UserError(f"the config {file} is not YAML: {str(error).replace(chr(10), ' ')}") from error


def file_of(text: str) -> str:
    """The path of a config that is given by its path or by its name in ``config``."""
    named = Path("config", f"{text}.yaml")
    return str(named) if named.is_file() and not Path(text).is_file() else text


def named_after(file: str) -> str:
    """The name of the config in a file."""
    return re.sub("[^a-z0-9]+", "-", Path(file).stem.lower()).strip("-") or "config"
