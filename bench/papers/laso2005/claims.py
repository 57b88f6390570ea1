"""Claims of laso2005's sections 4 and 5; ``rules`` and ``time_rules`` say how they are judged."""

from functools import partial

from structbench.bench.papers.judging import Claim
from structbench.bench.papers.laso2005 import rules, scores, time_rules
from structbench.bench.papers.laso2005.runs import Task, matrix
from structbench.bench.papers.laso2005.setting import (
    ALPHA_BEAM,
    ALPHAS,
    BEAMS,
    CHUNKING,
    EARLY,
    JOINT,
    LARGE,
    OWN_DATA,
    PERCEPTRON,
    SEMI_CRF,
    SEMI_CRFS,
    STANDARD,
    TABLE_1,
    Way,
    laso,
    with_alpha,
)


def _p(*beams: int | str) -> list[Way]:
    return [laso("perceptron", beam) for beam in beams]


def _a(*beams: int | str) -> list[Way]:
    return [laso("alma", beam) for beam in beams]


P1, A1 = laso("perceptron", 1), laso("alma", 1)
EXACT = (*_p("inf"), *_a("inf"))
BOTH = [*_p(*BEAMS[JOINT]), *_a(*BEAMS[JOINT])]
TABLE_3 = "Table 3"  # in place of ways: all cells

# id: (where, the paper's sentence, its numbers, rule, ways by task or Table 3's cells, figure)
CLAIMS = {
    "p1-beats-semicrf": (
        "Table 1",
        "The simplest model, LaSO with perceptron updates and a beam of 1, already outperforms the SemiCRF.",
        "92.4, 92.2",
        rules.ahead([(P1, way) for way in SEMI_CRFS], (CHUNKING,)),
        {CHUNKING: [P1, *SEMI_CRFS]},
        "table1",
    ),
    "a1-beats-p1": (
        "Table 1",
        "With a beam of 1 the large margin variant does better still.",
        "93.0, 92.4",
        rules.ahead([(A1, P1)], (CHUNKING,)),
        {CHUNKING: [A1, P1]},
        "table1",
    ),
    "semicrf-below-published": (
        "Section 4.1",
        "The SemiCRF falls short of the previous reported results.",
        "92.2 against 94.1",
        rules.semicrf_below_published,
        {CHUNKING: [*SEMI_CRFS]},
        "table1",
    ),
    "beam5-is-enough": (
        "Table 1",
        "Increasing the beam past 5 does not seem to help large margin updates.",
        "94.3; 94.4, 94.4",
        rules.beam5_is_enough,
        {CHUNKING: _a(*TABLE_1)},
        "table1",
    ),
    "exact-costs-more": (
        "Section 4.1",
        "An infinite beam costs an extra 18 hours of training against a beam of 5.",
        "20:12 and 2:04 hours",
        time_rules.exact_costs_more,
        {CHUNKING: _a(5, "inf")},
        "table1",
    ),
    "exact-perceptron-falls": (
        "Table 1",
        "The standard structured perceptron falls short of exactly trained LaSO.",
        "93.4; 94.2, 94.4",
        rules.ahead([(exact, PERCEPTRON) for exact in EXACT], (CHUNKING,)),
        {CHUNKING: [PERCEPTRON, *EXACT]},
        "table1",
    ),
    "perceptron-time": (
        "Section 4.1",
        "The Perceptron has roughly comparable training time to the exactly trained LaSO "
        "algorithms (slightly faster).",
        "18:05; 21:43, 20:12 hours",
        time_rules.perceptron_time,
        {CHUNKING: [PERCEPTRON, *EXACT]},
        "table1",
    ),
    "semicrf-slowest": (
        "Table 1",
        "The SemiCRF is by far the most computationally expensive algorithm, more than twice as slow to "
        "train than even LaSOp∞.",
        "53:56; at most 21:43 hours",
        time_rules.semicrf_slowest,
        {CHUNKING: [*SEMI_CRFS, PERCEPTRON, *_p(*TABLE_1), *_a(*TABLE_1)]},
        "table1",
    ),
    "greedy-decodes-faster": (
        "Section 4.1",
        "Decoding for the SemiCRF takes half an hour for the two thousand test sentences, while "
        "the greedy decoding takes only 52 seconds.",
        "31 minutes, 52 s",
        time_rules.greedy_decodes_faster,
        {CHUNKING: [SEMI_CRF, P1]},
        "table1",
    ),
    "alma-faster-at-large-beams": (
        "Section 4.1",
        "At the larger beam sizes, the large margin algorithm is actually faster than the perceptron.",
        "5:59 and 6:32, 20:12 and 21:43 hours",
        time_rules.alma_faster_at_large_beams,
        {CHUNKING: [*_p(*LARGE), *_a(*LARGE)]},
        "table1",
    ),
    "alpha-insensitive": (
        "Section 4.1",
        "Changing alpha does not affect the score by more than 0.1 (judged: with a beam of 5).",
        "at most 0.1",
        rules.alpha_insensitive,
        {CHUNKING: [*_a(ALPHA_BEAM), *map(with_alpha, ALPHAS)]},
        "table-alpha",
    ),
    "fewer-passes": (
        "Table 2",
        "Large margin updates require fewer iterations to converge.",
        "two or three, seven or eight",
        time_rules.fewer_passes,
        {JOINT: BOTH},
        "table2",
    ),
    "faster-training": (
        "Table 2",
        "The large margin algorithms are much faster to train than the perceptron.",
        "in all 11:38 and 20:32 hours",
        time_rules.faster_training,
        {JOINT: BOTH},
        "table2",
    ),
    "perceptrons-below-sutton": (
        "Table 2",
        "None of the perceptron-style algorithms is able to outperform the Sutton model.",
        "at most 93.7, 93.9",
        rules.perceptrons_below_sutton,
        {JOINT: _p(*BEAMS[JOINT])},
        "table2",
    ),
    "alma-beats-sutton": (
        "Table 2",
        "The large margin algorithms easily outperform the Sutton model; with a beam of only 1 they "
        "achieve the same F.",
        "93.9 at 1, 94.2 to 94.4; 93.9",
        rules.alma_beats_sutton,
        {JOINT: _a(*BEAMS[JOINT])},
        "table2",
    ),
    "joint-helps": (
        "Tables 1 and 2",
        "In general large margin learning chunks better when it tags at the same time.",
        "93.9, 94.2, 94.3; 93.0, 94.3, 94.4",
        rules.joint_helps,
        {kind: _a(1, 5, 25) for kind in (CHUNKING, JOINT)},
        "table2",
    ),
    "diagonal": (
        "Table 3",
        "Training and testing with the same beam is useful: the diagonal is heavy.",
        "",
        rules.diagonal,
        TABLE_3,
        "table3",
    ),
    "greedy-mismatch": (
        "Table 3",
        "The difference is particularly strong when one of the sizes is 1.",
        "92.8 and 90.5 against 93.9",
        rules.greedy_mismatch,
        TABLE_3,
        "table3",
    ),
    "mild-mismatch": (
        "Table 3",
        "The differences are less pronounced with beams of 10 and more, but the trend is still evident.",
        "",
        rules.mild_mismatch,
        TABLE_3,
        "table3",
    ),
    "laso-beats-early": (
        "Section 5",
        "On the tasks reported, the search optimization framework is better than early updates.",
        "",
        rules.ahead([(rules.P10, EARLY), (rules.A10, EARLY)], rules.SECTION_5),
        {kind: [EARLY, rules.P10, rules.A10] for kind in rules.SECTION_5},
        "table-updates",
    ),
    "early-beats-standard": (
        "Section 5",
        "On the tasks reported, early updates are better than no early updates.",
        "",
        rules.ahead([(EARLY, STANDARD)], rules.SECTION_5),
        {kind: [EARLY, STANDARD] for kind in rules.SECTION_5},
        "table-updates",
    ),
}


def claims(task: Task) -> list[Claim]:
    """Return all claims."""
    whole = "the paper's data" if task.scale == "paper" else "a part of the paper's data"
    source = whole if task.data[0] in OWN_DATA else "generated sentences"
    found = []
    for name, (where, sentence, theirs, rule, ways, figure) in CLAIMS.items():
        if isinstance(ways, dict):
            runs = [spec for kind, some in ways.items() for spec in scores.needed(task, some, kind)]
        else:
            runs = [spec for specs in matrix(task).values() for spec in specs]
        about = (f"laso2005/{name}", "laso2005", where, sentence, theirs)
        check = partial(rules.judged, rule, task)
        found.append(Claim(*about, check, list(dict.fromkeys(runs)), [figure], f"{task.data[0]}, {source}"))
    return found
