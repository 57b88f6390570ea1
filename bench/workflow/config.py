"""The config: which papers at which scale, and the user's own grids of runs."""

import inspect
import itertools
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.runs import algorithm_module, catalogue, merged, own_programs, problem_store, results, state
from structbench.bench.runs.documents import Json
from structbench.bench.runs.grids import Grid, check_file, expand
from structbench.bench.runs.spec import Spec
from structbench.bench.workflow import batches, config_files, contests, paper_modules, schema
from structbench.bench.workflow.config_files import check_owner, config_file, is_fresh, loaded, named, named_after
from structbench.bench.workflow.fresh import FreshPaper
from structbench.bench.workflow.paper_modules import GRID, paper_module
from structbench.datasets.fetching import availability, download

if TYPE_CHECKING:
    from structbench.bench.drawing.draw import Figure
    from structbench.bench.papers.judging import Claim

USUAL = {"scale": "quick", "figures": []}  # of a config that gives none


@dataclass(frozen=True)
class Config:
    """A checked config, from ``read_config`` or ``config_of``. ``given``: Its keys, as a file has them.

    ``name``: The config file's name, and that of the folder of its figures, claims and report. ``data``: Paper ->
    the data set that its figures are to be of, instead of its own. Runs of programs that are not installed are
    left out; ``left_out`` has a sentence on each. ``without``: Data set -> a sentence on why it is left out: the
    config says so, or it cannot be had. What a paper's figures or an optional grid would show of it is left out,
    and where the config says so any grid is optional.
    """

    name: str
    scale: str
    papers: tuple[str, ...]
    data: dict[str, str]
    grids: tuple[Grid, ...]
    without: dict[str, str]
    given: Json
    fresh: bool = False  # papers have their claims alone, on fresh seeds

    @cached_property
    def experiments(self) -> dict[str, list[Spec]]:
        """Name of an MLflow experiment, such as ``eg2008/mnist-log`` or ``grid/hinge`` -> its runs."""
        made = self._of_papers("runs_of").values()
        found = {name: specs for experiments in made for name, specs in experiments.items()}
        return found | {f"grid/{grid.name}": list(grid.specs) for grid in self.grids}

    def _given(self, paper: str) -> dict[str, str]:
        given: Json = {"data": self.data[paper]} if paper in self.data else {}
        if "without" in inspect.signature(paper_module(paper).runs_of).parameters:
            given["without"] = frozenset(self.without)
        return given

    @cached_property
    def runs_of(self) -> dict[str, list[Spec]]:
        """Paper, or ``grid-NAME`` -> all runs that its figures and claims read."""
        made = {paper: itertools.chain(*found.values()) for paper, found in self._of_papers("runs_of").items()}
        made |= {f"grid-{grid.name}": grid.specs for grid in self.grids}
        return {name: _installed(specs)[0] for name, specs in made.items()}

    @property
    def left_out(self) -> list[str]:
        """Sentences on programs and corpora that cannot be had, and on algorithms that cannot be read."""
        broken = [f"{name} is left out: {why}" for name, why in algorithm_module.broken().items()]
        _, programs = _installed(itertools.chain(*self.experiments.values()))
        return [*programs, *dict.fromkeys(self.without.values()), *broken]

    @property
    def skipped(self) -> list[str]:
        """Sentences on what grids list and their algorithms do not have."""
        return [sentence for grid in self.grids for sentence in grid.skipped]

    @cached_property
    def specs(self) -> list[Spec]:
        """All runs, each once."""
        return list(dict.fromkeys(spec for specs in self.runs_of.values() for spec in specs))

    @cached_property
    def timed(self) -> frozenset[Spec]:
        """The runs whose seconds a figure, table or claim reads."""
        grids = (grid.specs for grid in self.grids if grid.timed)
        return frozenset(itertools.chain(*self._of_papers("timed_of").values(), *grids)).intersection(self.specs)

    @cached_property
    def measured(self) -> frozenset[Spec]:
        """The runs whose peak memory a figure or table reads."""
        grids = (grid.specs for grid in self.grids if grid.measured)
        return frozenset(itertools.chain(*self._of_papers("memory_of").values(), *grids)).intersection(self.specs)

    @cached_property
    def contests(self) -> list[contests.Contest]:
        """What ``bench measure`` compares, on the data that can be had."""
        return contests.expand(self.given.get("contests", ()), self.grids, are_whole=not self.without)

    def _of_papers(self, function: str) -> dict[str, Any]:
        """Paper -> what its function of this name gives, of the papers that have it."""
        offers = {paper: paper_module(paper) for paper in self.papers}
        offers = {paper: FreshPaper(each) for paper, each in offers.items()} if self.fresh else offers
        having = {paper: each for paper, offer in offers.items() if (each := getattr(offer, function, None))}
        given = {paper: self._given(paper) for paper in having}
        return {paper: paper_modules.call(paper, f, self.scale, **given[paper]) for paper, f in having.items()}

    @cached_property
    def problems(self) -> dict[tuple[datasets.DataRef, str | None], str | None]:
        """The data set and the test file of each problem -> its fingerprint, if it is stored and of today."""
        given = {(spec.data, spec.test) for spec in self.specs}
        return {each: problem_store.fingerprint(*each) for each in given}

    def found(self, spec: Spec) -> state.Found:
        """What there is of a run, made here or merged."""
        return self.merged.get(spec) or self._found_here(spec)

    def _found_here(self, spec: Spec) -> state.Found:
        data = self.problems[spec.data, spec.test]
        return state.of_spec(spec, results.runs() / spec.key, spec in self.timed, spec in self.measured, data)

    @cached_property
    def merged(self) -> dict[Spec, state.Found]:
        """The merged runs that need not be made here, and those that must be, with the reason."""
        return merged.replacements(self.specs, self._found_here, self.timed, self.measured)

    @cached_property
    def finished(self) -> dict[Spec, int]:
        """Finished run -> when it was written, in nanoseconds since 1970."""
        made = {spec: each.run for spec in self.specs if (each := self.found(spec)).is_finished}
        return {spec: (run.folder / "summary.json").stat().st_mtime_ns for spec, run in made.items() if run}

    @cached_property
    def batches(self) -> dict[str, batches.Batch]:
        """Name -> the runs that one job makes: those that are not finished, or all that are to be made again."""
        due = self.specs if batches.is_again() else [spec for spec in self.specs if spec not in self.finished]
        return batches.cut(due, self.timed, self.measured)

    def part(self, name: str) -> Json:
        """The keys on which a paper or ``grid-NAME`` depends, without what is said of others."""
        same = {"name": self.name, "scale": self.scale, "fresh": self.fresh}
        if name.startswith(GRID):
            (grid,) = (each for each in self.given["grids"] if f"{GRID}{each['name']}" == name)
            own, corpora = {"grids": [grid]}, {datasets.data_ref(data).name for data in grid["data"]}
        else:
            data = {name: self.data[name]} if name in self.data else {}
            own, corpora = {"figures": [name], "data": data}, {*getattr(paper_module(name), "CORPORA", ())}
        return same | own | {"without": {data: why for data, why in self.without.items() if data in corpora}}

    @cached_property
    def figures(self) -> dict[str, "dict[str, Figure]"]:
        """Paper, or ``grid-NAME`` -> file stem -> figure."""
        from structbench.bench.drawing import comparison

        return self._of_papers("figures_of") | {
            f"grid-{grid.name}": comparison.figures(grid.name, list(grid.specs), grid.figures)
            for grid in self.grids
        }

    @cached_property
    def costs_of(self) -> dict[str, list[datasets.DataRef]]:
        """Paper -> data sets on which the cost of an update is measured (``workflow.breakdown``)."""
        return self._of_papers("costs_of")

    @cached_property
    def claims(self) -> dict[str, "list[Claim]"]:
        """Paper -> its claims; raises as ``paper_modules.check_figures``."""
        found = self._of_papers("claims_of")
        for paper, claims in found.items():
            paper_modules.check_figures(paper, claims, self.figures[paper])
        return found


def read_config(text: str) -> Config:
    """The config in a YAML or JSON file, by its path or by its name in ``config``; raises as ``config_of``."""
    file = config_file(text)
    given = loaded(file)
    ours = config_files.is_written(file)
    with named(os.path.relpath(file)):
        if isinstance(given, dict) and given.get("name") is None:
            given = given | {"name": named_after(file)}
        found = config_of(given, is_checked=ours)
    if not ours:
        check_owner(found.name, file)
    return replace(found, name=text, fresh=True) if is_fresh(text) else found


def config_of(given: Any, is_checked: bool = False) -> Config:
    """A config from its keys. Folders that it names go to ``STRUCTBENCH_MIRROR``, ``_RESULTS`` and ``_WITH``.

    Raises:
        UserError: A key, a value, a data set, an algorithm or a parameter is wrong. Says which and what is right.
    """
    given = dict(given) if is_checked else schema.checked_config(given)
    own_programs.look_again(given.get("with", ()))
    given |= {key: value for key, value in USUAL.items() if key not in given}  # last: the text of others stays
    if not given["figures"] and not given.get("grids"):
        raise UserError("config: there are neither figures nor grids: give one, such as figures: [eg2008]")
    titles = [grid["name"] for grid in given.get("grids", ())]
    for title in titles:
        if titles.count(title) > 1:
            raise UserError(f"config: two grids are called {title!r}: give each its own name")
    grids = tuple(expand(grid) for grid in given.get("grids", ()))
    name = given.get("name", "config")
    if name in results.SHARED:
        raise UserError(f"config: the folder {name!r} is for all configs: give this one another name")
    for paper in given["figures"]:
        paper_module(paper)
    data = given.get("data", {})
    for paper, other in data.items():
        _check_data(paper, other, given["figures"])
    if (mirror := given.get("mirror")) is not None:
        if not Path(folder := os.path.expanduser(mirror)).is_dir():
            raise UserError(f"config: mirror {mirror!r} is not a folder")
        os.environ["STRUCTBENCH_MIRROR"] = folder
    results.use(given.get("results"))
    if (without := given.get("without")) is None:
        without = _cannot_be_had(given["figures"], grids)
    elif not is_checked:
        without = {name: f"{name} is left out: {why}" for name, why in without.items()}
        _check_without(without, grids)
        given["grids"] = [grid | {"optional": True} for grid in given.get("grids", ())]
        grids = tuple(replace(grid, optional=True) for grid in grids)
    kept = {key: value for key, value in given.items() if key not in ("mirror", "results", "with")}
    kept["without"] = without
    contests.expand(given.get("contests", ()), grids)  # so that a mistake is said before hours of runs
    grids = tuple(grid for each in grids if (grid := each.left(without)).specs)
    if not given["figures"] and not grids:
        raise UserError(f"config: no run is left: {' '.join(dict.fromkeys(without.values()))}")
    papers = tuple(given["figures"])
    found = Config(name, given["scale"], papers, data, grids, without, kept, given.get("fresh", False))
    for paper in papers if "without" in given and not is_checked else ():
        if needed := without.keys() & {spec.data.name for spec in found.runs_of[paper]}:
            only = f"the figures of {paper} are never without {' and '.join(sorted(needed))}"
            raise UserError(f"config, without: {only}: drop the paper, or take the data set from without")
    return found


def _installed(specs: Iterable[Spec]) -> tuple[list[Spec], list[str]]:
    """The specs whose algorithms can run here, and a sentence on each algorithm that is left out."""
    specs = list(specs)
    packages = {name: catalogue.missing(name) for name in dict.fromkeys(spec.algorithm for spec in specs)}
    left_out = [
        f"{name} is left out: it needs the package {package}, which is not installed (pip install {package})"
        for name, package in packages.items()
        if package
    ]
    return [spec for spec in specs if not packages[spec.algorithm]], left_out


def _cannot_be_had(papers: list[str], grids: tuple[Grid, ...]) -> dict[str, str]:
    """Data set -> why, of the ``CORPORA`` of papers and of optional grids, which no source has."""
    named = {name for paper in papers for name in getattr(paper_module(paper), "CORPORA", ())}
    named |= {spec.data.name for grid in grids if grid.optional for spec in grid.specs}
    gone: dict[str, list[str]] = {}  # files -> the data sets that are made of them
    for name in sorted(named):
        files = " and ".join(file.name for file in datasets.sources(name) if not availability.can_be_had(file))
        if files:
            gone.setdefault(files, []).append(name)
    found = {}
    for files, names in gone.items():
        why = (
            f"{', '.join(names)}: neither in {download.cache_folder()} nor in a mirror, and no source answers; "
            f"connect to the network, or put {files} into a folder and name it: --config mirror=FOLDER"
        )
        found |= dict.fromkeys(names, why)
    return dict(sorted(found.items()))  # the config's text, from which jobs are made, is the same each time


def _check_without(names: Collection[str], grids: tuple[Grid, ...]) -> None:
    known = datasets.names()
    for name in names:
        if name not in known:
            hint = f"{meant(name, known)}`python -m bench list datasets` names all"
            raise UserError(f"config, without: unknown data set {name!r}: {hint}")
    for grid in grids:
        if not grid.optional and not replace(grid, optional=True).left(names).specs:
            why = "it leaves out all data of this grid: drop the grid, or set optional: true in it"
            raise UserError(f"config, grid {grid.name!r}, without: {why}")


def _check_data(paper: str, name: str, figures: list[str]) -> None:
    if paper not in figures:
        raise UserError(f"config, data.{paper}: figures lists {', '.join(figures) or 'no paper'}, not {paper!r}")
    if "data" not in inspect.signature(paper_module(paper).runs_of).parameters:
        raise UserError(f"config, data.{paper}: the figures of {paper} are of its own data sets only")
    for path in problem_store.user_files(datasets.data_ref(name)):
        try:
            check_file(path)
        except UserError as error:
            raise UserError(f"config, data.{paper}: {error}") from None
