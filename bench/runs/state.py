"""Say whether a run is finished, stale, torn or missing: one answer for all that make, show or share runs.

A *finished* run is whole, as it was written, and of today's spec, programs, data and settings. A *stale* run is
whole but of other ones. A *torn* run is not whole, or not as it was written. Any other run is *missing*. Seconds
count only of a run that was timed alone. If seconds are asked for, a run that was not timed alone is stale.
"""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime import settings
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import aliases, documents, loaded, problem_store, programs, results, seals, seen, store
from structbench.bench.runs.algorithm_module import parameters
from structbench.bench.runs.memory import STATUS
from structbench.bench.runs.spec import Spec

OF_OTHER_PROGRAMS = "it is of other programs"


class State(StrEnum):
    """What a run is."""

    FINISHED = "finished"
    STALE = "stale"
    TORN = "torn"
    MISSING = "missing"


class Found(NamedTuple):
    """What there is of a run.

    Attributes:
        reason: Why it is not finished, as ``it is of other programs``; empty if it is.
        run: The run that is there; None if it is torn or missing.
    """

    state: State
    reason: str
    run: store.Run | None

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.state is State.FINISHED

    @property
    def is_disturbed(self) -> bool:
        """Whether others used the machine meanwhile."""
        return self.run is not None and bool(self.run.disturbance)


def of_spec(spec: Spec, folder: Path, timed: bool = False, memory: bool = False, data: str | None = None) -> Found:
    """What there is of a run in its folder.

    Args:
        timed: Its seconds are asked for. memory: Its peak memory is asked for.
        data: Fingerprint of today's problem. None: The fingerprint of the stored problem, if there is one.
    """
    return _today(_believed(_whole(folder), spec.key), spec, timed, memory, data)


def _today(found: Found, spec: Spec, timed: bool = False, memory: bool = False, data: str | None = None) -> Found:
    """What was found, which is stale if it is not what today's programs, data and settings would make."""
    if (run := found.run) is None:
        return found
    made = run.summary["provenance"]
    reason = (
        _other_spec(*(documents.to_jsonable(each.as_dict()) for each in (run.spec, spec)))
        or (made.get("code_sha256") != programs.sha256_of_run(spec) and OF_OTHER_PROGRAMS)
        or _other_data(made, spec, data)
        or _other_loaded(run)
        or _other_settings(made.get("settings", {}))
        or (timed and made.get("alone") is not True and "it was not timed alone")
        or (
            memory and run.summary.get("peak_memory") is None and STATUS.exists() and "its memory was not measured"
        )
        or ""
    )
    return Found(State.STALE, reason, run) if reason else found


def of_folder(folder: Path) -> Found:
    """What a folder holds, by the spec that it says."""
    found = _whole(folder)
    if found.run is None:
        return found
    try:
        spec = spec_of(found.run)
        return _today(_believed(found, spec.key), spec)
    except (UserError, TypeError) as error:  # an algorithm, a data set or a parameter that there was
        return Found(State.STALE, f"today's programs do not know it: {error}", found.run)


def spec_of(run: store.Run) -> Spec:
    """The spec of a run, by today's names; raises a UserError or a TypeError if it has names that are no more."""
    known = parameters(run.spec.algorithm)
    params = aliases.today(run.spec.algorithm, dict(run.spec.params), known)
    if gone := sorted(params.keys() - known):
        raise UserError(f"{run.spec.algorithm} has no parameter {', '.join(gone)}")
    return replace(run.spec, params=tuple(sorted(params.items())))


def _whole(folder: Path) -> Found:
    if not folder.is_dir() or not any(folder.iterdir()):
        return Found(State.MISSING, "it was not made yet", None)
    try:
        run = store.read_run(folder)
        altered = _altered(run)
    except (UserError, OSError, ValueError, KeyError, RecursionError):
        return Found(State.TORN, "it cannot be read", None)
    if altered:
        return Found(State.TORN, f"not as written: {' and '.join(altered)}", None)
    return Found(State.FINISHED, "", run)


def _altered(run: store.Run) -> list[str]:
    """The files that are not as they were written; each version is read once (``seen``)."""
    version, changed = seen.version(run.folder / name for name in store.FILES)
    altered = [] if seen.is_sound(run.folder, version) else seals.altered(run.folder, run.summary)
    if not altered:
        seen.note(run.folder, version, changed)
    return altered


def _believed(found: Found, key: str) -> Found:
    """What was found under this key: nothing, if it is the run of another key."""
    if found.run is None or found.run.key == key:
        return found
    return Found(State.TORN, f"it is a copy of {found.run.key}", None)


def _other_spec(made: documents.Json, wanted: documents.Json) -> str:
    """How a spec differs. Keys leave defaults out: if a default changes, an older run keeps its key."""
    if made == wanted:
        return ""
    made, wanted = ({**each, **each.get("params", {})} for each in (made, wanted))
    name = next((name for name in wanted if name != "params" and made.get(name) != wanted[name]), "spec")
    return f"its {name} is {made.get(name)}, not {wanted.get(name)}"


def _other_data(made: documents.Json, spec: Spec, data: str | None) -> str:
    """How its data differ: by the problem, or where none of today is kept by what problems are made from.

    A file of the user's that is gone tells nothing, each other one by itself.
    """
    data = problem_store.fingerprint(spec.data, spec.test) if data is None else data
    if data is not None:
        return "" if made.get("data_sha256") == data else "it is of other data"
    said = made.get("data_from", {})
    try:
        changed = said and problem_store.made_from(spec.data, spec.test) != said
    except UserError:
        changed = problem_store.changed_files(said)
    return "the programs or files of its data changed" if changed else ""


def _other_loaded(run: store.Run) -> str:
    """Which file that it loaded besides its programs changed. Of a run that was received none is looked at."""
    if run.folder.is_relative_to(results.hosts()):
        return ""
    changed = loaded.changed(run.summary["provenance"].get("loaded", {}))
    return f"{changed}, which it loaded, changed" if changed else ""


def _other_settings(made: dict[str, str]) -> str:
    today = settings.given()
    if made == today:
        return ""
    said = [" and ".join(f"{name}={value}" for name, value in each.items()) or "none" for each in (made, today)]
    return f"it is of other settings of numba: {said[0]}, not {said[1]}"


def all_under(root: Path) -> dict[Path, Found]:
    """Folder -> what there is, for all folders of runs under a root. Each run counts only under its own name."""
    return {folder: _believed(of_folder(folder), folder.name) for folder in folders(root)}


def folders(root: Path) -> list[Path]:
    """The folders of runs under a root."""
    return [folder for folder in sorted(root.iterdir()) if store.is_run(folder)] if root.is_dir() else []


def finished(found: Iterable[Found], with_stale: bool = False) -> list[store.Run]:
    """The runs that are finished; with those that are stale, if these are asked for."""
    return [each.run for each in found if each.run is not None and (each.is_finished or with_stale)]
