"""``data`` and ``list``: what there is to run."""

import argparse

import datasets
from algorithms.runtime.errors import UserError
from algorithms.runtime.options import defaults
from bench.runs import catalogue
from bench.verbs.saying import say, table
from datasets.fetching import download


def do_data(given: argparse.Namespace) -> int:
    if given.action == "list":
        return table(("data set", "what it is"), {name: datasets.describe(name) for name in datasets.names()})
    if not given.names:
        raise UserError(f"data {given.action}: name a data set: {', '.join(datasets.names())}")
    for name in given.names:
        module = datasets.module(datasets.parse(name).name if ":" in name else name)
        if given.action == "fetch":
            for file in module.SOURCES:
                say(f"{download.fetch(file)}: {download.size(file):,} bytes, SHA-256 {file.sha256}")
            say(f"licence of {name}: {module.LICENCE}")
        else:
            _show_data(name, module)
    return 0


def _show_data(name: str, module) -> None:
    print(f"{name}: {(module.__doc__ or '').strip()}\n")
    print(f"licence: {module.LICENCE}")
    options = {key: value for key, value in defaults(module.load).items() if key != "test"}
    print(f"options: {', '.join(f'{key}={value}' for key, value in options.items()) or 'none'}")
    for file in module.SOURCES:
        size = download.size(file)
        there = (
            f"{size:,} bytes in {download.cache_folder()}"
            if size
            else f"at most {file.max_bytes:,} bytes, not fetched"
        )
        print(f"\nfile {file.name}: {there}\n  SHA-256 {file.sha256}")
        for source in file.sources:
            print(f"  from {source}")


def do_list(given: argparse.Namespace) -> int:
    kinds = {
        "algorithms": lambda: {
            name: _with_parameters(name, text) for name, text in catalogue.algorithms().items()
        },
        "structures": lambda: catalogue.structures(),
        "datasets": lambda: {name: datasets.describe(name) for name in datasets.names()},
        "figures": catalogue.papers,
    }
    for kind, members in kinds.items():
        if given.kind in (None, kind):
            table((kind, ""), members())
    return 0


def _with_parameters(name: str, text: str) -> str:
    given = ", ".join(f"{key}={value}" for key, value in catalogue.parameters(name).items())
    penalties = catalogue.penalties(name)
    words = [f"--penalty {' or '.join(penalties)}"] if penalties not in (("l2",), ("none",)) else []
    words += [f"--set {given}"] if given else []
    return "\n".join([text, *words])
