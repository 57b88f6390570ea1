"""Build a Python wheel of this checkout and the user's own modules, so that a logged model works elsewhere.

A file of the user's has the name in the wheel that it would have in the project, and needs no other folder. Of the
user's folders only programs travel, and the files that the run loaded: what else is there may be private.
"""

import base64
import csv
import hashlib
import io
import sys
import zipfile
from collections.abc import Collection
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.own_folders import ROOMS, ROOT, folders

NAME = "structbench"
PROGRAMS = ".py", ".yaml", ".toml"  # endings of files of the user's that travel
WHEEL = b"Wheel-Version: 1.0\nGenerator: structbench\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def write_wheel(folder: Path, loaded: Collection[str] = ()) -> Path:
    """Write the wheel to a folder, and return it. ``loaded``: files of the user's that belong to it, too.

    Raises:
        UserError: This Python has no installed structbench, which knows its version.
    """
    try:
        installed = distribution(NAME)
    except PackageNotFoundError:
        raise UserError(
            f"{NAME} is not installed for {sys.executable}: in your clone call `python -m pip install --no-deps "
            "--editable .`"
        ) from None
    about = f"{NAME}-{installed.version}.dist-info"
    made = folder / f"{NAME}-{installed.version}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        f"{about}/METADATA": (installed.read_text("METADATA") or installed.read_text("PKG-INFO") or "").encode(),
        f"{about}/WHEEL": WHEEL,
    }
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (_programs(loaded) | texts).items():
            archive.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.writerow([name, f"sha256={digest}", len(content)])
        rows.writerow([f"{about}/RECORD", "", ""])
        archive.writestr(f"{about}/RECORD", record.getvalue())
    return made


def _programs(loaded: Collection[str]) -> dict[str, bytes]:
    """The files of the package and of the user's that travel, by their names in the wheel."""
    init = (ROOT / NAME / "__init__.py") if (ROOT / NAME).is_dir() else ROOT / "__init__.py"
    places = {Path("__init__.py"): init}
    rooms = [(ROOT / room, Path(room)) for room in ("algorithms", "bench", "datasets")]
    own = [(folder / own, Path(room)) for folder in folders() for room, own in ROOMS.items()]
    for there, room in [*rooms, *own]:
        for file in there.rglob("*"):
            name = file.relative_to(there)
            is_program = (there, room) in rooms or file.suffix in PROGRAMS or str(file) in loaded
            is_hidden = "__pycache__" in name.parts or any(part.startswith(".") for part in name.parts)
            if is_program and not is_hidden and not file.is_symlink() and file.is_file():
                places[room / name] = file
    return {f"{NAME}/{name.as_posix()}": file.read_bytes() for name, file in sorted(places.items())}
