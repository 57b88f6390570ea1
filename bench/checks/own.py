"""Check each data set, structure, loss, algorithm and paper in a user's folder, and list what is wrong with it."""

import io
import sys
from collections.abc import Callable, Container, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

from structbench import datasets
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import OF_ANYBODY, Terminated, UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import structure_types
from structbench.algorithms.structures.compiled import capabilities
from structbench.bench.checks import algorithms, structures, visits
from structbench.bench.runs import algorithm_files, anybodys_code, catalogue, faults
from structbench.bench.workflow import config
from structbench.datasets.references.own_scores import check_own_scores, scores_of

SCALE = "tiny"


class Checked(NamedTuple):
    """What was checked, and sentences on what is wrong with it; none if nothing is."""

    kind: str
    name: str
    wrong: list[str]
    note: str = ""  # of what was not tried


def check_folder(folder: Path) -> Iterator[Checked]:
    """Check all that a folder holds, in the order in which one needs the other."""
    sound = []
    for name in datasets.names():
        if _is_in(folder, f"datasets/{_stem(name)}"):
            found = _said(folder, _data, name)
            sound += [] if found else [name]
            reads = not found and datasets.reads_a_file(name)
            yield Checked("data", name, found, f"not built: try `bench data check {name}:FILE`" if reads else "")
    for name in structure_types.structure_types() | structure_types.broken():
        if _is_in(folder, f"algorithms/structures/{_stem(name)}"):
            yield Checked("structure", name, _said(folder, _structure, name, sound))
    for name in family.loss_names():
        if _is_in(folder, family.file_of(name)):
            yield Checked("loss", name, _said(folder, _loss, name))
    files = {algorithm_files.file_of(name): name for name in algorithm_files.by_family()}
    own = [name for file, name in files.items() if _is_in(folder, file)]
    yield from _beside(folder, files)
    problems: list[algorithms.Small] = []
    for text in [*_learnable(sound), *algorithms.DATA] if own else []:
        if found := _said(folder, _small, text, problems):
            yield Checked("data", text, found)
    undercounted = visits.undercounted(own, [*_learnable(sound), *algorithms.DATA]) if own else {}
    for name in own:
        found = _said(folder, algorithms.wrong, name, problems)
        if undercounted[name] and not (found and visits.NOT_COUNTED in undercounted[name]):  # the reason is said
            found.append(undercounted[name])
        found += _said(folder, _label, name)
        yield Checked("algorithm", name, [*dict.fromkeys(found)])  # a file that cannot be read says so each time
    for name in catalogue.papers():
        if _is_in(folder, f"bench/papers/{name}"):
            yield Checked("paper", name, _said(folder, _paper, name))


def _beside(folder: Path, algorithms_in: Container[Path]) -> Iterator[Checked]:
    """What is wrong with scores, which data sets may not name yet, and with files beside algorithms."""
    for file, there in own_folders.files("datasets/scores", "*.py").items():
        if found := _said(folder, _score, file.stem) if folder in there.parents else []:
            yield Checked("score", file.stem, found)
    for file, there in own_folders.files("algorithms", "*.py", "*/*.py").items():
        helps = folder in there.parents and file not in algorithms_in and file.name != "__init__.py"
        if found := _said(folder, _helper, ".".join(file.with_suffix("").parts)) if helps else []:
            yield Checked("algorithm", file.stem, found)


def _stem(name: str) -> str:
    return name.replace("-", "_")


def _is_in(folder: Path, file: str | Path) -> bool:
    return folder in (own_folders.owner(file), own_folders.owner(f"{file}.py"))


def _said(folder: Path, check: Callable[..., list[str]], name: str, *given: object) -> list[str]:
    heard = io.StringIO()

    def tell(line: str) -> None:
        print(f"{name}: {line}", file=sys.stderr, flush=True)

    try:
        with anybodys_code.watched(tell, folder), redirect_stdout(heard):
            return check(name, *given)
    except UserError as error:
        return [str(error)]
    except Terminated:
        raise
    except OF_ANYBODY as error:  # of any kind: the module may be anybody's
        line = faults.line_of_kernel(error) or modules.line_of(error, folder)
        return [f"it failed with {faults.fault_text(error)}" + (f" at {line}" if line else "")]
    finally:
        if printed := heard.getvalue().splitlines():
            tell(f"it prints ({len(printed)} lines while it was checked, the first: {printed[0]!r})")


def _label(name: str) -> list[str]:
    """See that no other algorithm has its label: figures would give both one name."""
    label = catalogue.label(name)
    others = [each for each in catalogue.algorithms() if each != name and catalogue.label(each) == label]
    return [f"its label {label!r} is that of {' and '.join(others)}, too: choose another"] if others else []


def _learnable(data: list[str]) -> list[str]:
    return [name for name in data if not datasets.reads_a_file(name)]


def _data(name: str) -> list[str]:
    """Build it and call scores of the user's, unless it reads a file: then see that its module is whole."""
    if datasets.reads_a_file(name):
        return []
    made = datasets.build(name)
    check_own_scores(made)
    return [] if parts.num_examples(made.train) else ["it has no training examples"]


def _score(name: str) -> list[str]:
    """Import a score, whether or not a data set names it."""
    module = modules.imported(f"structbench.datasets.scores.{name}")
    scores_of(module, own_folders.place(Path("datasets", "scores", f"{name}.py")))
    return []


def _helper(module: str) -> list[str]:
    """Import a file beside algorithms that is none itself."""
    is_solver = hasattr(modules.imported(f"structbench.{module}"), "solve")
    return ["it has a function solve, but no line @algorithm(...) above it"] if is_solver else []


def _small(text: str, problems: list[algorithms.Small]) -> list[str]:
    """Add a small problem of a data set, on which algorithms are checked."""
    problems += algorithms.small([text])
    return []


def _structure(name: str, data: list[str]) -> list[str]:
    kind = structure_types.structure_type(name)
    if not {"parts", "argmax"} <= capabilities(kind):
        return ["it lacks operations of parts or argmax: bench check has no tests for it"]
    texts = [each for each in _learnable(data) if datasets.data_ref(each).structure == name]
    if not texts:
        return [f"no data set of yours is of the structure {name}, so nothing was checked: write one that works"]
    return structures.wrong(datasets.build(texts[0]).train)


def _loss(name: str) -> list[str]:
    """See that one of the project's algorithms minimises it, with a certificate."""
    loss = name.replace(family.TAU, "1")
    if why := catalogue.broken_losses().get(name):
        return [why]
    split = algorithms.small(algorithms.DATA[:1])[0].split
    best = algorithms.optimum(split, loss, "l2")
    return [] if best is not None else [f"none of {', '.join(algorithms.REFERENCES)} converges with it"]


def _paper(name: str) -> list[str]:
    """See that its runs, figures and claims can be listed, and that claims name figures that are there."""
    made = config.config_of({"scale": SCALE, "figures": [name]})
    return [] if made.specs and made.figures and made.claims else ["it has no runs, no figures or no claims"]
