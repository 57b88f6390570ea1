"""Read the columns that have both a paper's numbers and ours from the ``figures.md`` that we publish for it."""

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from structbench.bench.report.paper_pages import FIGURES

THEIRS, OURS = ", theirs", ", ours"  # how columns end
NUMBER = re.compile(r"-?\d+(\.\d+)?")
Columns = Mapping[tuple[str, str], list[tuple[float, float]]]  # paper and column -> ours and theirs, in each row


def columns(folder: Path) -> Columns:
    """The columns of a paper's published tables that have numbers of both; those that a number names are one."""
    file, found = folder / FIGURES, defaultdict(list)
    for section in file.read_text(encoding="utf-8").split("\n## ")[1:] if file.exists() else []:
        stem, *lines = section.splitlines()
        heads, *rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")] or [[]]
        for name in (head.removesuffix(THEIRS) for head in heads if head.endswith(THEIRS)):
            sums = name == "total" and "iterations, theirs" in heads  # they add up what stands beside them
            for row in (dict(zip(heads, cells, strict=True)) for cells in rows if not sums):
                both = row.get(name + OURS, "-"), row[name + THEIRS]
                if all(map(NUMBER.fullmatch, both)):
                    column = stem if name.isdigit() else f"{stem}, {name}"
                    found[folder.name, column].append((float(both[0]), float(both[1])))
    return found
