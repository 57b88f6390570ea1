"""The files of algorithms: a file's name is the algorithm's id, its docstring's first line describes it.

A black box has a file of YAML instead, with a key ``about``.
"""

import re
from functools import cache
from pathlib import Path

from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant

DECLARED = "\n@algorithm("  # above ``solve``, in each of these files
ABOUT = re.compile(r"^about: *(.*?) *$", re.MULTILINE)  # of a black box
YAML = ".yaml"


@cache
def by_family() -> dict[str, tuple[str, str]]:
    """Name of every algorithm -> its family, a folder of ``algorithms``, and its description; imports none."""
    found = {}
    for file in sorted((modules.ROOT / "algorithms").glob("*/*.py")):
        text = file.read_text(encoding="utf-8", errors="replace")  # a broken one is listed, too
        if DECLARED in text:
            found[file.stem.replace("_", "-")] = (file.parent.name, modules.about(text))
    for file in sorted((modules.ROOT / "algorithms").glob(f"*/*{YAML}")):
        about = ABOUT.search(file.read_text(encoding="utf-8", errors="replace"))
        found[file.stem.replace("_", "-")] = (file.parent.name, about[1].strip("'\"") if about else "")
    return dict(sorted(found.items()))


@cache
def file_of(name: str) -> Path:
    """The file of an algorithm, relative to the project's folder.

    Raises:
        UserError: There is no algorithm of that name.
    """
    known = by_family()
    file = f"{name.replace('-', '_')}.py"
    if name in known:
        module = Path("algorithms", known[name][0], file)
        box = module.with_suffix(YAML)
        return box if (modules.ROOT / box).is_file() else module
    hint = meant(name, known)
    for room in (modules.ROOT / "algorithms").iterdir():
        if (room / file).is_file():
            raise UserError(f"{modules.shown(room / file)} is no algorithm: it has no @algorithm(...) above solve")
    raise UserError(f"unknown algorithm {name!r}: {hint}`python -m bench list algorithms` names all {len(known)}")
