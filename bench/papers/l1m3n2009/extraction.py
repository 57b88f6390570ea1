"""The runs of l1m3n2009's Figure 7: models, data sets and constants, of ``scales.toml``.

The paper's web data cannot be had. ``SOURCES`` has generated records of shops in their place, and relations of
words on the given trees of the Spanish treebank. ``CONTROLS`` has the records with dense features, and as chains
in the order of the document, the flat baseline. Six models train on random shares of the training examples.

Each source has one constant for each model: the greatest mean F1 of attributes, of equals the most regularised.
Data that the figure does not show choose it, at a share of 20 %. For records and controls they are the shops of
seed 9; for relations, the last tenth of the treebank's training sentences. The grids are in
``docs/reference/l1m3n2009.md``.
"""

from dataclasses import dataclass, field

from structbench.bench.papers.claim_rows import filled
from structbench.bench.papers.l1m3n2009.runs import spec_of
from structbench.bench.papers.l1m3n2009.setting import MODELS, SAID, Way
from structbench.bench.runs.spec import Spec

RELATIONS = "conll2007-relations"
MEASURES = {"test_average_f1": "average F1", "test_instance_accuracy": "instance accuracy"}


@dataclass(frozen=True)
class Source:
    """Data with their options, and a constant for each model.

    Attributes:
        about: What the data can and cannot say, the first sentence of their captions.
        judged_on: What verdicts on them are verdicts on.
    """

    stem: str
    name: str
    data: str
    about: str
    constants: dict[str, float] = field(hash=False)
    judged_on: str = "on a control of the stand-in"

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
    """The data and limits of a scale.

    Attributes:
        draws: Draws of the generated records.
        most: The most passes of a run.
        fewer: Options that make a source's data smaller, by the name of the data set.
        controls: Whether to run the controls, too.
        others: Draws of the other sources; ``draws`` if 0.
        few: Shares of the other sources; ``shares`` if empty.
        without: Data sets that cannot be had.
    """

    shares: tuple[int, ...]
    draws: int
    most: float
    fewer: dict[str, str] = field(default_factory=dict)
    controls: bool = False
    others: int = 0
    few: tuple[int, ...] = ()
    without: frozenset[str] = frozenset()

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
        return [spec_of(way, each, source.constants[way.model], way.params, limits) for each in data]

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        return {f"l1m3n2009/fig07-{source.stem}": self.of(source) for source in self.sources}

    def of(self, source: Source) -> list[Spec]:
        """Return all runs of a source."""
        pairs = [(way, share) for way in MODELS for share in self.shares_of(source)]
        return [spec for way, share in pairs for spec in self.specs(source, way, share)]


def extraction(scale: str, without: frozenset[str] = frozenset()) -> Extraction:
    """Return the data and limits of a scale (``tiny``, ``quick`` or ``paper``), of data that can be had."""
    return Extraction(**SAID["extraction"]["scales"][scale], without=without)
