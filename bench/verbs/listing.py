"""``data``, and the listings of ``list``: what there is to run."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from structbench import datasets
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import Given, defaults
from structbench.algorithms.structures import structure_types
from structbench.bench.runs import algorithm_files, algorithm_module, catalogue, documents, problem_store, records
from structbench.bench.verbs.saying import document, print_pairs, say
from structbench.bench.verbs.verb import JSON, argument, verb
from structbench.datasets.fetching import download


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


class SourceFile(NamedTuple):
    """A file of a data set. bytes: None if it is not fetched."""

    name: str
    bytes: int | None
    max_bytes: int
    sha256: str
    sources: list[str]


class Described(NamedTuple):
    """A data set. labels: None until a run has built it."""

    about: str
    licence: str
    options: Given
    files: list[SourceFile]
    costs: str
    labels: list[str] | None


class Fetched(NamedTuple):
    """A file of a data set that is here."""

    file: str
    bytes: int | None
    sha256: str


Row = Algorithm | Loss | str  # a text of what has no more to say, or why the file cannot be read
Listing = dict[str, dict[str, tuple[documents.Json | str, str]]]


def listed(kind: str | None = None, structure: str | None = None) -> Listing:
    """What there is of a kind, or of all: name -> its row as a document, and as a text for people.

    Raises:
        UserError: There is no such structure.
    """
    members = {
        "algorithms": lambda: _algorithms(structure),
        "losses": _losses,
        "structures": lambda: catalogue.structures() | structure_types.broken(),
        "datasets": _data_sets,
        "figures": lambda: {name: _or_why(_described_paper, name) for name in catalogue.papers()},
    }
    found = {
        name: {each: _marked(name, each, row) for each, row in what().items()}
        for name, what in members.items()
        if kind in (None, name)
    }
    return {
        name: {each: (records.plain(row), str(row)) for each, row in rows.items()} for name, rows in found.items()
    }


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
    found: dict[str, Row] = {**family.broken()}
    for name in family.loss_names():
        if name in found:
            continue
        fit = [each for each in catalogue.algorithms() if catalogue.minimises(each, name.replace(family.TAU, "1"))]
        found[name] = Loss(family.about(name), fit)
    return found


def _data_sets() -> dict[str, str]:
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


@verb(
    argument("action", choices=["list", "show", "fetch", "check"]),
    argument("names", nargs="*", metavar="NAME|FORMAT:PATH"),
    argument("--test", metavar="PATH", help="for check: the test file of a file of yours"),
    JSON,
    examples=(
        "data show conll2000",
        "data list",
        "data fetch mnist",
        "data check columns:train.txt --test test.txt",
    ),
)
def do_data(given: argparse.Namespace) -> int:
    """List, show, fetch or check data sets."""
    if given.test and given.action != "check":
        raise UserError(f"data {given.action} takes no --test: `data check` does")
    if given.action == "list":
        return document(_data_sets()) if given.json else print_pairs(("data set", "what it is"), _data_sets())
    if not given.names:
        hint = "name a data set, such as mnist: `python -m bench data list` has all"
        raise UserError(f"data {given.action}: {hint}")
    if given.action == "check":
        return _checked(given)
    act = _fetched if given.action == "fetch" else _described
    known = datasets.names()  # a format of the user's files needs no path here
    refs = {name: datasets.stored(name) if name in known else datasets.data_ref(name) for name in given.names}
    found = {name: act(ref) for name, ref in refs.items()}
    if given.json:
        return document(found)
    for name, about in found.items():
        if isinstance(about, Described):
            _print_data(name, about)
    return 0


def _checked(given: argparse.Namespace) -> int:
    from structbench.bench.verbs import checking

    found = {name: checking.check_data(name, given.test) for name in given.names}
    if given.json:
        return document({name: about.record() for name, about in found.items()})
    for name, about in found.items():
        checking.show(name, about)
    return 0


def _fetched(data: datasets.DataRef) -> list[Fetched]:
    """The files of a data set, once they are here."""
    found = []
    for file in datasets.sources(data.name):
        place, size = download.fetch(file), download.size(file)
        say(f"{place}: {size:,} bytes, SHA-256 {file.sha256}")
        found.append(Fetched(str(place), size, file.sha256))
    say(f"licence of {data}: {data.module.LICENCE}")
    return found


def _described(data: datasets.DataRef) -> Described:
    files = [
        SourceFile(file.name, download.size(file), file.max_bytes, file.sha256, [*map(str, file.sources)])
        for file in datasets.sources(data.name)
    ]
    module = data.module
    options = {key: value for key, value in defaults(module.load).items() if value is not None}
    costs = "chunks, or the path of a file: docs/reference/data.md"
    return Described((module.__doc__ or "").strip(), module.LICENCE, options, files, costs, _labels(data))


def _labels(data: datasets.DataRef) -> list[str] | None:
    """The labels of a data set; None until a run has built it."""
    try:
        return [*problem_store.obtain(data)[0].labels] if problem_store.fingerprint(data) else None
    except UserError:  # it needs the path of a file
        return None


def _print_data(name: str, about: Described) -> None:
    print(f"{name}: {about.about}\n")
    print(f"licence: {about.licence}")
    print(f"options: {', '.join(f'{key}={value}' for key, value in about.options.items()) or 'none'}")
    print(f"costs: {about.costs}")
    print(f"labels: {'known once a run has built the data' if about.labels is None else ', '.join(about.labels)}")
    for file in about.files:
        here = f"{file.bytes or 0:,} bytes in {download.cache_folder()}"
        there = here if file.bytes else f"at most {file.max_bytes:,} bytes, not fetched"
        print(f"\nfile {file.name}: {there}\n  SHA-256 {file.sha256}")
        for source in file.sources:
            print(f"  from {source}")
