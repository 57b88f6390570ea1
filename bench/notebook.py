"""What ``import structbench`` offers: make runs and grids, use their models, tabulate and plot them."""

import inspect
import sys
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import first_of, meant
from structbench.algorithms.runtime.options import Given, split_options
from structbench.bench import python_data
from structbench.bench.papers import judged
from structbench.bench.report import plot
from structbench.bench.runs import algorithm_module, aliases, execute, own_programs, programs, state, store
from structbench.bench.runs import model as models
from structbench.bench.runs import results as places
from structbench.bench.runs.algorithm_files import file_of
from structbench.bench.runs.arguments import well_typed
from structbench.bench.runs.documents import Json
from structbench.bench.runs.model import FEATURES, Examples, Model
from structbench.bench.runs.spec import Spec, check_name, make

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

__all__ = ["Model", "Results", "Run", "claims", "grid", "load", "plot", "results", "run"]
SHOWN = 3  # failures that a warning names
CALLS = 4  # of functions from a user's line to a warning: ``grid``, within ``well_typed``, calls ``_grid``


@dataclass(frozen=True, repr=False)
class Run(store.Run):
    """A finished run, and its model.

    Attributes:
        key: Its name, also that of its ``folder``.
        spec: All that decides it.
        summary: How it ended, such as ``summary["test_error"]``.
        curve: A DataFrame with a row a checkpoint.
    """

    def __repr__(self) -> str:
        return f"Run({self.key}, {self.summary['status']})"

    @cached_property
    def weights(self) -> "np.ndarray":
        """The last weights, float64 (num_weights,), each with seven digits.

        Raises:
            UserError: The algorithm keeps none of features.
        """
        if self.summary.get("weights_of", FEATURES) != FEATURES:
            raise UserError(f"{self.key} has no weights of features")
        return store.weights_of(self)

    @cached_property
    def model(self) -> Model:
        """What labels new examples.

        Raises:
            UserError: As ``load``.
        """
        with places.kept():
            root = self.folder.absolute().parent.parent
            if (root / "problems").is_dir():  # the run was made there, wherever results lie now
                places.use(str(root))
            return models.load(self.folder)

    def predict(self, examples: Examples) -> list[Any]:
        """The best labels of new examples, as ``Model.predict``."""
        return self.model.predict(examples)


class Results(NamedTuple):
    """Tables of a folder of results.

    ``runs``: a row a run, by its key: its spec, how it ended, and its ``state``, which is finished or stale.
    ``checkpoints``: a row a checkpoint of a ``run``. ``evidence``: a row a condition of each judged sentence of a
    paper, with ``claim`` and ``verdict``.
    """

    runs: "pd.DataFrame"
    checkpoints: "pd.DataFrame"
    evidence: "pd.DataFrame"


@well_typed
def run(
    data: python_data.Data,
    algorithm: str,
    *,
    loss: str | None = None,
    C: float | None = None,
    test: Any = None,
    penalty: str | None = None,
    passes: float = 100.0,
    gap: float = 1e-6,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    params: Given | None = None,
    **parameters: Any,
) -> Run:
    """The finished run of an algorithm on a data set; made under results/runs, or read if it is there and current.

    Args:
        data: As on the command line, such as ``"columns:train.txt"``. Or a DataFrame with a row a token: a column
            ``sentence``, the word, maybe others, and last the label. Or a pair (features, labels): sequences of
            words, tuples of texts or dicts of attributes, with lists of labels; or rows of numbers, or dicts of
            values by index, with a label each. What is no text is kept in a file under results/given.
        algorithm: Its name, maybe with parameters, as in ``"eg:order=gap"``.
        test: The same, to report errors on. How many of its labels training lacks is said on stderr.
        params: Parameters of the algorithm whose names are arguments here, such as ``params={"loss": "squared"}``.
        parameters: Other parameters of the algorithm, such as ``eta=0.5``.

    Raises:
        UserError: A value is not allowed, or the data cannot be had.
    """
    own_programs.look_again()
    algorithm, _, text = algorithm.partition(":")
    named = split_options(text)
    if both := sorted({*parameters} & {*(params or {})} | {*named} & {*parameters, *(params or {})}):
        raise UserError(f"{both[0]} is given twice, drop it from {'algorithm' if both[0] in named else 'params'}")
    known = algorithm_module.parameters(algorithm)
    for odd in aliases.today(algorithm, parameters, known).keys() - known.keys():
        hint = meant(odd, [*inspect.signature(run).parameters, *known])
        raise UserError(f"run has no argument {odd!r}: {hint}parameters of {algorithm} are {', '.join(known)}")
    data, test = python_data.named(data, test)
    params = named | parameters | (params or {})
    try:
        spec = make(
            data, loss, C, algorithm, params, test=test, penalty=penalty, passes=passes, gap=gap,
            seconds=seconds, seed=seed, threads=threads,
        )  # fmt: skip
    except UserError:
        own_programs.refuse_edited([file_of(algorithm)])  # the mistake may be mended in it, but it is imported
        raise
    check_name(spec)
    own_programs.refuse_edited(programs.own_of([spec]))
    return _whole(execute.run_one(spec, places.runs() / spec.key, lambda line: None, remark=_say))


@well_typed
def load(place: str | Path) -> Model:
    """The model of a run (its folder or key), of the best run of a config (its name), or of an exported folder.

    Raises:
        UserError: There is none, it is not whole, or its data cannot be had any more as they were.
    """
    from structbench.bench.verbs.named import found_by

    with places.kept():
        return found_by(models.load, str(place and Path(place).expanduser()))


@well_typed
def grid(config: str | Path | Json) -> list[Run]:
    """All finished runs of a config, in its order; those that are missing are made first.

    Args:
        config: The path of its file, its name in ``config``, or its keys as a dict.

    Raises:
        UserError: The config has a mistake.

    Warns:
        UserWarning: Runs failed, or an algorithm cannot run here. The others are returned. What a grid lists and
            an algorithm does not have is said on stderr.
    """
    with places.kept():  # what a config names is not for what is called next
        return _grid(config)


def _grid(config: str | Path | Json) -> list[Run]:
    from structbench.bench.workflow import config as configs
    from structbench.bench.workflow import turns

    checked = configs.config_of(config) if isinstance(config, dict) else configs.read_config(str(config))
    own_programs.refuse_edited(programs.own_of(checked.specs))
    made: dict[Spec, Run] = {}
    failed: list[str] = []

    def done(spec: Spec, run: store.Run | None, error: str) -> None:
        if run is None:
            failed.append(f"{spec.key} ({error.removeprefix('error: ')})")
        else:
            made[spec] = _whole(run)

    once = cache(lambda data, sentence: _say(f"{data.shown}: {sentence}"))
    groups: dict[tuple[bool, bool], list[Spec]] = {}
    for spec in checked.specs:
        groups.setdefault((spec in checked.timed, spec in checked.measured), []).append(spec)
    for (alone, memory), specs in groups.items():  # as the workflow makes them
        with turns.taken(partial(print, file=sys.stderr)) if alone else nullcontext():
            execute.run_all(specs, places.runs(), done, lambda spec, line: None, alone, memory, remark=once)
    for spec, run in made.items():
        if run.disturbance:  # it was made once more, maybe
            made[spec] = _whole(store.read_run(run.folder))
    for sentence in checked.skipped:
        _say(sentence)
    for sentence in checked.left_out:
        warnings.warn(sentence, stacklevel=CALLS)
    if failed:
        said = f"{len(failed)} of {len(checked.specs)} runs failed: {first_of(failed, SHOWN)}"
        warnings.warn(said, stacklevel=CALLS)
    return [made[spec] for spec in checked.specs if spec in made]


@well_typed
def results(folder: str | Path | None = None) -> Results:
    """The tables of a folder of results.

    Args:
        folder: By default that of ``STRUCTBENCH_RESULTS``, else ``results``, which may still be missing.

    Raises:
        UserError: The named folder is missing, or holds no results.
    """
    import pandas as pd

    from structbench.bench.sharing import columns

    root = places.read_root(folder)
    there = state.all_under(root / "runs")
    found = {each.run.key: (each.run, each.state) for each in there.values() if each.run}
    for place, each in there.items():
        if each.run is None:
            _say(f"{place} is left out: {each.reason}")
    rows = [
        columns.flat_spec(run.spec) | columns.outcome(run) | {"state": str(word)} for run, word in found.values()
    ]
    curves = [run.curve.assign(run=name) for name, (run, _) in found.items()]
    checkpoints = pd.concat(curves, ignore_index=True) if curves else pd.DataFrame({"run": []})
    first = ["run", *(name for name in checkpoints if name != "run")]
    table = pd.DataFrame(rows, index=pd.Index([*found], name="run"))
    return Results(table, checkpoints.reindex(columns=first), pd.DataFrame(_evidence(root)))


@well_typed
def claims(paper: str, claim: str | None = None) -> "pd.DataFrame":
    """What the runs published in a clone's docs/results say of a paper's sentences, or the evidence of one.

    A row a claim, by its ``id``: ``claim`` is the sentence, ``where`` its place in the paper; ``verdict``,
    ``answer``, and ``theirs``, the paper's numbers. Of one claim, a row a condition: the ``setting``, ``what`` was
    measured, the number ``N`` with its 95 % interval, what the sentence ``needed``, and the ``outcome``.

    Args:
        paper: Such as ``"laso2005"``; the folders of ``bench/papers`` have these names.
        claim: The ``id`` of one, with or without the paper's name before it.

    Raises:
        UserError: It is not published.
    """
    import pandas as pd

    from structbench.bench.papers import shown
    from structbench.bench.report import published

    if paper not in (papers := published.papers_of(published.RESULTS)):
        raise UserError(
            f"{paper!r} is not published: {meant(paper, papers)}there are {', '.join(papers) or 'none'}"
        )
    found = published.claims(published.RESULTS, paper)
    if claim is not None:
        whole = f"{paper}/{claim.removeprefix(f'{paper}/')}"
        if (one := next((each for each in found if each.id == whole), None)) is None:
            raise UserError(f"{whole} is not published, see structbench.claims({paper!r})")
        if not one.conditions:
            raise UserError(f"{whole} was published without evidence: {published.AGAIN}")
        return pd.DataFrame([shown.row(each) for each in one.conditions])
    columns = ["claim", "where", "verdict", "answer", "theirs"]
    return pd.DataFrame(map(vars, found)).set_index("id").reindex(columns=columns)


def _evidence(root: Path) -> list[dict[str, object]]:
    """A row a condition; one without conditions of a sentence that has none."""
    rows = []
    for file in sorted(root.glob("*/claims/*.json")):
        for claim in judged.read_judged(file).claims:
            of = {"config": file.parent.parent.name, "paper": claim.paper, "claim": claim.id}
            of |= {"verdict": claim.verdict, "answer": claim.answer}
            rows += [of | each.record() for each in claim.conditions] or [of]
    return rows


def _say(sentence: str) -> None:
    print(f"structbench: {sentence}", file=sys.stderr)


def _whole(found: store.Run) -> Run:
    return Run(found.key, found.folder, found.spec, found.summary)
