"""Bring the runs of another machine in, under ``hosts/HOST/runs/KEY``, each checked first.

The machine is the one that the run's provenance names. Runs are independent: one that is refused keeps none of the
others out.
"""

import filecmp
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_folder, locked
from structbench.bench.runs import hosts, results, store
from structbench.bench.sharing.incoming import checked_copy

UNFINISHED = ".partial"  # ends the name of a folder that is being made, or was when its process was killed


@dataclass
class Merged:
    """What became of the runs: the keys that came, were there, or were replaced, and why others were refused."""

    came: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        replaced = f", {len(self.replaced)} replaced an older one" if self.replaced else ""
        return (
            f"{len(self.came)} runs came{replaced}, {len(self.there)} were there, {len(self.refused)} were refused"
        )


def merge(source: Path, replace: bool = False, refused: Callable[[str], None] = lambda line: None) -> Merged:
    """Copy the runs of another checkout's results to those of this one.

    Args:
        source: Its folder of results, with ``runs`` and maybe ``hosts``, or a folder of runs.
        replace: Let a newer run take the place of an older one of the same host and key.
        refused: Is told of each run that is refused, in a sentence.

    Raises:
        UserError: There are no runs, or these results cannot be written, or another process is merging.
    """
    folders = _run_folders(source)
    merged = Merged()
    try:
        results.hosts().mkdir(parents=True, exist_ok=True)
        with locked(results.hosts() / ".merge.lock", patience=0):
            for folder in folders:
                try:
                    getattr(merged, _bring(folder, replace)).append(folder.name)
                except UserError as error:
                    merged.refused[str(folder)] = str(error)
                    refused(f"refused {str(folder)!r}: {error}")
    except BlockingIOError as error:
        raise UserError(f"another process is merging into {results.hosts()}: wait until it has ended") from error
    except OSError as error:
        raise UserError(
            f"cannot write {results.hosts()} ({error.strerror}): mend that and merge again; what came is kept"
        ) from error
    return merged


def _run_folders(source: Path) -> list[Path]:
    """The folders of runs, in order of their names.

    Raises:
        UserError: It has none, or is the folder that they would go to.
    """
    source = Path(source)
    if not os.path.isdir(source):
        raise UserError(f"there is no folder {source}: give the results of another checkout, or its runs")
    if results.root().resolve() in (source.resolve(), *source.resolve().parents):
        raise UserError(f"{source} is part of these results themselves: give those of another checkout")
    try:
        rooms = [source / "runs", *(host / "runs" for host in _folders(source / "hosts"))]
        if not any(room.is_dir() for room in rooms):
            rooms = [source]
        for room in rooms:
            if any(part.is_symlink() for part in (room, *room.parents) if source in part.parents):
                raise UserError(f"{room} goes by a symbolic link: give the folder that it leads to")
        found = [folder for room in rooms for folder in _folders(room)]
    except OSError as error:
        raise UserError(f"cannot read {error.filename} ({error.strerror}): make it readable") from error
    if not any(os.path.lexists(folder / "spec.json") for folder in found):
        raise UserError(f"{source} holds no runs: give the results of another checkout, or its runs")
    return found


def _folders(room: Path) -> list[Path]:
    """The complete folders in a folder, links to some included. Empty if there are none."""
    found = room.iterdir() if room.is_dir() else ()
    return sorted(
        folder
        for folder in found
        if folder.is_dir() and not folder.name.startswith(".") and not folder.name.endswith(UNFINISHED)
    )


def _bring(folder: Path, replace: bool) -> str:
    """Bring one run in, if it is not there yet; says what happened in a word, a field of ``Merged``.

    Raises:
        UserError: It is refused.
        OSError: These results cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix=".", suffix=".partial", dir=results.hosts()) as scratch:
        run = checked_copy(folder, Path(scratch, "run"))
        place = hosts.runs(hosts.folder_name(run.summary["provenance"]["host"])) / run.key
        if _equal(run.folder, results.runs() / run.key) or _equal(run.folder, place):
            return "there"
        known = place.exists()
        if known:
            _check_newer(run, place, replace)
        with atomic_folder(place) as partial:
            for name in store.FILES:
                os.replace(run.folder / name, partial / name)
        return "replaced" if known else "came"


def _equal(copy: Path, other: Path) -> bool:
    """Whether both hold the same run, byte for byte."""
    return store.finished(other) and filecmp.cmpfiles(copy, other, store.FILES, shallow=False)[0] == [*store.FILES]


def _check_newer(run: store.Run, place: Path, replace: bool) -> None:
    """See that a run may take the place of the one that is there.

    Raises:
        UserError: It may not.
    """
    if not store.sound(place):
        raise UserError(f"{place} is there and is no sound run: delete it, then merge again")
    there = store.read(place)
    differs = f"it differs from {place} ({_differences(run, there)})"
    if run.started <= there.started:
        raise UserError(f"{differs} and is no newer: that one stays")
    if not replace:
        raise UserError(f"{differs} and is newer: --replace takes it instead")


def _differences(run: store.Run, there: store.Run) -> str:
    """What the two were made of."""
    mine, other = run.summary["provenance"], there.summary["provenance"]
    names = [name for name in ("code", "data") if mine[f"{name}_sha256"] != other[f"{name}_sha256"]]
    return ", ".join(f"other {name}" for name in names) or "the same code and data"
