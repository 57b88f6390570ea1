"""The runs of l1m3n2009's Figure 7: models, data sets and constants.

The paper's web data cannot be had. ``SOURCES`` has generated records of shops in their place, and relations of
words on the given trees of the Spanish treebank. ``CONTROLS`` has the records with dense features, and as chains
in the order of the document, the flat baseline. Six models train on random shares of the training examples.

Each source has one constant for each model: the greatest mean F1 of attributes, of equals the most regularised.
Data that the figure does not show choose it, at a share of 20 %. For records and controls they are the shops of
seed 9; for relations, the last tenth of the treebank's training sentences. The grids are in ``docs/l1m3n2009.md``.
"""

from dataclasses import dataclass, replace

from structbench.bench.papers.l1m3n2009.runs import spec_of
from structbench.bench.papers.l1m3n2009.setting import EM, L1_CRF, L2_CRF, LAP_M3N, M3N, MODELS, Way
from structbench.bench.runs.spec import Spec

SHARES = (5, 10, 15, 20, 30, 40, 50)  # percent of the training examples
MEASURES = {"test_average_f1": "average F1", "test_instance_accuracy": "instance accuracy"}
REGULARISED = (L2_CRF, L1_CRF, M3N, EM, LAP_M3N)
MAX_MARGIN, LIKELIHOOD = (M3N, EM, LAP_M3N), (L2_CRF, L1_CRF)


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
    constants: dict[str, float]
    judged_on: str = "on a control of the stand-in"

    def at(self, share: int, draw: int, fewer: str) -> str:
        """Return the data set of a draw; the options ``fewer`` make it smaller."""
        options = [option for option in (fewer, f"draw={draw}", f"share={share}") if option]
        return f"{self.data}{',' if ':' in self.data else ':'}{','.join(options)}"


STAND_IN = (
    "Generated records of made-up shops stand in for the paper's web pages, with its numbers of templates, pages "
    "and records: they can say in which order models come on such trees, and not how high the paper's scores are."
)
RELATIONS = "conll2007-relations"
WEB_CONSTANTS = {"CRF": 1.0, "L2-CRF": 0.03, "L1-CRF": 0.2, "M3N": 1.0, "LapM3N": 0.5, "L1-M3N": 0.003}
DENSE_CONSTANTS = {"CRF": 1.0, "L2-CRF": 0.03, "L1-CRF": 0.05, "M3N": 0.1, "LapM3N": 2.0, "L1-M3N": 0.003}
RELATION_CONSTANTS = {"CRF": 1.0, "L2-CRF": 0.1, "L1-CRF": 0.2, "M3N": 3.0, "LapM3N": 2.0, "L1-M3N": 0.003}
SOURCES = (
    Source("web", "generated web records", "web-records", STAND_IN, WEB_CONSTANTS, "on a stand-in"),
    Source(
        "relations",
        "relations on Spanish trees",
        RELATIONS,
        "Relations of words to their heads, on given trees of real sentences, are a twin of the paper's task, not "
        "the task: labels of nodes of a tree, some of them looked for, from sparse features of high dimension.",
        RELATION_CONSTANTS,
        "on a twin",
    ),
)
CONTROLS = (
    Source(
        "web-dense",
        "generated web records, dense features",
        "web-records:features=dense",
        f"{STAND_IN} A control: 18 real features of layout and looks instead of thousands of words and classes, "
        "so that sparsity has nothing to leave out.",
        DENSE_CONSTANTS,
    ),
    Source(
        "web-chain",
        "generated web records, chains",
        "web-records:structure=chain",
        f"{STAND_IN} A baseline: each node depends on the one before it in the document, not on the one that it "
        "is in.",
        WEB_CONSTANTS,
    ),
)


@dataclass(frozen=True)
class Extraction:
    """The data and limits of a scale.

    Attributes:
        draws: Draws of the generated records.
        fewer: Options that make a source's data smaller, by the name of the data set.
        controls: Whether to run the controls, too.
        most: The most passes of a run.
        others: Draws of the other sources; ``draws`` if 0.
        few: Shares of the other sources; ``shares`` if empty.
        without: Data sets that cannot be had.
    """

    shares: tuple[int, ...]
    draws: int
    fewer: dict[str, str]
    controls: bool
    most: float
    others: int = 0
    few: tuple[int, ...] = ()
    without: frozenset[str] = frozenset()

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the sources whose data can be had."""
        chosen = (*SOURCES, *(CONTROLS if self.controls else ()))
        return tuple(source for source in chosen if source.data.partition(":")[0] not in self.without)

    def draws_of(self, source: Source) -> int:
        """Return the number of draws of a source to train on."""
        return self.draws if source is SOURCES[0] else self.others or self.draws

    def shares_of(self, source: Source) -> tuple[int, ...]:
        """Return the shares of a source's examples to train on."""
        return self.shares if source is SOURCES[0] else self.few or self.shares

    def specs(self, source: Source, way: Way, share: int) -> list[Spec]:
        """Return one spec a draw."""
        fewer = self.fewer.get(source.data.partition(":")[0], "")
        limits = way.limits | {"passes": min(way.limits["passes"], self.most)}
        data = [source.at(share, draw, fewer) for draw in range(self.draws_of(source))]
        return [spec_of(way, each, source.constants[way.model], way.params, limits) for each in data]

    def runs_of(self) -> dict[str, list[Spec]]:
        """Return all runs by MLflow experiment."""
        return {f"l1m3n2009/fig07-{source.stem}": self.of(source) for source in self.sources}

    def of(self, source: Source, ways: tuple[Way, ...] = MODELS) -> list[Spec]:
        """Return all runs of these models."""
        return [
            spec for way in ways for share in self.shares_of(source) for spec in self.specs(source, way, share)
        ]


def extraction(scale: str, without: frozenset[str] = frozenset()) -> Extraction:
    """Return the data and limits of a scale (``tiny``, ``quick`` or ``paper``), of data that can be had."""
    chosen = {
        "tiny": Extraction(
            (5,),
            2,
            {"web-records": "test_records=60", "conll2007-relations": "sentences=60,test_sentences=30"},
            False,
            10.0,
        ),
        "quick": Extraction(
            (5, 50),
            3,
            {"web-records": "test_records=600", "conll2007-relations": "sentences=200,test_sentences=200"},
            False,
            60.0,
        ),
        "paper": Extraction(SHARES, 10, {}, True, 300.0, others=5, few=(5, 20, 50)),
    }
    return replace(chosen[scale], without=without)
