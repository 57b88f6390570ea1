"""The learners of klein2011, of ``ways.toml``, and their runs on the same two tasks and on points in the plane."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from structbench.bench.papers import grid_runs
from structbench.bench.papers.claim_rows import tables, tuples
from structbench.bench.runs import catalogue
from structbench.bench.runs.documents import Json
from structbench.bench.runs.spec import Spec
from structbench.datasets import DataRef, data_ref

SCALES = tables(Path(__file__).with_name("scales.toml"))
NAMES = {"ocr": "OCR letters", "mnist": "MNIST"}
SEPARABLE, OVERLAPPING = "separable", "overlapping"

Of = TypeVar("Of")
AS_IS = 0.0  # the value at which something is tried that is tried in one way
LEVEL = 0.01  # certified relative gap at which a minimum counts as reached
LATER = 0.5  # share of a run's passes after which a learner that settles has settled


@dataclass(frozen=True)
class Way(grid_runs.Way):
    """A learner of the family and its place in the overview."""

    judged_by: str = ""  # this and the next three are its properties in the overview
    regularised: str = "no"
    form: str = "primal"
    inference: str = "argmax"
    C: float = 10.0
    lists: bool = False  # whether it enumerates all outputs of an example. A word has too many
    longer: float = 1.0  # how many times the passes of others it may make until its gap is certified


WAYS, GROUPS = grid_runs.ways(Path(__file__).with_name("ways.toml"), Way)
PERCEPTRON, AVERAGED, MIRA, MIRA_LAST, CUTTING, HARD_MARGIN, DUAL = GROUPS["drawn"]


@dataclass(frozen=True)
class Task:
    """A real task; every learner runs on it several times."""

    stem: str
    name: str
    # data and seed of each repetition: other folds if there are any, else other orders of the examples
    repeats: tuple[tuple[DataRef, int], ...]
    passes: float  # of a learner that minimises no objective; ``most`` of one that does
    most: float
    long: float  # in which overtraining is to show
    slow: float  # in which optimisers are compared
    shown: int  # how many of the repetitions the overview shows

    def specs(
        self, way: Way, by: str = "", value: Any = None, *, passes: float = 0.0, same_data: bool = False
    ) -> list[Spec]:
        """Return a spec for each repetition; some may be equal. ``by``: ``C`` or a parameter that gets a value.

        ``same_data``: Use the data of the first repetition for all, so that only seeds differ.
        """
        if by:
            way = replace(way, **{"C": value} if by == "C" else {"params": way.params | {by: value}})
        passes = passes or (way.longer * self.most if way.loss else self.passes)
        one = self.repeats[0][0]
        return [spec_of(way, one if same_data else data, seed, passes, LEVEL) for data, seed in self.repeats]

    def ways(self) -> list[Way]:
        """Return the learners that can run on the task, in the order of the overview."""
        structure = self.repeats[0][0].structure
        fit = [way for way in GROUPS["families"] if not catalogue.lacking(way.algorithm, way.params, structure)]
        return [way for way in fit if structure == "multiclass" or not way.lists]


@dataclass(frozen=True)
class Scale:
    """The data and settings of a scale."""

    tasks: tuple[Task, ...]  # the real ones
    points: int  # how many points in the plane a data set has; ``seeds`` has one seed for each
    seeds: tuple[int, ...]
    passes: float  # over the points; a learner that settles has settled by then
    sizes: tuple[int, ...]  # of the training sets on which cost is measured as it grows
    Cs: tuple[float, ...]  # and caps: values for every claim with an SVM or MIRA in it; the slides name none
    caps: tuple[float, ...] = (0.01, 0.1, 1.0)
    # margins of separable points, on which mistakes are counted
    margins: tuple[float, ...] = (0.05, 0.1, 0.2, 0.4)
    ks: tuple[int, ...] = (2, 5)  # the k of k-best MIRA
    crowd: int = 12  # passes over overlapping points, after each of which the separator is drawn
    # passes after which the alphas of an SVM are drawn
    dual: tuple[float, ...] = (2.0, 3.0, 5.0, 8.0, 12.0, 18.0, 27.0, 40.0, 60.0, 90.0, 130.0)
    orders: tuple[int, ...] = (0, 1, 2)  # seeds of the runs on more and more digits

    def plane(self, kind: str, seed: int, **options: Any) -> str:
        """Return the data set of separable or overlapping points of a seed."""
        given = {"kind": kind, "points": self.points, "seed": seed} | options
        return "toy-points:" + ",".join(f"{name}={value}" for name, value in given.items())

    def by_size(self, way: Way) -> dict[int, list[Spec]]:
        """Return the specs of a learner on more and more digits, some orders of each."""
        passes, data = 50.0 if way.loss else 5.0, {n: f"mnist:test=500,train={n}" for n in self.sizes}
        made = {n: [spec_of(way, data[n], seed, passes, LEVEL) for seed in self.orders] for n in self.sizes}
        return {n: list(dict.fromkeys(specs)) for n, specs in made.items()}

    def on_points(self, way: Way, kind: str, passes: float | None = None, **options: Any) -> list[Spec]:
        """Return a spec for each seed, which also draws the points; one with a loss has 1000 passes."""
        passes = passes or (1000.0 if way.loss else self.passes)
        data = {seed: self.plane(kind, seed, **options) for seed in self.seeds}
        return [spec_of(way, data[seed], seed, passes, LEVEL * 1e-3) for seed in self.seeds]

    def tried(self, task: Task | None, said: Json) -> "Tried[Spec]":
        """Return what a claim asks for.

        Args:
            task: What it is tried on, if not on points or on more and more digits.
            said: The ``way``, of several the first that runs on the task; ``by`` what it is tried; ``on`` which
                points, and for how many ``passes`` more; else ``passes`` of the task, how many
                ``repeats``, and whether on the ``same_data``. ``name`` and ``best`` as ``Tried`` has them.
        """
        by, passes = said.get("by", ""), said.get("passes")
        listed = [WAYS[name] for name in said["way"].split(" or ")]
        way = listed[0] if len(listed) == 1 else next(each for each in listed if task and each in task.ways())
        if by == "n":
            made: dict[float, list[Spec]] = {**self.by_size(way)}
        elif "on" in said:
            limits = {more: self.passes + more for more in passes} if passes else {AS_IS: None}
            made = {more: self.on_points(way, said["on"], limit) for more, limit in limits.items()}
        else:
            assert task, "only rows on points or on digits have no task"
            limits = {"long": task.long, "slow": task.slow, None: 0.0}
            how = {"passes": limits[passes], "same_data": said.get("same_data", False)}
            values = {"C": self.Cs, "cap": self.caps, "k": self.ks}.get(by, (AS_IS,))
            made = {value: task.specs(way, by, value, **how)[: said.get("repeats")] for value in values}
        return Tried(said.get("name", way.name), by, said.get("best", False), made)


class Tried(NamedTuple, Generic[Of]):
    """A learner that is tried at several values of C, a cap or another number, or as it is, at ``AS_IS``."""

    name: str
    by: str
    best: bool  # whether only the value of least error is meant
    made: dict[float, list[Of]]  # value -> specs, or the runs of these, one a repetition

    def at(self, value: float) -> list[Of]:
        """Return the runs at a value, or all there are if none is tried."""
        return self.made[value if self.by else AS_IS]


def spec_of(way: Way, data: str | DataRef, seed: int, passes: float, gap: float) -> Spec:
    """Return the run of a learner; seed 0 if nothing is random."""
    seed = seed if catalogue.draws(way.algorithm, way.params) else 0
    C, gap = (None, 0.0) if way.loss is None else (way.C, gap)
    return way.spec(data, C, seed, passes=passes, gap=gap)


def scale_of(name: str) -> Scale:
    """Return the tasks of a scale: ``tiny``, which has words alone, ``quick`` or ``paper``."""
    said = tuples(SCALES[name])
    tasks = []
    for stem, about in said.pop("tasks").items():
        repeats = tuple((data_ref(about["data"].format(k)), k) for k in range(about["repeats"]))
        tasks.append(Task(stem, NAMES[stem], repeats, **about["limits"]))
    return Scale(tuple(tasks), passes=20.0, **said | {"seeds": tuple(range(said["seeds"]))})
