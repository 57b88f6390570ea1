"""Linear-chain problems over the tokens of sentences, with template features, and encoding of new sentences."""

from typing import NamedTuple

from structbench.algorithms.structures.chain import model as chain
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import templates
from structbench.datasets.text.columns import Sentences


class Templates(NamedTuple):
    """Templates of tokens, and of pairs of neighbours; ``padded``: as CRF++ has it, outside of a sentence, too."""

    nodes: tuple[str, ...]
    edges: tuple[str, ...] = ()
    padded: bool = False


def chain_problem(
    train: Sentences, test: Sentences | None, label: str, labels: tuple[str, ...], used: Templates, least: int = 1
) -> Problem:
    """The problem of training sentences and, maybe, test sentences.

    It has one weight for every (attribute, label), (label, label) and (edge attribute, label, label) of the
    training sentences. The two need not occur together.

    Args:
        label: The column of the labels.
        least: Leave out attributes that the training sentences have less often than this.
    """
    evaluate = test or Sentences({name: [] for name in train.columns}, train.lengths[:0], [], "")
    given = {"padded": used.padded, "least": least}
    nodes = templates.extract(train, evaluate, used.nodes, marks=not used.padded, **given)
    edges = templates.extract(train, evaluate, used.edges, edges=True, **given) if used.edges else None

    def split(which: int, sentences: Sentences) -> tuple[chain.Chain, tuple[str, ...]]:
        y, unseen = coded(sentences.columns[label], labels)
        rows = edges and edges.both[which]
        return chain.build(nodes.both[which], sentences.lengths, y, len(labels), rows), unseen

    names = {"nodes": nodes.names} | ({"edges": edges.names} if edges else {})
    tested, unseen = (None, ()) if test is None else split(1, evaluate)
    return Problem(split(0, train)[0], tested, labels, vocabulary=names, unseen=unseen)


def encode_tokens(
    sentences: Sentences, labels: tuple[str, ...], vocabulary: Vocabulary, used: Templates, written: list[str]
) -> Unlabelled:
    """New sentences for a model of ``chain_problem``; ``written``: what the output has before each label."""
    padded, edges = used.padded, None
    x = templates.rows_of(sentences, used.nodes, vocabulary["nodes"], marks=not padded, padded=padded)
    if used.edges:
        edges = templates.rows_of(sentences, used.edges, vocabulary["edges"], edges=True, padded=padded)
    split = chain.build(x, sentences.lengths, None, len(labels), edges)
    return Unlabelled(split, written, [""] * len(written))
