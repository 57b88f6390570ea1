"""What runs and compares algorithms names no structure and no loss: these say themselves what they need."""

import ast
from pathlib import Path

import pytest

from structbench.algorithms.losses import family
from structbench.algorithms.structures.structure_types import structure_types

BENCH = Path(__file__).resolve().parents[2] / "bench"
OTHER_MEANING = {  # words that are an id, too -> where they stand
    "for_others.py": {"multiclass", "chain"},  # the only ones that are arrays for programs of others
    "drawing/error_by_strength.py": {"log"},  # the scale of an axis
    "drawing/style.py": {"log"},  # the same
    "notebook.py": {"log"},  # the same
    "workflow/messages.py": {"log"},  # a message's files of what a job said
}


@pytest.mark.parametrize("words", [{*structure_types()}, {*family.loss_names()}], ids=["structures", "losses"])
def test_no_file_but_those_of_papers_and_estimators_names_one(words):
    found = {}
    for file in sorted(BENCH.rglob("*.py")):
        name = file.relative_to(BENCH).as_posix()
        texts = {each.value for each in ast.walk(ast.parse(file.read_text())) if isinstance(each, ast.Constant)}
        if (named := texts & words - OTHER_MEANING.get(name, set())) and not name.startswith(
            ("papers/", "estimators/")
        ):
            found[name] = named
    assert found == {}
