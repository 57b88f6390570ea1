"""The files of configs: found by name, and read."""

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_if_changed
from structbench.algorithms.runtime.own_folders import ROOT
from structbench.bench.runs import results

DEFAULT = ROOT / "config" / "quick.yaml"
OWNER = "config.path"  # in a config's folder of results: whose it is


def loaded(file: str) -> Any:
    """What a YAML or JSON file holds.

    Raises:
        UserError: It cannot be read, or is no YAML; says in which line.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        hint = "give the path of one, or its name in config/"
        raise UserError(f"cannot read the config {file}: {error.strerror}: {hint}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"the config {file} is not YAML: it is not UTF-8 text: {error.reason}") from error
    with suppress(ValueError, RecursionError):  # JSON is YAML, and this is a hundred times as fast
        return json.loads(text)
    import yaml

    from structbench.algorithms.runtime import yaml_text

    try:
        if (found := yaml_text.parsed(text)) is None:
            raise UserError(
                f"{file} is empty: a config has figures of papers, such as figures: [eg2008], or grids"
            )
        return found
    except yaml.MarkedYAMLError as error:
        mark, context = error.problem_mark, error.context_mark
        line = mark.line + 1 if mark else 1
        since = f" that begins in line {context.line + 1}" if context and context.line + 1 != line else ""
        begun = f" ({error.context}{since})" if error.context else ""
        raise UserError(f"{file}, line {line}: not YAML: {error.problem}{begun}") from error
    except yaml.YAMLError as error:
        raise UserError(f"the config {file} cannot be read as YAML: {str(error).replace(chr(10), ' ')}") from error


def config_file(text: str) -> str:
    """The path of a config that is given by its path or its name in ``config``, here or in structbench itself."""
    places = (Path(folder, each) for folder in ("", ROOT) for each in (text, f"config/{text}.yaml"))
    return next((str(place) for place in places if place.is_file()), text)


def check_owner(name: str, file: str) -> None:
    """See that the folder of a config's name holds nothing of another config's file.

    Raises:
        UserError: It does, and that file is still there.
    """
    folder = results.root() / name
    there = folder / OWNER
    owner = there.read_text(encoding="utf-8") if there.is_file() else ""
    other = Path(os.path.normpath(folder.resolve() / owner))
    if owner and owner != _place(folder, file) and other.is_file():
        raise UserError(f"{folder} holds what {other} made: set `name:` in {file} for a folder of its own")


def note_owner(name: str, file: str) -> None:
    """Remember which config's file a folder is of.

    Raises:
        UserError: See ``check_owner``.
    """
    check_owner(name, file)
    folder = results.root() / name
    write_if_changed(folder / OWNER, _place(folder, file))


def _place(folder: Path, file: str) -> str:
    """A file's path, from the folder: a copy of both finds its own file."""
    return os.path.relpath(Path(file).resolve(), folder.resolve())


def named_after(file: str) -> str:
    """The name of the config in a file."""
    return re.sub("[^a-z0-9]+", "-", Path(file).stem.lower()).strip("-") or "config"
