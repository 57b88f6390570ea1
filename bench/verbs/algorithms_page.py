"""The table of docs/reference/algorithms.md, from what the algorithms declare."""

import re
from typing import Any

from structbench.algorithms.runtime import own_folders
from structbench.bench.runs import catalogue
from structbench.bench.runs.algorithm_files import by_family, file_of
from structbench.bench.runs.algorithm_module import algorithms, declaration
from structbench.bench.verbs import marks

HEADING = ("algorithm", "family", "in figures", "what it is", "loss", "penalty", "asks of a structure", "random")


def text() -> str:
    """The table in Markdown, a row an algorithm of the project's own."""
    ours = [name for name in algorithms() if own_folders.owner(file_of(name)) is None]
    return "\n".join(
        ["", *marks.table(HEADING, map(_row, sorted(ours, key=lambda name: (family(name), name)))), ""]
    )


def family(name: str) -> str:
    """The family of an algorithm, in words."""
    return by_family()[name][0].replace("_", " ")


def _row(name: str) -> tuple[Any, ...]:
    declared = declaration(name)
    changed = [
        f"{loss} with `{key}={value}`"
        for key, values in declared.loss_with.items()
        for value, loss in values.items()
    ]
    return (
        f"`{name}`",
        family(name),
        catalogue.label(name),
        re.sub(rf"\b({'|'.join(catalogue.papers())})\b", r"`\1`", algorithms()[name].rstrip(".")),
        ", ".join([declared.loss, *changed]),
        ", ".join(declared.penalties),
        ", ".join(catalogue.needs(name, {})),
        _when(declared.random),
    )


def _when(random: Any) -> str:
    if isinstance(random, bool):
        return "yes" if random else "no"
    return "; ".join(f"`{key}` {', '.join(map(str, values))}" for key, values in random.items())
