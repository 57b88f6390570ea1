"""Runs in batches: what one job of the workflow makes, and the manifest that says what came of it.

A process costs a second to start, so short runs go together. A batch takes runs of one data set, with whatever
options, for about a minute. Runs whose seconds are read have batches of their own. These get the machine to
themselves, one after another, and so may be longer.

The file ``batches.json`` of a config keeps which runs are together. A new run goes into a new batch. Neither it
nor another estimate moves the runs that have their place.

A manifest lists each run's status, or why it failed. If it lists a failure, or a run that is gone since, it stays
as it is. The next attempt has a file of its own. So the files alone say whether there is anything to do, and
finding out deletes nothing.
"""

import json
import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from structbench import datasets
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import results, state, store
from structbench.bench.runs.spec import Spec
from structbench.bench.workflow import estimate

SECONDS, ALONE_SECONDS = 60.0, 120.0  # that the runs of a batch are expected to take; of one that runs alone
RUNS = 100  # at most in one
AGAIN = "STRUCTBENCH_AGAIN"  # in the environment of jobs that make finished runs again


@dataclass(frozen=True)
class Batch:
    """The runs of one job. The name says data set and algorithm, and changes with the runs.

    Attributes:
        alone: Its seconds are read, so nothing else may run meanwhile.
        memory: Its peak memory is read, and so measured, each in a run of its own.
    """

    name: str
    specs: tuple[Spec, ...]
    alone: bool
    memory: bool = False

    @property
    def threads(self) -> int:
        """How many threads each of the runs uses."""
        return self.specs[0].threads

    @property
    def options(self) -> str:
        """How ``bench batch`` is to make it."""
        paths = {f"{name}={path}" for spec in self.specs for name, path in spec.paths.items()}
        given = [shlex.quote(f"--path={each}") for each in sorted(paths)]
        return " ".join(["--alone"] * self.alone + ["--memory"] * self.memory + given)

    @property
    def manifest(self) -> Path:
        """The manifest to have: that of the last attempt if all is well, else that of the next one."""
        attempt = self._attempts
        whole = attempt and not self.missing(self._file(attempt))
        return self._file(attempt if whole else attempt + 1)

    def last(self) -> dict[str, str]:
        """Run -> why it is not there, by the last attempt; runs that another config's batches made are there."""
        return self.missing(self._file(self._attempts)) if self._attempts else self._gone({})

    @property
    def _attempts(self) -> int:
        attempt = 0
        while self._file(attempt + 1).exists():
            attempt += 1
        return attempt

    def missing(self, file: Path) -> dict[str, str]:
        """Run -> why it is not there, by a manifest of this batch."""
        try:
            said = json.loads(file.read_text(encoding="utf-8"))
            failed = {key: str(reason) for key, reason in said["failed"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {spec.key: "it was not made yet" for spec in self.specs}
        return failed | self._gone(failed)

    def _gone(self, failed: dict[str, str]) -> dict[str, str]:
        """Run -> why it does not count, of those that are not named among the failed."""
        keys = {spec.key: spec for spec in self.specs if spec.key not in failed}
        found = {key: state.of(keys[key], results.runs() / key, self.alone, self.memory) for key in keys}
        return {key: each.reason for key, each in found.items() if not each.is_finished}

    def _file(self, attempt: int) -> Path:
        return results.batches() / f"{self.name}.{attempt}.json"


def of(
    specs: Iterable[Spec],
    timed: frozenset[Spec],
    measured: frozenset[Spec] = frozenset(),
    before: Mapping[str, list[str]] = MappingProxyType({}),
) -> dict[str, Batch]:
    """Name -> batch.

    Args:
        timed: The runs whose seconds are read.
        measured: The runs whose peak memory is read.
        before: The keys of each earlier batch. Its runs stay together if data, threads and these two agree.
    """

    def kind(spec: Spec) -> tuple:
        name, _, path = datasets.parse(spec.data)
        return f"{name} {path}", spec.test or "", spec.threads, spec in timed, spec in measured

    left = {spec.key: spec for spec in specs}
    pieces = []
    for keys in before.values():
        members = [left[key] for key in dict.fromkeys(keys) if key in left]
        if len(set(map(kind, members))) == 1:
            pieces.append(members)
            for spec in members:
                del left[spec.key]
    groups = defaultdict(list)
    for spec in left.values():
        groups[kind(spec)].append(spec)
    for (*_, alone, _), members in groups.items():
        members.sort(key=lambda spec: (spec.algorithm, spec.data, spec.key))
        pieces += _cut(members, ALONE_SECONDS if alone else SECONDS)
    made = (Batch(_name(piece), tuple(piece), *kind(piece[0])[3:]) for piece in pieces)
    return {batch.name: batch for batch in made}


def _name(specs: list[Spec]) -> str:
    digest = sha256("\n".join(spec.key for spec in specs).encode()).hexdigest()[:8]
    names = [datasets.parse(specs[0].data).name, *dict.fromkeys(spec.algorithm for spec in specs)]
    return f"{'-'.join(names if len(names) < 3 else [*names[:2], 'to', names[-1]])}-{digest}"


def cut_file(config: str) -> Path:
    """The file that says which runs of a config are together."""
    return results.root() / config / "batches.json"


def cut_before(config: str) -> dict[str, list[str]]:
    """Batch -> the keys of its runs, as that file has them. Empty if there is no file."""
    try:
        found = json.loads(cut_file(config).read_text(encoding="utf-8"))
        return {str(name): [str(key) for key in keys] for name, keys in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def cut_as_json(made: Iterable[Batch], config: str) -> str:
    """The text of that file: these batches, each with its former runs that the config no longer has."""
    cut = {batch.name: [spec.key for spec in batch.specs] for batch in made}
    place = {key: name for name, keys in cut.items() for key in keys}
    for name, keys in cut_before(config).items():
        homes = {place[key] for key in keys if key in place}
        gone = [key for key in keys if key not in place]
        if gone:
            cut.setdefault(homes.pop() if len(homes) == 1 else name, []).extend(gone)
    return json.dumps(cut, indent=0) + "\n"


def _cut(specs: list[Spec], most: float) -> Iterator[list[Spec]]:
    """The runs in pieces, each with work for at most so many seconds."""
    piece, seconds = [], 0.0
    for spec in specs:
        more = estimate.seconds(spec)
        if piece and (seconds + more > most or len(piece) == RUNS):
            yield piece
            piece, seconds = [], 0.0
        piece.append(spec)
        seconds += more
    if piece:
        yield piece


def is_again() -> bool:
    """Whether batches are to make finished runs again."""
    return bool(os.environ.get(AGAIN))


def write_manifest(file: Path, keys: Iterable[str], failed: dict[str, str]) -> None:
    """What a batch made: the status of its runs, and of those that failed the reason."""
    status = {key: store.read(results.runs() / key).summary["status"] for key in keys if key not in failed}
    write_atomically(file, json.dumps({"runs": status, "failed": failed}, indent=1) + "\n")
