"""How many small changes of the code the tests notice: a campaign beside the suite.

    .venv/bin/python -m tests.campaigns.mutants --count 40 --seed 2028 --areas learners,readers

It draws changes by the seed and makes them one at a time in a copy of the checkout. There it runs the nearest test
files: those of the same path, then those that import the file by the fewest steps. The quick tests of eight files
come first. If they notice nothing, all tests of the next files run. It prints a score for each area and a table of
the changes that no test noticed. Some of these only cost time: read each before you write a test for it.
"""

import argparse
import ast
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from tests.narrowing import not_none

ROOT = Path(__file__).resolve().parents[2]
AREAS = {
    "structures": "algorithms/structures/**/*.py algorithms/search/*.py algorithms/runtime/*.py",
    "learners": "algorithms/*.py algorithms/[!rs]*/*.py algorithms/reductions/*.py algorithms/s[!et]*/*.py",
    "driver": "bench/runs/[deq]*.py bench/runs/memory.py datasets/scores/**/*.py",
    "statistics": "bench/papers/*.py bench/papers/*/*rules*.py bench/papers/*/scores.py bench/papers/*/read*.py "
    "bench/drawing/curves.py bench/drawing/comparison.py",
    "identity": "bench/runs/[cfhprs]*.py bench/tracking/*.py bench/sharing/*.py datasets/problems/*.py",
    "readers": "datasets/*.py datasets/[!p]*/*.py",
    "figures": "bench/drawing/*.py bench/papers/*/*.py bench/measure/*.py",
    "runs": "bench/*.py bench/runs/*.py bench/checks/*.py",
    "estimators": "bench/estimators/*.py",
    "report": "bench/report/*.py",
    "models": "bench/runs/model.py bench/sharing/export.py bench/tracking/served.py bench/verbs/predicting.py",
    "verbs": "bench/verbs/*.py",
    "workflow": "bench/workflow/*.py",
}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
COMPARED = {ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Eq: ast.NotEq, ast.In: ast.NotIn, ast.Is: ast.IsNot}
COMPARED |= {other: op for op, other in COMPARED.items()}
COLUMNS = {"primal": "dual", "gap": "relative_gap", "wall_seconds": "cpu_seconds", "passes": "visits"}
COLUMNS |= {"test_error": "train_error", "test_f1": "test_precision"}
COLUMNS |= {other: name for name, other in COLUMNS.items()}
MOST, WIDER = 8, 24  # test files to run, and how many more if those notice nothing
SUITE = "not cluster and not long"
QUICK = f"{SUITE} and not slow and not page"
LIBRARIES = ["pytest", "numba", "pandas", "scipy.sparse", "matplotlib.pyplot", "yaml"]


class Mutant(NamedTuple):
    """A change: ``new`` in place of the bytes begin .. end - 1 of a file, which are ``old``."""

    file: str
    line: int
    kind: str
    begin: int
    end: int
    old: str
    new: str


Change = tuple[str, ast.expr | ast.stmt, ast.AST]


def _text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


def changes(node: ast.AST) -> Iterator[Change]:
    """The kind of each change of a node, what it replaces, and by what."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in SIGNS and not _text(left) and not _text(right):
            yield "sign", node, ast.BinOp(left, SIGNS[type(op)](), right)
            yield "term", node, left
        case ast.AugAssign(target, op, value) if type(op) in SIGNS:
            yield "sign", node, ast.AugAssign(target, SIGNS[type(op)](), value)
            yield "term", node, ast.Pass()
        case ast.UnaryOp(ast.USub(), operand):
            yield "sign", node, operand
        case ast.Compare(left, [op], right) if type(op) in COMPARED:
            yield "comparison", node, ast.Compare(left, [COMPARED[type(op)]()], right)
        case ast.BoolOp(op, values):
            yield from (("check", value, ast.Constant(isinstance(op, ast.And))) for value in values)
        case ast.If(test, [only], _) if isinstance(only, ast.Raise | ast.Return | ast.Continue | ast.Break):
            yield "check", test, ast.Constant(False)
        case ast.Subscript(_, ast.Slice(lower, upper, _)):
            ends = filter(None, (lower, upper))
            yield from (("index", end, ast.BinOp(end, ast.Add(), ast.Constant(1))) for end in ends)
        case ast.Subscript(_, ast.Name(name) | ast.Constant(int(name)) as index, ast.Load()) if len(str(name)) < 3:
            yield from (("index", index, ast.BinOp(index, op(), ast.Constant(1))) for op in (ast.Add, ast.Sub))
        case ast.Constant(int() | float() as number) if number not in (0, 1):
            yield "constant", node, ast.Constant(2 * number)
        case ast.Constant(str() as name) if name in COLUMNS:
            yield "column", node, ast.Constant(COLUMNS[name])


def as_mutant(name: str, content: bytes, change: Change) -> Mutant:
    """A change of the file of this name and content."""
    kind, place, by = change
    starts = [0, *accumulate(map(len, content.splitlines(keepends=True)))]
    begin = starts[place.lineno - 1] + place.col_offset
    end = starts[not_none(place.end_lineno) - 1] + not_none(place.end_col_offset)
    new = ast.unparse(by) if isinstance(by, ast.stmt | ast.Constant) else f"({ast.unparse(by)})"
    return Mutant(name, place.lineno, kind, begin, end, content[begin:end].decode(), new)


def nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All that decides results: no types, docstrings, errors or texts for users."""
    yield node
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            told = isinstance(child, ast.Raise | ast.JoinedStr) or (type(child) is ast.Expr and _text(child.value))
            of_type = type(child) is ast.Subscript and ast.unparse(child.value).rpartition(".")[2][:1].isupper()
            skipped = field in ("annotation", "returns", "decorator_list") or told or of_type
            yield from nodes(child) if isinstance(child, ast.AST) and not skipped else ()


def drawn(area: str, seed: int) -> Iterator[Mutant]:
    """All changes of an area, in an order by the seed: of each kind as many as of the others."""
    rng, kinds = random.Random(f"{area} {seed}"), defaultdict(list)
    for file in sorted({file for glob in AREAS[area].split() for file in ROOT.glob(glob)}):
        content, name = file.read_bytes(), file.relative_to(ROOT).as_posix()
        for change in (change for node in nodes(ast.parse(content)) for change in changes(node)):
            mutant = as_mutant(name, content, change)
            kinds[mutant.kind] += [mutant] if mutant.new != mutant.old else []
    while kinds := {kind: each for kind, each in sorted(kinds.items()) if each}:
        same = rng.choice([*kinds.values()])
        yield same.pop(rng.randrange(len(same)))


def imported(file: Path) -> set[str]:
    """The files of this project that a file imports, wherever it does, and those of the rooms on the way there."""
    statements = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{alias.name}" for node in statements for alias in node.names}
    paths = {Path(*name.removeprefix("structbench.").split(".")) for name in names}
    modules = {path for each in paths for path in (each, *each.parents)}
    files = {f"{path}{end}" for path in modules for end in (".py", "/__init__.py")}
    found = {path for path in files if (ROOT / path).is_file()}
    calls = "bench/verbs/*.py" if "bench/__main__.py" in found else ""  # verbs are imported by name
    return found.union(each.relative_to(ROOT).as_posix() for each in ROOT.glob(calls or "none"))


def nearest(file: str, graph: dict[str, set[str]]) -> list[list[str]]:
    """Arguments of pytest: the tests of the same path, then those with the fewest imports between; then runs."""
    distance, reached = {file: 0}, [file]
    for each in reached:
        for user in sorted(user for user, used in graph.items() if each in used and user not in distance):
            distance[user] = distance[each] + 1
            reached.append(user)
    family = (each for each in reached if Path(each).parent == Path(file).parent)
    solver = next((each for each in family if "\n@algorithm(" in (ROOT / each).read_text()), None)
    name = solver and Path(solver).stem.replace("_", "-")
    path, ranks = Path("tests", file), {}
    for test in (Path(each) for each in graph if "/test_" in each):
        mirrored = test == path.with_name(f"test_{path.name}") or path.with_suffix("") in test.parents
        named = solver and test.is_relative_to("tests/algorithms") and f'"{name}"' in (ROOT / test).read_text()
        far = 1 if named else distance.get(str(test), 9)
        far += 2 * (test.parent not in (path.parent, path.parent.parent))
        if mirrored or named or test.parent == path.parent or str(test) in distance:
            ranks[str(test)] = not mirrored, far, len(graph[str(test)]), test
    order = sorted(ranks, key=ranks.__getitem__)
    found = [order[:1], order[1:MOST]]  # the first is mostly enough, and the others take long to import
    if solver:  # these tests find it by its name, too; the first compiles little
        runs = "tests/algorithms/test_runs.py"
        found = [[runs, "-k", f"dense-{name} and first_points"], *found, [runs, "-k", f"dense-{name}"]]
    if path.is_relative_to("tests/bench/workflow"):
        found.append([f"tests/workflow/test_{name}.py" for name in ("cli", "workflow", "snakemake", "freshness")])
    found.append([*order[:MOST], "-m", "(slow or page) and " + SUITE])
    found += [[*more, "-m", SUITE] for more in [order[MOST : MOST + WIDER]] if more]
    if path.parent == Path("tests/bench/papers"):  # two papers' answers
        answers = (f"{path.parent}/{name}.py" for name in ("eg2008/test_eg2008", "laso2005/test_claims"))
        found.append([*answers, "-k", "all_"])
    if path.parent == Path("tests/datasets"):
        found.append(["tests/datasets/test_datasets.py"])
    elif path.is_relative_to("tests/datasets"):
        problems = [f"tests/datasets/test_{name}.py" for name in ("datasets", "toy_english")]
        found.append([*problems, "-k", "very_problem or same_problems"])
    return [tests for tests in found if tests]


def start(tests: list[str], tree: Path, said: Path) -> None:
    """Run tests in a copy of the checkout, in this process; what pytest prints is in a file."""
    import pytest

    os.setsid()
    os.chdir(tree)
    os.environ |= {"PYTHONPATH": str(tree), "STRUCTBENCH_KERNELS": str(tree.parent / "kernels")}
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(tree.parent / "bytecode")
    os.environ["PYTHONDONTWRITEBYTECODE"], sys.dont_write_bytecode = "", False
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in ("", str(ROOT)))]
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "structbench")]:
        del sys.modules[name]  # this file's own; those of the copy are wanted
    with said.open("w") as printed, open(os.devnull, "w") as nowhere:
        os.dup2(printed.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.exit(int(pytest.main(["-p", "no:cacheprovider", "-m", QUICK, *tests])))


def run(tests: list[str], tree: Path, seconds: float) -> tuple[int, str]:
    """Run tests in a fork of a process that has the libraries: the exit code of pytest, and what it printed.

    Raises:
        TimeoutError: They take longer.
    """
    context, said = multiprocessing.get_context("forkserver"), tree.parent / "said"
    context.set_forkserver_preload(LIBRARIES)
    process = context.Process(target=start, args=(tests, tree, said))
    process.start()
    process.join(max(1.0, seconds))
    if process.exitcode is None:
        os.killpg(not_none(process.pid), signal.SIGKILL)
        process.join()
        raise TimeoutError
    return process.exitcode, said.read_text()


def write(file: Path, content: bytes) -> None:
    """Write a file at a time of its own, by which Python knows that its bytecode is of another content."""
    now = max(file.stat().st_mtime + 2, time.time())
    file.write_bytes(content)
    os.utime(file, (now, now))


def outcome(mutant: Mutant, commands: list[list[str]], tree: Path, seconds: float) -> str:
    """Make the change in a copy of the checkout, run tests there, and take it back; the first test that fails."""
    file, until = tree / mutant.file, time.monotonic() + seconds
    content = file.read_bytes()
    write(file, content[: mutant.begin] + mutant.new.encode() + content[mutant.end :])
    try:
        for tests in commands:
            code, said = run(["-x", *tests], tree, until - time.monotonic())
            if code not in (0, 5):  # 5: no tests
                return f"noticed: {' '.join(said.splitlines()[-3:-2])}"
    except TimeoutError:
        return "late"
    finally:
        write(file, content)
    return "unnoticed"


def failing(outcomes: list[str], tree: Path, seconds: float) -> set[str]:
    """The tests that noticed a change and fail without it, too: they have noticed nothing."""
    names = {named(each) for each in outcomes} - {""}
    said = run(sorted(names), tree, seconds)[1] if names else ""
    return {named(f"noticed: {line}") for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))}


def named(outcome: str) -> str:
    """The test of an outcome, without its parameters."""
    found = re.match(r"noticed: (?:FAILED|ERROR) ([^\s\[]+::[^\s\[]+)", outcome)
    return found[1] if found else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="changes, shared out among the areas")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--areas", default=",".join(AREAS), help="which, separated by commas")
    parser.add_argument("--seconds", type=float, default=600, help="until the tests of a change are given up")
    given = parser.parse_args()
    draws, counts, unnoticed = [(area, drawn(area, given.seed)) for area in given.areas.split(",")], {}, []
    files = (file for room in ("algorithms", "bench", "datasets", "tests") for file in (ROOT / room).rglob("*.py"))
    graph = {file.relative_to(ROOT).as_posix(): imported(file) for file in files}
    kernels = Path(os.environ.get("STRUCTBENCH_KERNELS", ROOT / "results" / "kernels"))
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        below, above = (shutil.ignore_patterns(".*", "__pycache__", name) for name in ("__pycache__", "results"))
        shutil.copytree(
            ROOT, tree, True, ignore=lambda path, names: (below, above)[path == str(ROOT)](path, names)
        )
        if kernels.is_dir():  # those of changed code stay out of the cache
            shutil.copytree(kernels, Path(folder, "kernels"))
        changed = [(area, next(draw)) for area, draw in (draws[k % len(draws)] for k in range(given.count))]
        found = []
        for area, mutant in changed:
            found.append((area, outcome(mutant, nearest(mutant.file, graph), tree, given.seconds)))
            row = f"| `{mutant.file}:{mutant.line}` | `{mutant.old}` becomes `{mutant.new}` |".replace("\n", " ")
            print(area, mutant.kind, row, found[-1][1], file=sys.stderr, flush=True)
            unnoticed += [row] if found[-1][1] == "unnoticed" else []
        broken = failing([each for _, each in found], tree, 10 * given.seconds)
    for area, each in found:
        name = "broken" if named(each) in broken else each.partition(":")[0]
        counts.setdefault(area, Counter())[name] += 1
    print("| area | noticed | unnoticed | late | broken | share noticed |\n|---|---|---|---|---|---|")
    for area, of in counts.items():
        share = of["noticed"] / max(1, of["noticed"] + of["unnoticed"])
        print(f"| {area} | {of['noticed']} | {of['unnoticed']} | {of['late']} | {of['broken']} | {share:.0%} |")
    print("\n| where | change that no test noticed |\n|---|---|", *unnoticed, sep="\n")


if __name__ == "__main__":
    main()
