"""The files of algorithms: a file's name is the algorithm's id, its docstring's first line describes it.

A black box has a file of YAML instead, with a key ``about``, ``class`` or ``command``.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant

DECLARED = "\n@algorithm("  # above ``solve``, in each of these files
ABOUT = re.compile(r"^about: *(.*?) *$", re.MULTILINE)  # of a black box
BOX = {"about", "class", "command"}  # a file of YAML without any of these keys is no black box
YAML, SHORT = ".yaml", ".yml"
GONE = {"crfsuite-command": "crfsuite", "logistic-regression": "sklearn"}  # -> what to use now


@cache
def by_family() -> dict[str, tuple[str, str]]:
    """Name of every algorithm -> its family, a folder of ``algorithms``, and its description; imports none.

    The family of a file of the user's may be ``.``. Raises a UserError if two algorithms have one name, or if the
    name of a file gives no id.
    """
    found: dict[str, tuple[str, str]] = {}
    places: dict[str, str] = {}
    patterns = (f"{folder}*{suffix}" for folder in ("", "*/") for suffix in (".py", YAML, SHORT))
    for file, there in own_folders.files("algorithms", *patterns).items():
        text = there.read_text(encoding="utf-8", errors="replace")  # a broken one is listed, too
        if file.suffix != ".py":
            keys = _keys(text)
            said = str(keys.get("about", ""))
            if BOX.isdisjoint(keys) and not (file.suffix == YAML and own_folders.is_module_name(file.stem)):
                continue  # another YAML file keeps its name
            if file.suffix == SHORT:
                raise UserError(f"{modules.shown(there)}: name it {file.stem}{YAML}")
        elif DECLARED in text:
            said = modules.about(text)
        else:
            continue
        own_folders.check_module_name(there)
        name = file.stem.replace("_", "-")
        if name in places:
            raise UserError(f"two algorithms are called {name}: {places[name]} and {modules.shown(there)}")
        places[name] = modules.shown(there)
        found[name] = (file.parent.relative_to("algorithms").as_posix(), said)
    return dict(sorted(found.items()))


def _keys(text: str) -> dict[Any, Any]:
    """The keys of a black box's file, none of a text that is no YAML. A line with ``about`` spares the parser."""
    if about := ABOUT.search(text):
        return {"about": about[1].strip("'\"")}
    import yaml

    from structbench.algorithms.runtime import yaml_text

    try:
        found = yaml_text.parsed(text)
    except (ValueError, yaml.YAMLError):
        return {}
    return found if isinstance(found, dict) else {}


@cache
def file_of(name: str) -> Path:
    """The file of an algorithm, for ``own_folders.place``; a UserError if it is missing or cannot be read."""
    known = by_family()
    file = f"{name.replace('-', '_')}.py"
    if name in known:
        module = Path("algorithms", known[name][0], file)
        box = module.with_suffix(YAML)
        return box if own_folders.place(box).is_file() else module
    hint = f"use {GONE[name]}, which minimises the same objective; " if name in GONE else meant(name, known)
    there = next(iter(own_folders.files("algorithms", file, f"*/{file}").values()), None)
    if there and there.stem.replace("_", "-") not in known:
        modules.parsed(there)
        raise UserError(f"{modules.shown(there)} is no algorithm: it has no @algorithm(...) above solve")
    listed = f"`python -m bench list algorithms` names all {len(known)}{own_folders.hint(name)}"
    raise UserError(f"unknown algorithm {name!r}: {hint}{listed}")


def shown(name: str) -> str:
    """The file of an algorithm as messages name it."""
    return modules.shown(own_folders.place(file_of(name)))
