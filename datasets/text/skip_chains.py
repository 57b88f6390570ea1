"""Skip chains for named entities: chains in which mentions of one capitalised word are joined.

C. Sutton, A. McCallum, Collective segmentation and labeling of distant entities in information extraction, 2004.
Words that look like names tend to have one label wherever they stand. Nodes have the features of ``ner``,
neighbours tied transitions. An edge joins each mention of a capitalised word with the next one in the sentence.
These edges have their own transitions and features of the word and of what stands around both.
"""

from typing import Any

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.field import model as field
from structbench.algorithms.structures.field.elimination import min_fill
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import columns, ner, templates

NEIGHBOURS, SKIPS = 0, 1
SHORTEST = 2  # letters of a word that is joined, of which the first is a capital
LINKS = ("shape[0]", "suffix2[0]", "before[0]", "after[0]", "first[0]")


def problem(train: columns.Sentences, test: columns.Sentences | None, max_width: int = field.MAX_WIDTH) -> Problem:
    """The problem of what ``ner.read`` gives.

    Args:
        max_width: Leave out links that would make the graph of a sentence wider.
    """
    learn = ner.with_morphology(train)
    evaluate = ner.with_morphology(test or columns.Sentences({"w": [], "tag": []}, train.lengths[:0], [], ""))
    nodes = templates.extract(learn, evaluate, ner.NODES)
    linked = [[links(words, max_width) for words in _sentences(each)] for each in (learn, evaluate)]
    skips = templates.extract(_cells(learn, linked[0]), _cells(evaluate, linked[1]), LINKS, marks=False)
    number = {label: k for k, label in enumerate(ner.LABELS)}

    def split(which: int, sentences: columns.Sentences) -> field.Field:
        y = np.array([number[tag] for tag in sentences.columns["tag"]])
        return _split(nodes.both[which], skips.both[which], sentences.lengths, linked[which], y, max_width)

    names = {"nodes": nodes.names, "links": skips.names}
    return Problem(split(0, learn), None if test is None else split(1, evaluate), ner.LABELS, vocabulary=names)


def encode(
    content: bytes,
    source: str,
    labels: tuple[str, ...],
    vocabulary: Vocabulary,
    *,
    max_width: int,
    **_: Any,
) -> Unlabelled:
    """New sentences for a model of ``problem``; of the columns only the first, the word, is needed.

    Raises:
        UserError: A line is malformed.
    """
    sentences = ner.read_unlabelled(content, source)
    words = sentences._replace(columns={"w": sentences.columns["w"]}).with_word_features(**ner.MORPHOLOGY)
    linked = [links(each, max_width) for each in _sentences(words)]
    x = templates.rows_of(words, ner.NODES, vocabulary["nodes"])
    skips = templates.rows_of(_cells(words, linked), LINKS, vocabulary["links"], marks=False)
    split = _split(x, skips, words.lengths, linked, np.full(len(words.lines), -1), max_width)
    return Unlabelled(split, *ner.around(content, source, sentences))


def _split(
    x: ft.Features,
    skips: ft.Features,
    lengths: np.ndarray,
    linked: list[list[tuple[int, int]]],
    y: np.ndarray,
    max_width: int,
) -> field.Field:
    """A split from features of tokens and of links, and the links of each sentence."""
    ends, kinds, rows, counts, link = [], [], [], [], 0
    for T, pairs in zip(lengths.tolist(), linked, strict=True):
        ends += [(t, t + 1) for t in range(T - 1)] + pairs
        kinds += [NEIGHBOURS] * (T - 1) + [SKIPS] * len(pairs)
        rows += [-1] * (T - 1) + list(range(link, link + len(pairs)))
        counts.append(T - 1 + len(pairs))
        link += len(pairs)
    return field.build(
        x, lengths, y, len(ner.LABELS), np.array(ends).reshape(-1, 2), np.array(counts), _spread(skips, rows),
        np.array(kinds), num_kinds=2, max_width=max_width,
    )  # fmt: skip


def links(words: list[str], max_width: int) -> list[tuple[int, int]]:
    """Each mention of a capitalised word with the next one, within the allowed width of the sentence's graph."""
    chain = [(t, t + 1) for t in range(len(words) - 1)]
    last: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    for t, word in enumerate(words):
        if len(word) < SHORTEST or not word[0].isupper():
            continue
        pair = last.get(word, t), t
        last[word] = t
        if pair[1] - pair[0] > 1:
            graph = np.array([*chain, *found, pair])
            if min_fill(len(words), graph).width <= max_width:
                found.append(pair)
    return found


def _sentences(sentences: columns.Sentences) -> list[list[str]]:
    words, ends = sentences.columns["w"], np.cumsum(sentences.lengths)
    return [words[end - length : end] for end, length in zip(ends, sentences.lengths, strict=True)]


def _cells(sentences: columns.Sentences, linked: list[list[tuple[int, int]]]) -> columns.Sentences:
    """What features of links are made of, a link a row. The links of a sentence form one sentence."""
    starts = np.cumsum(sentences.lengths) - sentences.lengths
    words, own = sentences.columns["w"], sentences.columns
    cells: dict[str, list[Any]] = {name.partition("[")[0]: [] for name in LINKS}
    for start, length, pairs in zip(starts.tolist(), sentences.lengths.tolist(), linked, strict=True):
        for pair in pairs:
            first, second = (start + t for t in pair)
            around = [
                {words[t + step].lower() for t in (first, second) if start <= t + step < start + length}
                for step in (-1, 1)
            ]
            made = {
                "shape": own["shape"][first],
                "suffix2": own["suffix2"][first],
                "before": "|".join(sorted(around[0])) or None,
                "after": "|".join(sorted(around[1])) or None,
                "first": "first" if pair[0] == 0 else None,
            }
            for name, cell in made.items():
                cells[name].append(cell)
    counts = np.array([len(pairs) for pairs in linked], np.int64)
    return columns.Sentences(cells, counts[counts > 0], [0] * int(counts.sum()), "")


def _spread(x: ft.Features, rows: list[int]) -> ft.Features:
    """These rows of x; -1 is an empty one."""
    import scipy.sparse as sp

    chosen = np.array(rows)
    there = np.flatnonzero(chosen >= 0)
    pick = sp.csr_array((np.ones(len(there)), (there, chosen[there])), shape=(len(chosen), ft.shape(x)[0]))
    return ft.sparse(pick @ ft.as_matrix(x))
