"""Of a folder of the user's, the wheel in a model holds programs and nothing that may be private."""

import csv
import io
import zipfile
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.own_folders import ROOMS
from structbench.bench.tracking.wheel import write_wheel

HELD = ("algorithms/my,steps.py", "algorithms/box.yaml", "papers/new2026/claims.toml", "algorithms/table.bin")
PRIVATE = (
    "algorithms/.env",
    "algorithms/.env.py",
    "datasets/.cache/corpus.py",
    "datasets/corpus.txt",
    "algorithms/notes.bin",
)


def test_private_files_and_links_stay_and_the_record_names_every_file(tmp_path, monkeypatch):
    for name in (*HELD, *PRIVATE):
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text("")
    (tmp_path / "secret.py").write_text("secret")
    (tmp_path / "mine" / "algorithms" / "link.py").symlink_to(tmp_path / "secret.py")
    monkeypatch.setattr("structbench.bench.tracking.wheel.folders", lambda: (tmp_path / "mine",))
    made = write_wheel(tmp_path, [str(tmp_path / "mine" / "algorithms" / "table.bin")])
    with zipfile.ZipFile(made) as wheel:
        names = wheel.namelist()
        (record,) = (name for name in names if name.endswith("/RECORD"))
        rows = [*csv.reader(io.StringIO(wheel.read(record).decode()))]
    rooms = {own: room for room, own in ROOMS.items()}
    theirs = [Path("structbench", rooms[Path(name).parts[0]], *Path(name).parts[1:]).as_posix() for name in HELD]
    assert {*theirs} <= {*names} and [row[0] for row in rows] == names
    assert not any(Path(name).name in ("link.py", *(Path(each).name for each in PRIVATE)) for name in names)


def test_where_structbench_is_not_installed_a_sentence_says_how(tmp_path, monkeypatch):
    def absent(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("structbench.bench.tracking.wheel.distribution", absent)
    with pytest.raises(UserError, match=r"is not installed for .*: in your clone call `python -m pip install"):
        write_wheel(tmp_path)
