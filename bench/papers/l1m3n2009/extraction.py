"""Figure 7 of l1m3n2009: the runs that it needs, and the leads in F1 and accuracy that its claims measure.

Six models train on random shares of the training examples of data in place of the paper's web data.
``docs/reference/l1m3n2009.md`` says how each constant was chosen.

Claims compare two measures, each the mean over shares m. Draws are paired: in each, all models train on the
same examples and are tested on the same ones. 3 % of what a measure lacks to 1 counts as none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from structbench.bench.papers.claim_rows import filled
from structbench.bench.papers.l1m3n2009.runs import CRF, EM, L1_CRF, L2_CRF, M3N, MODELS, SAID, Way
from structbench.bench.papers.measured import POINT, SHARE, points, together_of
from structbench.bench.papers.terms import Evidence, Part, Registry, Runs, Spec
from structbench.datasets import DataRef, data_ref

RELATIONS = "conll2007-relations"
MEASURES = {"test_average_f1": "average F1", "test_instance_accuracy": "instance accuracy"}
OTHERS = (CRF, L2_CRF, L1_CRF, M3N)  # than the l1-M3N and LapM3N

Table = dict[str, np.ndarray]  # one measure of each model, (shares, draws)
Leads = dict[str, np.ndarray]  # what is compared -> leads by draw

measure = Registry()


@dataclass(frozen=True)
class Source:
    """Data with their options, a constant for each model, and the runs of a scale."""

    stem: str
    name: str
    data: DataRef
    about: str  # what the data can and cannot say, the first sentence of their captions
    constants: dict[str, float] = field(hash=False)
    judged_on: str  # what verdicts on them are verdicts on
    shares: tuple[int, ...]  # of the training examples, in percent
    draws: int
    most: float  # passes of a run
    fewer: dict[str, int] = field(default_factory=dict, hash=False)  # options that make the data set smaller

    def specs(self, way: Way, share: int) -> list[Spec]:
        """Return one spec a draw."""
        limits = way.limits | {"passes": min(way.limits["passes"], self.most)}
        data = (self.data.having(**self.fewer, draw=draw, share=share) for draw in range(self.draws))
        return [way.spec(each, self.constants[way.model], 0, way.params, **limits) for each in data]

    def runs(self) -> list[Spec]:
        """Return the runs of all models and shares."""
        return [spec for way in MODELS for share in self.shares for spec in self.specs(way, share)]


def sources_of(scale: str, without: frozenset[str] = frozenset()) -> list[Source]:
    """Return the sources of a scale (``tiny``, ``quick`` or ``paper``) whose data can be had."""
    said = SAID["extraction"]
    words = {name: filled(text, {}) for name, text in said["words"].items()}
    found = []
    for stem, own in said["scales"][scale]["sources"].items():
        about = said["sources"][stem]
        texts = {"about": filled(about["about"], words), "most": said["scales"][scale]["most"]}
        found.append(Source(stem, **about | texts | own | {"data": data_ref(about["data"])}))
    return [source for source in found if source.data.name not in without]


@measure("leads")
def leads(table: Table, pairs: list[tuple[str, list[str], list[str]]]) -> Leads:
    """Measure the mean of some models less that of others, for each pair of these, under its name."""
    return {name: (_mean(table, mine) - _mean(table, others)).mean(axis=0) for name, mine, others in pairs}


def _mean(table: Table, models: list[str]) -> np.ndarray:
    return np.mean([table[model] for model in models], axis=0)


@measure("lead_with_few")
def lead_with_few(table: Table) -> Leads:
    """Measure the lead over the best other model but LapM3N at the least m less that at the greatest."""
    others = np.array([table[way.model] for way in OTHERS])
    best = others[others.mean(axis=2).argmax(axis=0), np.arange(others.shape[1])]
    lead = table[EM.model] - best
    return {"": lead[0] - lead[-1] if len(lead) > 1 else np.full(lead.shape[1], np.nan)}


def measured(source: Source, part: Part, runs: Runs) -> Iterator[Evidence]:
    """Measure what a part of a row says, under both measures, over draws."""
    for column, name in MEASURES.items():
        values = measured_table(source, runs, column)
        band = SHARE * (1 - float(np.mean([*values.values()]))) / POINT
        for who, by_draw in measure[part.measure](values, **part.given).items():
            where = {"": who, "by": name} if who else {"by": name}
            yield together_of([points(where, lead, "points", band=band) for lead in by_draw], "draws")


def measured_table(source: Source, runs: Runs, measure: str) -> Table:
    """Return a measure of all runs of a source; NaN for a missing run."""

    def read(way: Way, share: int) -> list[float | None]:
        return [run and run.summary[measure] for run in map(runs.__getitem__, source.specs(way, share))]

    return {way.model: np.array([read(way, share) for share in source.shares], float) for way in MODELS}
