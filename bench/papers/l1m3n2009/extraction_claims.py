"""Claims of l1m3n2009 on web data, Figure 7; ``extraction_rules`` says how each is judged."""

from functools import partial

from structbench.bench.papers.judging import Claim
from structbench.bench.papers.l1m3n2009 import extraction_rules as rules
from structbench.bench.papers.l1m3n2009.extraction import Extraction

# id: (the paper's sentence, rule)
SENTENCES = {
    "extraction-regularised": (
        "The models with regularization (1-norm, 2-norm, or the entropic one of LapM3N) can significantly "
        "outperform the un-regularized CRFs.",
        rules.regularised,
    ),
    "extraction-max-margin": (
        "The max margin models generally outperform the conditional likelihood based models (judged: those that "
        "are regularised).",
        rules.max_margin,
    ),
    "extraction-lap-as-l1m3n": (
        "The primal sparse l1-M3N performs comparably with the pseudo primal sparse LapM3N.",
        rules.lap_as_l1m3n,
    ),
    "extraction-l1m3n-best": (
        "The l1-M3N outperforms all other models but the LapM3N.",
        rules.l1m3n_best,
    ),
    "extraction-few-examples": (
        "It does so especially when the number of training data is small.",
        rules.few_examples,
    ),
    "extraction-beats-l1crf": (
        "The l1-M3N generally outperforms the l1-CRFs.",
        rules.beats_l1crf,
    ),
}


def claims(chosen: Extraction) -> list[Claim]:
    """Return every claim on every source of the scale, the controls included."""
    return [
        Claim(
            f"l1m3n2009/{source.stem}-{name.removeprefix('extraction-')}",
            "l1m3n2009",
            "Figure 7",
            sentence,
            "",
            partial(rules.judge, rule, chosen, source),
            chosen.of(source),
            [f"fig07-{source.stem}"],
            f"{source.judged_on}: {source.name}, {chosen.draws_of(source)} draws",
        )
        for source in chosen.sources
        for name, (sentence, rule) in SENTENCES.items()
    ]
