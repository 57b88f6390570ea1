"""The runs of l1m3n2009's Figure 7: models, data sets and constants, of ``scales.toml``.

``SOURCES`` are in place of the paper's web data, ``CONTROLS`` are variants of the first.
``docs/reference/l1m3n2009.md`` says how each constant was chosen. Six models train on random shares of the
training examples.

Claims compare two measures, each the mean over shares m. Draws are paired: in each, all models train on the
same examples and are tested on the same ones. 3 % of what a measure lacks to 1 counts as none.
"""

from dataclasses import dataclass, field

import numpy as np

from structbench.bench.papers.claim_rows import Part, filled
from structbench.bench.papers.l1m3n2009.setting import CRF, EM, L1_CRF, L2_CRF, M3N, MODELS, SAID, Way
from structbench.bench.papers.measured import POINT, SHARE, Value, points, together_of
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

RELATIONS = "conll2007-relations"
MEASURES = {"test_average_f1": "average F1", "test_instance_accuracy": "instance accuracy"}
OTHERS = (CRF, L2_CRF, L1_CRF, M3N)  # than the l1-M3N and LapM3N

Table = dict[str, np.ndarray]  # one measure of each model, (shares, draws)
Leads = dict[str, np.ndarray]  # what is compared -> leads by draw


@dataclass(frozen=True)
class Source:
    """Data with their options, and a constant for each model."""

    stem: str
    name: str
    data: str
    about: str  # what the data can and cannot say, the first sentence of their captions
    constants: dict[str, float] = field(hash=False)
    judged_on: str = "on a control of the stand-in"  # what verdicts on them are verdicts on

    def at(self, share: int, draw: int, fewer: str) -> str:
        """Return the data set of a draw; the options ``fewer`` make it smaller."""
        options = [option for option in (fewer, f"draw={draw}", f"share={share}") if option]
        return f"{self.data}{',' if ':' in self.data else ':'}{','.join(options)}"

    @property
    def corpus(self) -> str:
        return self.data.partition(":")[0]


def _sources(kind: str) -> tuple[Source, ...]:
    said = SAID["extraction"]
    words = {name: filled(text, {}) for name, text in said["words"].items()}
    return tuple(
        Source(stem, **about | {"about": filled(about["about"], words)}) for stem, about in said[kind].items()
    )


SOURCES, CONTROLS = _sources("sources"), _sources("controls")


@dataclass(frozen=True)
class Extraction:
    """The data and limits of a scale."""

    shares: tuple[int, ...]  # of the training examples, in percent
    draws: int  # of the generated records
    most: float  # passes of a run
    fewer: dict[str, str] = field(default_factory=dict)  # options that make a data set smaller
    controls: bool = False
    others: int = 0  # draws of the other sources; ``draws`` if 0
    few: tuple[int, ...] = ()  # shares of the other sources; ``shares`` if empty
    without: frozenset[str] = frozenset()  # data sets that cannot be had

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources whose data can be had."""
        chosen = (*SOURCES, *(CONTROLS if self.controls else ()))
        return tuple(source for source in chosen if source.corpus not in self.without)

    def draws_of(self, source: Source) -> int:
        """Return the number of draws of a source to train on."""
        return self.draws if source is SOURCES[0] else self.others or self.draws

    def shares_of(self, source: Source) -> tuple[int, ...]:
        """Return the shares of a source's examples to train on, in percent."""
        return self.shares if source is SOURCES[0] else self.few or self.shares

    def specs(self, source: Source, way: Way, share: int) -> list[Spec]:
        """Return one spec a draw."""
        fewer = self.fewer.get(source.corpus, "")
        limits = way.limits | {"passes": min(way.limits["passes"], self.most)}
        data = [source.at(share, draw, fewer) for draw in range(self.draws_of(source))]
        return [way.spec(each, source.constants[way.model], **limits) for each in data]

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        return {f"l1m3n2009/fig07-{source.stem}": self.of(source) for source in self.sources}

    def of(self, source: Source) -> list[Spec]:
        """Return all runs of a source."""
        pairs = [(way, share) for way in MODELS for share in self.shares_of(source)]
        return [spec for way, share in pairs for spec in self.specs(source, way, share)]


def extraction_of(scale: str, without: frozenset[str] = frozenset()) -> Extraction:
    """Return the data and limits of a scale (``tiny``, ``quick`` or ``paper``), of data that can be had."""
    return Extraction(**SAID["extraction"]["scales"][scale], without=without)


def leads(table: Table, pairs: list[tuple[str, list[str], list[str]]]) -> Leads:
    """Measure the mean of some models less that of others, for each pair of these, under its name."""
    return {name: (_mean(table, mine) - _mean(table, others)).mean(axis=0) for name, mine, others in pairs}


def _mean(table: Table, models: list[str]) -> np.ndarray:
    return np.mean([table[model] for model in models], axis=0)


def lead_with_few(table: Table) -> Leads:
    """Measure the lead over the best other model but LapM3N at the least m less that at the greatest."""
    others = np.array([table[way.model] for way in OTHERS])
    best = others[others.mean(axis=2).argmax(axis=0), np.arange(others.shape[1])]
    lead = table[EM.model] - best
    return {"": lead[0] - lead[-1] if len(lead) > 1 else np.full(lead.shape[1], np.nan)}


def measure(chosen: Extraction, source: Source, part: Part, runs: Runs) -> list[Value]:
    """Measure what a part of a row says, under both measures, over draws."""
    found = []
    for column, name in MEASURES.items():
        values = table(chosen, source, runs, column)
        band = SHARE * (1 - float(np.mean([*values.values()]))) / POINT
        for who, by_draw in globals()[part.measure](values, **part.given).items():
            where = {"": who, "by": name} if who else {"by": name}
            found.append(together_of([points(where, lead, "points", band=band) for lead in by_draw], "draws"))
    return found


def table(chosen: Extraction, source: Source, runs: Runs, measure: str) -> Table:
    """Return a measure of all runs of a source; NaN for a missing run."""

    def read(way: Way, share: int) -> list[float | None]:
        return [run and run.summary[measure] for run in map(runs.__getitem__, chosen.specs(source, way, share))]

    shares = chosen.shares_of(source)
    return {way.model: np.array([read(way, share) for share in shares], float) for way in MODELS}
