"""``data``: list, show, fetch or check data sets."""

import argparse
from typing import NamedTuple

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given, defaults
from structbench.bench.runs import problem_store
from structbench.bench.verbs.listing import data_sets
from structbench.bench.verbs.saying import document, print_pairs, say
from structbench.bench.verbs.verb import JSON, argument, verb
from structbench.datasets.fetching import download
from structbench.datasets.references import modules


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
    if given.action == "list" and given.names:
        raise UserError(f"data list has all data sets: `data show {given.names[0]}` shows one")
    if given.action == "list":
        return document(data_sets()) if given.json else print_pairs(("data set", "what it is"), data_sets())
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
    from structbench.bench.verbs import data_check

    found = {name: data_check.check_data(name, given.test) for name in given.names}
    if given.json:
        return document({name: about.record() for name, about in found.items()})
    for name, about in found.items():
        data_check.show(name, about)
    return 0


def _fetched(data: datasets.DataRef) -> list[dict[str, str | int | None]]:
    """The files of a data set, once they are here."""
    found = []
    say(f"licence of {data}: {data.module.LICENCE}")
    for file in datasets.sources(data.name):
        place, size = download.fetch(file), download.size(file)
        say(f"{place}: {size:,} bytes, SHA-256 {file.sha256}")
        found.append({"file": str(place), "bytes": size, "sha256": file.sha256})
    return found


def _described(data: datasets.DataRef) -> Described:
    files = [
        SourceFile(file.name, download.size(file), file.max_bytes, file.sha256, [*map(str, file.sources)])
        for file in datasets.sources(data.name)
    ]
    module = data.module
    options = {key: value for key, value in defaults(module.load).items() if value is not None}
    return Described((module.__doc__ or "").strip(), module.LICENCE, options, files, _costs(data), _labels(data))


def _costs(data: datasets.DataRef) -> str:
    """The costs that its problem takes."""
    from structbench.algorithms.structures.structure_types import structure_type
    from structbench.datasets.problems import costs

    is_format = modules.reads_a_file(data.name) and data.text == data.name
    named = datasets.data_ref(f"{data.name}:PATH") if is_format else data  # its options may tell the structure
    found = costs.kinds_taken(structure_type(named.structure)._fields)
    return found if found == "none" else f"{found}: docs/reference/data.md"


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
