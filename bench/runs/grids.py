"""Expand a grid in a config to its runs: all combinations of settings that its algorithms support, each once.

What is compared is what ``loss``, ``penalty`` and ``C`` list. An algorithm that minimises no loss joins the
comparison once, without any of them.
"""

import itertools
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from structbench.algorithms.learning import declaration
from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given, defaults, typed_options
from structbench.algorithms.structures.structure_types import structure_types
from structbench.bench.runs import algorithm_module, aliases, catalogue, problem_store, random_search
from structbench.bench.runs.documents import Json
from structbench.bench.runs.objective_names import check_loss, in_digits, penalty_kind
from structbench.bench.runs.spec import Spec, check_name, make
from structbench.datasets import DataRef, build, data_ref

UNUSED_C = 1.0  # of runs whose penalty has no strength
MOST_FOLDS = 1000
SMALL = 100_000  # bytes of a file that is read at once
FEW = 4  # settings or data sets that a sentence lists
LIMITS = ("passes", "gap", "seconds")

Objective = tuple[str | None, str | None, float | None]  # loss, penalty, C; None: the algorithm's own, or none


@dataclass(frozen=True)
class Grid:
    """A grid's runs.

    timed: Whether each has the machine to itself. measured: Whether its peak memory is measured, too. skipped: For
    each algorithm that is not run with all that the grid lists, a sentence on why. figures: The kinds that are
    drawn, if not all that suit the runs. optional: Whether data that cannot be had are left out of it.
    """

    name: str
    specs: tuple[Spec, ...]
    timed: bool
    skipped: tuple[str, ...]
    figures: tuple[str, ...] = ()
    measured: bool = False
    optional: bool = False

    def left(self, without: Collection[str]) -> "Grid":
        """This grid; one that is optional without its runs on these data sets."""
        specs = tuple(spec for spec in self.specs if not self.optional or spec.data.name not in without)
        return replace(self, specs=specs)


@dataclass
class _Reasons:
    """Why an algorithm is not run with all that a grid lists.

    found: reason -> the settings that have it, and what is left out, which ends the reason's sentence.
    setting: What the algorithm is tried with now.
    """

    algorithm: str
    setting: str = ""
    found: dict[str, tuple[dict[str, None], dict[str, None]]] = field(default_factory=dict)

    def add(self, reason: str, left_out: str = "", everywhere: bool = False) -> None:
        settings, everything = self.found.setdefault(reason, ({}, {}))
        settings["" if everywhere else self.setting] = None
        if left_out:
            everything[left_out] = None

    def sentences(self, settings: int) -> list[str]:
        """One for each reason; ``settings``: how many the algorithm is tried with."""
        said = []
        for reason, (which, left_out) in self.found.items():
            some = f" with {_few(list(which), 'or')}" if all(which) and len(which) < settings else ""
            end = f" {_few(list(left_out), 'and')}" if left_out else ""
            said.append(f"{self.algorithm}{some} {reason}{end}")
        return said


def _few(texts: list[str], word: str) -> str:
    shown = [*texts[:FEW], *([f"{len(texts) - FEW} more"] if len(texts) > FEW else [])]
    return f" {word} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def expand(given: Json) -> Grid:
    """The runs of a grid that ``schema.checked_config`` has seen.

    Raises:
        UserError: A data set, an algorithm, a parameter or a value is wrong. A file or C is missing. Nothing is
            left of an algorithm.
    """
    try:
        given = given | {"data": [each for data in given["data"] for each in _validated(data_ref(data), given)]}
        for data in given["data"]:
            data.check_test(given.get("test"))
            for path in problem_store.user_files(data, given.get("test")):
                check_file(path)
        for penalty in given.get("penalty", ()):
            penalty_kind(penalty)
        specs: list[Spec] = []
        singles = [*random_search.single_settings(given)]
        different = len({repr((draw.get("C"), draw["algorithms"])) for draw in singles})
        rounded = f"numbers are rounded, to {random_search.DIGITS} digits or to whole numbers"
        again = f"random: {len(singles)} draws {different} different settings: {rounded}"
        skipped = [again] if different < len(singles) else []
        for algorithm in given["algorithms"]:
            reasons, made = _Reasons(algorithm), []
            for draw in singles:
                settings = list(_settings(algorithm, draw["algorithms"][algorithm] or {}))
                for params, reasons.setting in settings:
                    made += _runs(draw, algorithm, params, reasons)
            said = reasons.sentences(len(settings) * len(singles))
            if not made:
                raise UserError(f"{'; '.join(said)}; nothing is left of it")
            specs += made
            skipped += said
        for spec in specs:
            check_name(spec)
    except UserError as error:
        raise UserError(f"config, grid {given['name']!r}: {error}") from None
    said = tuple(f"grid {given['name']}: {sentence}" for sentence in skipped)
    drawn = tuple(given.get("figures", ()))
    once = tuple(dict.fromkeys(specs))
    more = drawn, given.get("memory", False), given.get("optional", False)
    return Grid(given["name"], once, given.get("timed", True), said, *more)


def _validated(data: DataRef, given: Json) -> list[DataRef]:
    """A data set with the validation split of its grid, unless it names its own, or with each fold."""
    if "cv" in given:
        if "validation" in given:
            raise UserError(f"cv: {given['cv']} holds out each fold: leave out validation: {given['validation']}")
        return folds_of(data, given["cv"], given.get("seeds", [0])[0])
    validation = given.get("validation")
    return [data if validation is None or data.validates else data.having(validation=validation)]


def folds_of(data: DataRef, count: int, seed: int) -> list[DataRef]:
    """The data set with each of ``count`` folds as its validation split; the seed deals the examples.

    Raises:
        UserError: There are fewer than two folds or too many, or it has a validation split of its own, or it reads
            a small file with a mistake, or with fewer examples than folds.
    """
    if not 2 <= count <= MOST_FOLDS:
        raise UserError(f"cross-validation takes 2 to {MOST_FOLDS} folds, such as 5, not {count}")
    if data.validates:
        raise UserError(f"{data}: cross-validation holds out folds: drop validation={data.options['validation']}")
    dealt = f"seed{seed}" if seed else ""
    folds = [data.having(validation=f"{k}of{count}{dealt}") for k in range(1, count + 1)]
    if data.path and os.path.isfile(data.path) and os.path.getsize(data.path) <= SMALL:
        build(folds[0])  # before any run: it may have fewer examples than folds
    return folds


def check_file(path: str) -> None:
    """Raise a UserError unless a file of the user's is there."""
    file, here = Path(path).expanduser(), Path.cwd()
    if not file.is_file():
        file = file.relative_to(here) if file.is_relative_to(here) else file
        beside = Path("config", file)
        hint = f"did you mean {str(beside)!r}? " if beside.is_file() else ""
        raise UserError(f"there is no file {str(file)!r}: {hint}paths are relative to the folder you run this in")


def _settings(algorithm: str, lists: dict[str, list]) -> Iterator[tuple[Given, str]]:
    """All combinations of values of the parameters, each with the text that tells it from the others."""
    solver, known = algorithm_module.solver(algorithm), catalogue.parameters(algorithm)
    lists = aliases.today(algorithm, lists, known)
    several = [name for name, values in lists.items() if len(values) > 1]
    for values in itertools.product(*lists.values()):
        params = aliases.today(algorithm, dict(zip(lists, values, strict=True)), known)
        params = typed_options(solver, params, f"algorithm {algorithm}")
        yield defaults(solver) | params, ", ".join(f"{name}={params[name]}" for name in several if name in params)


def _runs(given: Json, algorithm: str, params: Given, reasons: _Reasons) -> Iterator[Spec]:
    """The runs of an algorithm with these parameters. Why there are not more goes to ``reasons``."""
    limits = {name: given[name] for name in ("test", "threads") if name in given}
    limits |= {name: float(given[name]) for name in LIMITS if name in given}
    if limits.get("threads", 1) > 1 and not algorithm_module.declaration(algorithm).threads:
        reasons.add("uses one thread: it is run with one", everywhere=True)
        del limits["threads"]
    objectives = list(_objectives(given, algorithm, params, reasons))
    seeds = given.get("seeds", [0])
    if len(seeds) > 1 and not given.get("repeat") and not catalogue.draws(algorithm, params):
        reasons.add(f"draws nothing at random: it has the seed {seeds[0]} alone")
        seeds = seeds[:1]
    for data in given["data"]:
        structure = data.structure
        if lacking := catalogue.lacking(algorithm, params, structure):
            fit = [each for each in structure_types() if not catalogue.lacking(algorithm, params, each)]
            having = f"{structure} problems do not have but {_few(fit, 'and')} problems do"
            reasons.add(f"needs {_few(lacking, 'and')}, which {having}: left out on", data.text)
            continue
        for (loss, penalty, C), seed in itertools.product(objectives, seeds):
            yield make(data, loss, C, algorithm, params, penalty=penalty, seed=seed, **limits)


def _objectives(given: Json, algorithm: str, params: Given, reasons: _Reasons) -> Iterator[Objective]:
    """What the algorithm is to minimise: each loss, penalty and C of the grid that it has."""
    losses, allowed = given.get("loss", (family.USUAL,)), catalogue.losses(algorithm, params)
    if allowed == (declaration.NO_LOSS,):
        ignored = [name for name in ("loss", "penalty", "C") if given.get(name, [allowed[0]]) != [allowed[0]]]
        if ignored:
            reasons.add(f"minimises no loss: it is run once, without {_few(ignored, 'and')}", everywhere=True)
        yield None, None, None
        return
    for loss in map(in_digits, losses):
        check_loss(loss)
        if family.kind(loss) not in allowed:
            usual = "" if "loss" in given else ", which is compared if a grid gives none"
            reason = f"minimises the {' or '.join(allowed)} loss: left out with the loss"
            reasons.add(reason, f"{loss}{usual}")
            continue
        for penalty in given.get("penalty", catalogue.penalties(algorithm)[:1]):
            yield from _strengths(given, algorithm, loss, penalty, reasons)


def _strengths(given: Json, algorithm: str, loss: str, penalty: str, reasons: _Reasons) -> Iterator[Objective]:
    allowed = catalogue.penalties(algorithm)
    if penalty_kind(penalty) not in allowed:
        reason = f"takes the penalty {' or '.join(allowed)}: left out with the penalty"
        reasons.add(reason, penalty)
    elif penalty == declaration.NO_PENALTY:
        if len(given.get("C", ())) > 1:
            reasons.add("has no C with the penalty none: it is run once")
        yield loss, penalty, UNUSED_C
    elif "C" not in given:
        raise UserError(f"{algorithm} needs C, the strengths of the penalty to compare, such as C: [0.1, 1, 10]")
    else:
        for C in given["C"]:
            yield loss, penalty, C
