"""The finished runs under a folder, for what reads them: figures and claims."""

from pathlib import Path

from bench.runs import results, store
from bench.runs.spec import Spec


class Runs:
    """The finished runs under a folder, by their specs; remembers which were asked for.

    A run counts only if its ``spec.json`` is the spec asked for: a key leaves defaults out, so that a run
    made before a default was changed has the key of another spec.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = Path(root or results.runs())
        self.asked: dict[str, store.Run | None] = {}
        self._read: dict[str, store.Run | None] = {}

    def __getitem__(self, spec: Spec) -> store.Run | None:
        """The run of this spec, or None if it is not finished."""
        key = spec.key
        if key not in self._read:
            folder = self.root / key
            run = store.read(folder) if store.finished(folder) else None
            self._read[key] = run if run is not None and run.spec == spec.as_dict() else None
        self.asked[key] = self._read[key]
        return self._read[key]

    def present(self, specs: list[Spec]) -> list[store.Run]:
        """Those of these specs' runs that are finished."""
        return [run for spec in specs if (run := self[spec]) is not None]

    def afresh(self) -> "Runs":
        """The same runs, none asked for yet."""
        other = Runs(self.root)
        other._read = self._read
        return other

    @property
    def used(self) -> list[store.Run]:
        """The finished runs asked for, by name."""
        return [run for _, run in sorted(self.asked.items()) if run is not None]

    @property
    def missing(self) -> list[str]:
        """The keys asked for that are not finished."""
        return sorted(key for key, run in self.asked.items() if run is None)
