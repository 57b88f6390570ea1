"""Bring the runs of another machine in, under ``hosts/HOST/runs/KEY``.

A run is copied, and ``state`` judges the copy. Its machine is the one that its provenance names. A run that is
refused keeps none of the others out.
"""

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import atomic_folder, locked
from structbench.bench.runs import hosts, results, state, store
from structbench.bench.runs.merged import CHECKED
from structbench.bench.sharing import certificates, incoming


@dataclass
class Merged:
    """What became of the runs: the keys that came, were there, or were replaced, and why others were refused."""

    came: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    certified: list[str] = field(default_factory=list)  # of those that came, with certificates recomputed
    without_data: set[str] = field(default_factory=set)  # the data of runs that count once these are here
    refused: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        came = len(self.came) + len(self.replaced)
        replaced = f", {len(self.replaced)} of them for an older one" if self.replaced else ""
        certified = f", {len(self.certified)} certificates were recomputed" if came or self.certified else ""
        left = f"{len(self.there)} were there, {len(self.refused)} were refused"
        return f"{came} runs came{replaced}{certified}, {left}"


def merge(source: Path, replace: bool = False, refused: Callable[[str], None] = lambda line: None) -> Merged:
    """Copy the runs of another checkout's results to those of this one.

    Args:
        source: Its folder of results, with ``runs`` and maybe ``hosts``, or a folder of runs.
        replace: Let a newer run take the place of an older one of the same host and key.
        refused: Is told of each run that is refused, in a sentence.

    Raises:
        UserError: There are no runs, or these results cannot be written, or another process is merging.
    """
    folders = _run_folders(Path(source))
    merged = Merged()
    with write_or_explain(results.hosts(), "mend that and merge again; what came is kept"), ExitStack() as held:
        results.hosts().mkdir(parents=True, exist_ok=True)
        try:
            held.enter_context(locked(results.hosts() / ".merge.lock", patience=0))
        except BlockingIOError as error:
            raise UserError(f"another process is merging into {results.hosts()}: wait for its end") from error
        for folder in folders:
            try:
                _bring(folder, replace, merged)
            except UserError as error:
                merged.refused[str(folder)] = str(error)
                refused(f"refused {str(folder)!r}: {error}")
    return merged


def _run_folders(source: Path) -> list[Path]:
    """The folders of runs, by name; raises a UserError if there are none, or if they are of these results."""
    if not source.is_dir():
        raise UserError(f"there is no folder {source}: give the results of another checkout, or its runs")
    if results.root().resolve() in (source.resolve(), *source.resolve().parents):
        raise UserError(f"{source} is part of these results themselves: give those of another checkout")
    try:
        rooms = [room for room in (source / "runs", *source.glob("hosts/*/runs")) if room.is_dir()] or [source]
        for room in rooms:
            if any(part.is_symlink() for part in (room, *room.parents) if source in part.parents):
                raise UserError(f"{room} goes by a symbolic link: give the folder that it leads to")
        found = [folder for room in rooms for folder in sorted(room.iterdir())]
    except OSError as error:
        raise UserError(f"cannot read {error.filename} ({error.strerror}): make it readable") from error
    complete = [folder for folder in found if folder.is_dir() and os.path.lexists(folder / "summary.json")]
    if not complete:
        raise UserError(f"{source} holds no runs: give the results of another checkout, or its runs")
    return complete


def _bring(folder: Path, replace: bool, merged: Merged) -> None:
    """Bring one run in, if it is not there yet, and note what happened; raises a UserError if it is refused."""
    with tempfile.TemporaryDirectory(prefix=".", suffix=".partial", dir=results.hosts()) as scratch:
        copy = Path(scratch, folder.name)
        incoming.copy(folder, copy)
        if (found := state.all_under(copy.parent).get(copy)) is None:
            raise UserError("its name is not that of a finished run")
        if found.run is None:
            raise UserError(f"it is {found.state}: {found.reason}")
        run = _unchecked(found.run)
        place = hosts.runs(hosts.folder_name(run.summary["provenance"]["host"])) / run.key
        if _is_same(run, results.runs() / run.key) or _is_same(run, place):
            merged.there.append(run.key)
            _certify(state.of_folder(place), merged)  # its data may be here by now
            return
        known = state.of_folder(place).run
        if known and run.started <= known.started:
            raise UserError(f"it differs from {place} and is no newer: that one stays")
        if known and not replace:
            raise UserError(f"it differs from {place} and is newer: --replace takes it instead")
        incoming.check_sizes(run)
        _certify(found._replace(run=run), merged)
        with atomic_folder(place) as partial:
            for name in store.FILES:
                os.replace(copy / name, partial / name)
        (merged.replaced if known else merged.came).append(run.key)


def _unchecked(run: store.Run) -> store.Run:
    """The run without what another machine says that it computed from its weights."""
    summary = {name: value for name, value in run.summary.items() if not name.startswith("recomputed_")}
    return run if len(summary) == len(run.summary) else store.amend(replace(run, summary=summary), {})


def _certify(found: state.Found, merged: Merged) -> None:
    """Compute the certificate of a finished run, if that can be done here and was not yet."""
    run = found.run
    if run is None or not found.is_finished or CHECKED in run.summary:
        return
    if (facts := certificates.recomputed(run)) is not None:
        store.amend(run, facts)
        merged.certified.append(run.key)
    elif certificates.lacks_data(run):
        merged.without_data.add(run.spec.data.text)


def _is_same(run: store.Run, place: Path) -> bool:
    """Whether the same run lies there, whole."""
    there = state.of_folder(place).run
    if there is None:
        return False
    said = [(each.summary["provenance"], {**each.summary["sha256"], "summary.json": ""}) for each in (run, there)]
    return said[0] == said[1]
