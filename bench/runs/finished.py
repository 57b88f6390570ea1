"""The finished runs under a folder, for what reads them: figures and claims."""

from collections import Counter
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structbench.bench.runs import hosts, results, state, store
from structbench.bench.runs.merged import cpu_of, is_merged, merged_run, shared_cpu
from structbench.bench.runs.spec import Spec

if TYPE_CHECKING:
    import pandas as pd

SECONDS = ("wall_seconds", "cpu_seconds", "setup_seconds", "train_seconds", "test_seconds", "total_seconds")
VERSIONS = ("python", "numba", "numpy", "scipy")


class Machine(NamedTuple):
    """Where a run's seconds were measured. Seconds of two machines do not compare."""

    host: str
    cpu: str
    versions: str


@dataclass(frozen=True)
class _Untimed(store.Run):
    """A run of which no seconds are known: they are NaN, in its summary and on its curve."""

    timed: store.Run

    @cached_property
    def curve(self) -> "pd.DataFrame":
        curve = self.timed.curve
        return curve.assign(**{name: np.nan for name in SECONDS if name in curve})

    @cached_property
    def chunks(self) -> np.ndarray | None:
        return self.timed.chunks


def machines(runs: Iterable[store.Run]) -> list[Machine]:
    """The machines that these runs were made on, the one of most of them first."""
    found = Counter(map(machine_of, runs))
    return sorted(found, key=lambda machine: (-found[machine], machine))


def machine_of(run: store.Run) -> Machine:
    """Where a run was made, and with which versions."""
    made = run.summary["provenance"]
    versions = ", ".join(f"{name} {made[name]}" for name in VERSIONS if name in made)
    return Machine(made.get("host", ""), made.get("cpu", ""), versions)


class Runs:
    """The finished runs under a folder, by their specs; remembers which were asked for.

    Stale runs (``state``) count only if they are asked for.
    """

    def __init__(self, root: Path | None = None, with_stale: bool = False) -> None:
        self.root = Path(root or results.runs())
        self.asked: dict[Spec, store.Run | None] = {}
        self._with_stale = with_stale
        self._found: dict[str, state.Found] = {}
        self._merged: dict[tuple[str, str], store.Run | None] = {}  # by key and type of CPU
        self._cpu = ""  # of the merged runs that count
        self._timed = lambda run: True
        self._read = lambda spec: spec

    def __getitem__(self, spec: Spec) -> store.Run | None:
        """The run of this spec, or None if it is not finished."""
        spec = self._read(spec)
        key = spec.key
        if key not in self._found:
            self._found[key] = state.of_spec(spec, self.root / key)
        found = self._found[key]
        run = found.run if found.is_finished or self._with_stale else None
        if run is None and (place := (key, self._cpu)) != (key, ""):
            if place not in self._merged:
                self._merged[place] = merged_run(spec, self._cpu)
            run = self._merged[place]
        if run is not None and not self._timed(run):
            summary = run.summary | {name: np.nan for name in SECONDS if name in run.summary}
            run = _Untimed(run.key, run.folder, run.spec, summary, run)
        self.asked[spec] = run
        return run

    def finished(self, spec: Spec) -> store.Run:
        """The run of this spec; raises a LookupError unless it is finished."""
        if (run := self[spec]) is None:
            raise LookupError(f"{spec.key} is not finished")
        return run

    def present(self, specs: list[Spec]) -> list[store.Run]:
        """The finished runs of these specs."""
        return [run for spec in specs if (run := self[spec]) is not None]

    def take(self, runs: Iterable[store.Run]) -> list[Spec]:
        """Have finished runs that lie elsewhere count where these have none; the specs of those that do."""
        lacking = {run.spec: run for run in runs if self[run.spec] is None}
        self._found |= {spec.key: state.Found(state.State.FINISHED, "", run) for spec, run in lacking.items()}
        return [*lacking]

    def afresh(self) -> "Runs":
        """A view of these runs that starts with no requested runs."""
        other = copy(self)
        other.asked = {}
        return other

    def read_as(self, change: Callable[[Spec], Spec]) -> "Runs":
        """A view in which a spec gives the run of another one. It starts with no requested runs."""
        other = self.afresh()
        other._read = change
        return other

    def joined(self, specs: Iterable[Spec]) -> "Runs":
        """A view in which merged runs count where this machine has none. It starts with no requested runs.

        They are of one type of CPU: of the one that made those of these specs that are finished here. The view is
        these runs themselves if no merged run can count.
        """
        if self.root != results.runs() or not hosts.host_names():
            return self
        found = {spec: self[spec] for spec in specs}
        cpu = shared_cpu(filter(None, found.values()), (spec for spec, run in found.items() if run is None))
        if not cpu or all(found.values()):
            return self
        other = self.afresh()
        other._cpu = cpu
        return other

    @property
    def is_of_one_cpu(self) -> bool:
        """Whether the runs that were asked for were made on one type of CPU, or all on this machine."""
        return not any(map(is_merged, self.used)) or len({*map(cpu_of, self.used)}) == 1

    def timed_on(self, machine: Machine | None) -> "Runs":
        """A view of these runs in which seconds from other machines are NaN. It starts with no requested runs.

        ``None``: All seconds are NaN.
        """
        return self._with_seconds_of(lambda run: machine_of(run) == machine and not is_merged(run))

    def undisturbed(self) -> "Runs":
        """A view of these runs in which seconds of disturbed runs are NaN. It starts with no requested runs."""
        return self._with_seconds_of(lambda run: not run.disturbance)

    def _with_seconds_of(self, timed: Callable[[store.Run], bool]) -> "Runs":
        other, before = self.afresh(), self._timed
        other._timed = lambda run: before(run) and timed(run)
        return other

    def comparable(self, specs: Iterable[Spec]) -> "Runs":
        """A view of these runs with seconds only from the machine that made most of these specs.

        Merged runs have none.
        """
        made = self.present([*specs])
        here = [run for run in made if not is_merged(run)]
        first, *others = machines(here) or [None]
        return self.timed_on(first) if others or len(here) < len(made) else self.afresh()

    @property
    def used(self) -> list[store.Run]:
        """The finished runs asked for, by name."""
        return sorted((run for run in self.asked.values() if run is not None), key=lambda run: run.key)

    @property
    def missing(self) -> list[str]:
        """The keys asked for that do not count."""
        return sorted(spec.key for spec, run in self.asked.items() if run is None)

    @property
    def disturbed(self) -> list[str]:
        """The keys asked for whose seconds are of a run that something disturbed."""
        return sorted(run.key for run in self.used if run.disturbance)

    @property
    def stale(self) -> list[str]:
        """The keys asked for that are stale and count."""
        there = [run.key for run in self.used if not is_merged(run)]
        return sorted(key for key in there if self._found[key].state is state.State.STALE)
