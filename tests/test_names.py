"""Names that can be searched for: at most three functions share one, and a module's name means one thing."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("algorithms", "bench", "datasets")
MOST = 3  # functions of one name


def functions(file: Path) -> list[str]:
    """The public functions at the level of a module."""
    found = [each for each in ast.parse(file.read_text()).body if isinstance(each, ast.FunctionDef)]
    return [each.name for each in found if not each.name.startswith("_")]


OPERATIONS = ("structures/interface.py", "structures/whole_splits.py", "search/problem.py")
STRUCTURES = {name for file in OPERATIONS for name in functions(ROOT / "algorithms" / file)}
INTERFACES = {  # folder -> functions that others call by these names, in any file there
    "": {"solve", "load", "build"},
    "algorithms/structures": STRUCTURES,
    "algorithms/search": STRUCTURES,
    "bench/papers": {"runs_of", "figures_of", "claims_of", "timed_of", "costs_of"},
    "datasets": {"encode", "written", "example"},
    "datasets/scores": {"scores", "by_label"},
}


def files() -> list[Path]:
    found = [file for room in PACKAGES for file in sorted((ROOT / room).rglob("*.py"))]
    assert len(found) > 500
    return found


def test_at_most_three_functions_have_one_name():
    where = defaultdict(list)
    for file in files():
        place = file.relative_to(ROOT).as_posix()
        own = set().union(*(names for folder, names in INTERFACES.items() if place.startswith(folder)))
        for name in functions(file):
            if name not in own:
                where[name].append(place)
    assert {name: places for name, places in where.items() if len(places) > MOST} == {}
    assert all(where[name] for name in ("read_run", "of_spec", "write_report"))


def test_problems_and_kernels_mean_one_thing_each():
    """``problems`` are what data sets build. A kernel is compiled; that of a kernel method is a similarity."""
    found = {file.with_suffix("") if file.name != "__init__.py" else file.parent for file in files()}
    named = [place.relative_to(ROOT).as_posix() for place in found if place.name in ("problems", "kernels")]
    assert named == ["datasets/problems"]
