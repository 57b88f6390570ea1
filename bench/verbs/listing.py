"""``data``, and the listings of ``list``: what there is to run."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from structbench import datasets
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import defaults
from structbench.algorithms.structures import structure_types
from structbench.bench.runs import algorithm_files, algorithm_module, catalogue, problems
from structbench.bench.verbs.saying import document, say, table
from structbench.datasets.fetching import download

PAGE = Path("docs", "reference", "algorithms.md")


def listed(kind: str | None = None, structure: str | None = None) -> dict[str, dict[str, tuple[Any, str]]]:
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
    return {name: {each: (row, _text(row)) for each, row in rows.items()} for name, rows in found.items()}


def is_sound() -> bool:
    """Whether each file that is listed could be read."""
    return not (algorithm_module.broken() or structure_types.broken() or family.broken())


def write_pages() -> None:
    """Bring the pages that are made of the listings up to date."""
    from structbench.bench.report import answers
    from structbench.bench.verbs import algorithms_page, api_page, marks

    marks.write(PAGE, "list algorithms", algorithms_page.text())
    write_atomically(api_page.PAGE, api_page.text())
    say(f"wrote the table of {PAGE}, {api_page.PAGE} and {answers.write()}")


def _marked(kind: str, name: str, row: Any) -> Any:
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
    return row + mark if isinstance(row, str) else row | {"about": row["about"] + mark}


def _algorithms(structure: str | None) -> dict[str, Any]:
    """Name -> what it is and how to set it; or why its file cannot be read."""
    known = catalogue.structures() if structure else {}
    if structure and structure not in known:
        hint = meant(structure, known)
        raise UserError(f"unknown structure {structure!r}: {hint}there are {', '.join(known)}")
    fitting = catalogue.fitting(structure) if structure else catalogue.algorithms()
    what = {"losses": catalogue.losses, "penalties": catalogue.penalties, "parameters": catalogue.parameters}
    found = {
        name: {"about": about} | {each: told(name) for each, told in what.items()}
        for name, about in catalogue.algorithms().items()
        if name in fitting
    }
    return dict(sorted((found | ({} if structure else algorithm_module.broken())).items()))


def _text(row: str | dict[str, Any]) -> str:
    """A row of a listing for people."""
    if isinstance(row, str):
        return row
    if "algorithms" in row:
        return f"{row['about']}\n{', '.join(row['algorithms'])}"
    given = ", ".join(f"{key}={value}" for key, value in row["parameters"].items())
    penalties = row["penalties"]
    words = [f"--penalty {' or '.join(penalties)}"] if penalties not in (("l2",), ("none",)) else []
    words += [f"--set {given}"] if given else []
    return "\n".join([row["about"], *words])


def _losses() -> dict[str, Any]:
    """Name -> what it is, and which algorithms minimise it; or why its file cannot be read."""
    found: dict[str, Any] = dict(family.broken())
    for name in family.names():
        if name in found:
            continue
        fit = [each for each in catalogue.algorithms() if catalogue.minimises(each, name.replace(family.TAU, "1"))]
        found[name] = {"about": family.about(name), "algorithms": fit}
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


def do_data(given: argparse.Namespace) -> int:
    if given.test and given.action != "check":
        raise UserError(f"data {given.action} takes no --test: `data check` does")
    if given.action == "list":
        return document(_data_sets()) if given.json else table(("data set", "what it is"), _data_sets())
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
        if isinstance(about, dict):  # of `data show`
            _print_data(name, about)
    return 0


def _checked(given: argparse.Namespace) -> int:
    from structbench.bench.verbs import checking

    found = {name: checking.check(name, given.test) for name in given.names}
    if given.json:
        return document(found)
    for name, about in found.items():
        checking.show(name, about)
    return 0


def _fetched(data: datasets.DataRef) -> list[dict[str, Any]]:
    """The files of a data set, once they are here."""
    found = []
    for file in datasets.sources(data.name):
        place, size = download.fetch(file), download.size(file)
        say(f"{place}: {size:,} bytes, SHA-256 {file.sha256}")
        found.append({"file": str(place), "bytes": size, "sha256": file.sha256})
    say(f"licence of {data}: {data.module.LICENCE}")
    return found


def _described(data: datasets.DataRef) -> dict[str, Any]:
    files = [
        {
            "name": file.name,
            "bytes": download.size(file),  # None: not fetched
            "max_bytes": file.max_bytes,
            "sha256": file.sha256,
            "sources": [str(source) for source in file.sources],
        }
        for file in datasets.sources(data.name)
    ]
    module = data.module
    options = {key: value for key, value in defaults(module.load).items() if value is not None}
    about = (module.__doc__ or "").strip()
    said = {"about": about, "licence": module.LICENCE, "options": options, "files": files}
    return said | {"costs": "chunks, or the path of a file: docs/reference/data.md", "labels": _labels(data)}


def _labels(data: datasets.DataRef) -> list[str] | None:
    """The labels of a data set; None until a run has built it."""
    try:
        return [*problems.obtain(data)[0].labels] if problems.fingerprint(data) else None
    except UserError:  # it needs the path of a file
        return None


def _print_data(name: str, about: dict[str, Any]) -> None:
    print(f"{name}: {about['about']}\n")
    print(f"licence: {about['licence']}")
    print(f"options: {', '.join(f'{key}={value}' for key, value in about['options'].items()) or 'none'}")
    print(f"costs: {about['costs']}")
    labels = "known once a run has built the data" if about["labels"] is None else ", ".join(about["labels"])
    print(f"labels: {labels}")
    for file in about["files"]:
        here = f"{file['bytes'] or 0:,} bytes in {download.cache_folder()}"
        there = here if file["bytes"] else f"at most {file['max_bytes']:,} bytes, not fetched"
        print(f"\nfile {file['name']}: {there}\n  SHA-256 {file['sha256']}")
        for source in file["sources"]:
            print(f"  from {source}")
