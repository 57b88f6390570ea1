"""``list``: print what there is to run, and how many runs a config has of each."""

import argparse
import itertools
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from structbench import datasets
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import Given
from structbench.algorithms.structures import structure_types
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import algorithm_files, algorithm_module, catalogue, documents, records
from structbench.bench.verbs.saying import document
from structbench.bench.verbs.verb import JSON, argument, verb

if TYPE_CHECKING:
    from structbench.bench.workflow.config import Config

KINDS = "algorithms", "losses", "structures", "datasets", "figures"
ALSO = {"data": "datasets", "data-sets": "datasets", "methods": "algorithms"}


class Algorithm(NamedTuple):
    """An algorithm, and how to set it."""

    about: str
    losses: tuple[str, ...]
    penalties: tuple[str, ...]
    parameters: Given

    def __str__(self) -> str:
        given = ", ".join(f"{key}={value}" for key, value in self.parameters.items())
        words = [] if self.penalties in (("l2",), ("none",)) else [f"--penalty {' or '.join(self.penalties)}"]
        words += [f"--set {given}"] if given else []
        return "\n".join([self.about, *words])


class Loss(NamedTuple):
    """A loss, and which algorithms minimise it."""

    about: str
    algorithms: list[str]

    def __str__(self) -> str:
        return f"{self.about}\n{', '.join(self.algorithms)}"


Row = Algorithm | Loss | str  # a text of what has no more to say, or why the file cannot be read
Listing = dict[str, dict[str, tuple[documents.Json | str, str]]]


@verb(
    argument("kind", nargs="?", choices=KINDS, type=lambda word: ALSO.get(word, word), help="just these"),
    argument("--structure", metavar="ID", help="just the algorithms that learn it"),
    argument("--config", action="append", metavar="CONFIG", help="the runs of each in this config; repeat it"),
    JSON,
    examples=("list algorithms", "list --structure chain", "list --config quick --config measure", "list --json"),
)
def do_list(given: argparse.Namespace) -> int:
    """List algorithms, losses, structures, data sets and figures."""
    if given.structure and given.kind not in (None, "algorithms"):
        raise UserError(f"--structure is for algorithms: leave out {given.kind!r}")
    if given.config:
        if given.structure or given.kind == "figures":
            raise UserError("--config counts runs of algorithms, losses, structures and datasets: name one")
        return _count(given.config, given.kind, given.json)
    found = listed("algorithms" if given.structure else given.kind, given.structure)
    if given.json:
        return document({name: {each: row for each, (row, _) in rows.items()} for name, rows in found.items()})
    for name, rows in found.items():
        print_table([name, ""], [[each, text] for each, (_, text) in rows.items()])
    return 0


def _count(chosen: list[str], kind: str | None, as_json: bool) -> int:
    """Print how many runs of each config there are of each, in place of what it is."""
    from structbench.bench.workflow import config as configs

    read = {config: configs.read_config(config) for config in chosen}  # all first: they may name folders
    every = {config: counted(each) for config, each in read.items()}
    found = {
        config: {name: rows for name, rows in runs.items() if kind in (None, name)}
        for config, runs in every.items()
    }
    if as_json:
        return document(found)
    for name, rows in found[chosen[0]].items():
        counts = {each: [str(runs[name][each]) for runs in found.values()] for each in rows}
        print_table([name, *found], [[each, *own] for each, own in counts.items() if {*own} != {"0"}])
    return 0


def listed(kind: str | None = None, structure: str | None = None) -> Listing:
    """What there is of a kind, or of all: name -> its row as a document, and as a text for people.

    Raises:
        UserError: There is no such structure.
    """
    members = {
        "algorithms": lambda: _algorithms(structure),
        "losses": _losses,
        "structures": lambda: catalogue.structures() | structure_types.broken(),
        "datasets": data_sets,
        "figures": lambda: {name: _or_why(_described_paper, name) for name in catalogue.papers()},
    }
    found: Listing = {}
    for room in members if kind is None else [kind]:
        rows = {name: _marked(room, name, row) for name, row in members[room]().items()}
        found[room] = {name: (records.plain(row), str(row)) for name, row in rows.items()}
    return found


def counted(config: "Config") -> dict[str, dict[str, int]]:
    """Kind -> name -> the runs that the config has of it; also runs of programs that are not installed."""
    specs = [*dict.fromkeys(itertools.chain(*config.experiments.values()))]
    runs = {
        "algorithms": (catalogue.algorithms(), Counter(spec.algorithm for spec in specs)),
        "losses": (family.loss_names(), Counter(family.kind(spec.loss) for spec in specs)),
        "structures": (structure_types.structure_types(), Counter(spec.data.structure for spec in specs)),
        "datasets": (datasets.names(), Counter(spec.data.name for spec in specs)),
    }
    return {kind: {name: found[name] for name in names} for kind, (names, found) in runs.items()}


def _marked(kind: str, name: str, row: Row) -> Row:
    """A row of a listing; that of something of the user's own says in which folder it is."""
    stem = name.removesuffix(f"-{family.TAU}").replace("-", "_")
    rooms = {"losses": "algorithms/losses", "structures": "algorithms/structures", "figures": "bench/papers"}
    file = f"{rooms.get(kind, kind)}/{stem}"
    if kind == "algorithms":
        file = algorithm_files.file_of(name).with_suffix("").as_posix()
    folder = own_folders.owner(f"{file}.py") or own_folders.owner(file)
    if folder is None:
        return row
    mark = f" (yours, {folder})"
    return row + mark if isinstance(row, str) else row._replace(about=row.about + mark)


def _algorithms(structure: str | None) -> dict[str, Row]:
    """Name -> what it is and how to set it; or why its file cannot be read."""
    known = catalogue.structures() if structure else {}
    if structure and structure not in known:
        hint = meant(structure, known)
        raise UserError(f"unknown structure {structure!r}: {hint}there are {', '.join(known)}")
    fitting = catalogue.fitting(structure) if structure else catalogue.algorithms()
    found: dict[str, Row] = {} if structure else {**algorithm_module.broken()}
    for name, about in catalogue.algorithms().items():
        if name in fitting:
            how = catalogue.losses(name), catalogue.penalties(name), catalogue.parameters(name)
            found.setdefault(name, Algorithm(about, *how))
    return dict(sorted(found.items()))


def _losses() -> dict[str, Row]:
    """Name -> what it is, and which algorithms minimise it; or why its file cannot be read."""
    found: dict[str, Row] = {**catalogue.broken_losses()}
    for name in family.loss_names():
        if name in found:
            continue
        fit = [each for each in catalogue.algorithms() if catalogue.minimises(each, name.replace(family.TAU, "1"))]
        found[name] = Loss(family.about(name), fit)
    return found


def data_sets() -> dict[str, str]:
    """Name -> what it is, or why its file cannot be read."""
    return {name: _or_why(datasets.describe, name) for name in datasets.names()}


def _described_paper(name: str) -> str:
    for file in own_folders.files(f"bench/papers/{name}", "*.py").values():
        modules.parsed(file)
    return catalogue.papers()[name]


def _or_why(describe: Callable[[str], str], name: str) -> str:
    """What a name stands for, or why its file cannot be read: one broken file hides no other."""
    try:
        return describe(name)
    except UserError as error:
        return str(error)
