"""All outputs of small random examples, written out: what every structure must agree with.

A structure joins the tests by a builder in ``STRUCTURES``; nothing here uses the structures' kernels.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag

from structbench.algorithms.structures import candidates, dependency, multiclass, nonprojective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.compiled import capabilities
from structbench.algorithms.structures.field import model as field
from structbench.algorithms.structures.forest import model as forest
from structbench.algorithms.structures.structure_types import structure_types
from structbench.algorithms.structures.tree import model as tree
from tests.algorithms.cases import Case, Example, Shape
from tests.algorithms.drawn_features import binary, dense, rows_of, sparse, without_first
from tests.algorithms.graphs import Graph, drawn_graph
from tests.algorithms.heads import cliques_of_tree, cliques_of_trees, is_projective, is_tree
from tests.algorithms.parses import drawn_tree, head, tails_of, trees
from tests.algorithms.segment_cases import segments_of


def _multiclass(draw: Callable, shape: Shape, rng: np.random.Generator) -> Case:
    """Part k of an example is class k; weights (columns, K)."""
    n, K = len(shape.lengths), shape.num_labels
    x = draw((n, shape.columns), shape.density, rng)
    y, one_hot = _right(n, shape, rng), np.eye(K)
    examples = []
    for row, right in zip(rows_of(x), y, strict=True):
        features = np.array([np.outer(row, one_hot[k]).ravel() for k in range(K)])
        gold = one_hot[right] if right >= 0 else np.zeros(K)
        labels = np.arange(K)[:, None]
        losses = (np.arange(K) != right).astype(float)
        examples.append(Example(features, one_hot, one_hot, labels, losses, gold, np.array([right])))
    return Case(multiclass.build(x, y, K), examples, K)


def _candidates(draw: Callable, shape: Shape, rng: np.random.Generator) -> Case:
    """Up to four candidates an example, whatever labels they have; weights (columns,)."""
    K, counts = shape.num_labels, rng.integers(1, 5, size=len(shape.lengths))
    right = [_right(T, shape, rng) for T in shape.lengths]
    listed = [rng.integers(K, size=(m, T)) for m, T in zip(counts, shape.lengths, strict=True)]
    losses = [(each != y).sum(axis=1).astype(float) for each, y in zip(listed, right, strict=True)]
    x = draw((counts.sum(), shape.columns), shape.density, rng)
    rows = np.split(rows_of(x), np.cumsum(counts)[:-1])
    examples = []
    for features, labels, own, y in zip(rows, listed, losses, right, strict=True):
        every = np.eye(len(labels))
        examples.append(Example(features, every, every, labels, own - own.min(), every[own.argmin()], y))
    written = np.concatenate([each.ravel() for each in listed])
    fields = np.concatenate(losses), written, np.concatenate(right), np.array(shape.lengths)
    return Case(candidates.build(x, counts, *fields), examples, K)


def _labelled(
    graph: Graph, right: np.ndarray, rows: np.ndarray, edge_rows: np.ndarray | None, K: int, cliques: Callable
) -> Example:
    """All labellings of a graph; ``cliques`` makes their cliques.

    Parts: (t, k); (kind, j, k) tied; (edge, j, k), if edges are observed. Weights in that order.
    """
    observed = edge_rows is not None
    of_edges = np.zeros((0, 0)) if edge_rows is None else np.kron(edge_rows, np.eye(K * K))
    features = np.asarray(block_diag(np.kron(rows, np.eye(K)), np.eye(graph.num_kinds * K * K), of_edges))
    labels = np.array(list(product(*map(range, graph.counts))))
    outputs = np.array([graph.parts(each, K, observed) for each in labels])
    losses = (labels != right).sum(axis=1).astype(float)
    return Example(features, outputs, cliques(labels), labels, losses, graph.parts(right, K, observed), right)


def _forest(draw: Callable, shape: Shape, rng: np.random.Generator) -> Case:
    """All trees of a random grammar. Parts are rules in place, see ``parses``.

    The loss of a part is 1 if its left side is not there in the right tree. All symbols but the last are labels of
    spans, from 1 on. Where training never saw a label, the right tree is one of any rules whatever, and no label
    right.
    """
    K, examples, graphs, counts = shape.num_labels, [], [], []
    for T in shape.lengths:
        lexicon = {t: set(rng.permutation(K)[:2].tolist()) for t in range(T)}
        makes = {
            BC: set(rng.integers(K, size=1 + (rng.random() < 0.3)).tolist()) for BC in product(range(K), repeat=2)
        }
        unseen = bool((rng.random(T) < shape.unseen).any())
        right = drawn_tree(0, T, lexicon, makes, rng, K if unseen else 0)
        every = [tree for A in range(K) for tree in trees(A, 0, T, lexicon, makes, K)]
        every = [(symbols, [*rules, (symbols[0, T],)]) for symbols, rules in every]
        edges = sorted({rule for _, rules in every for rule in rules}, key=lambda rule: (head(rule, T), rule))
        nodes = sorted({head(rule, T) for rule in edges})
        tails = [[nodes.index(tail) for tail in tails_of(rule, T)] for rule in edges]
        spans = [(s, e) for s in range(T) for e in range(s + 1, T + 1)]
        decided = [-1 if len(rule) == 1 or rule[3] == K - 1 else spans.index((rule[0], rule[2])) for rule in edges]
        given = np.array([0 if at < 0 else rule[3] + 1 for at, rule in zip(decided, edges, strict=True)])
        wrong = np.array([len(r) > 1 and right[0].get((r[0], r[2])) != r[3] for r in edges], float)
        gold = np.array([rule in [*right[1], (right[0][0, T],)] for rule in edges], float)
        outputs = np.array([[rule in rules for rule in edges] for _, rules in every], float)
        labels = np.array([[(symbols.get(span, K - 1) + 1) % K for span in spans] for symbols, _ in every])
        answer = np.array([-1 if unseen else (right[0].get(span, K - 1) + 1) % K for span in spans])
        first = np.searchsorted([nodes.index(head(rule, T)) for rule in edges], range(len(nodes) + 1))
        padded = np.array([[*tail, -1, -1][:2] for tail in tails])
        graphs.append(forest.Derivations(first, padded, wrong, gold, np.array(decided), given, answer))
        counts.append(len(edges))
        examples.append(Example(np.empty(0), outputs, outputs, labels, outputs @ wrong, gold, answer))
    x = draw((sum(counts), shape.columns), shape.density, rng)
    rows = np.split(rows_of(x), np.cumsum(counts)[:-1])
    written = [example._replace(features=own) for example, own in zip(examples, rows, strict=True)]
    return Case(forest.build(x, graphs), written, K, first=False)


def _dependencies(x: ft.Features, heads: list[tuple[int, ...]], single_root: bool, projective: bool) -> Case:
    """Parts: the arcs (h, m), those into token 1 first, by heads. Weights: (columns,).

    Cliques, of projective trees, are of two kinds. One is a head, a child as its outermost on one side, and the
    last token below it there. The other is an arc and where the tokens between its ends divide between them.
    """
    rows, row, examples = rows_of(x), 0, []
    for right in heads:
        T = len(right)
        arcs = [(h, m) for m in range(1, T + 1) for h in range(T + 1) if h != m]
        trees = list(product(*([h for h in range(T + 1) if h != m] for m in range(1, T + 1))))
        trees = [each for each in trees if is_tree(each) and not (single_root and each.count(0) > 1)]
        trees = [each for each in trees if not projective or is_projective(each)]
        labels = np.array(trees)
        outputs = np.array([[float(tree[m - 1] == h) for h, m in arcs] for tree in trees])
        gold = np.array([float(right[m - 1] == h) for h, m in arcs])
        cliques = outputs
        if projective:
            number = {clique: c for c, clique in enumerate(cliques_of_trees(T, single_root))}
            cliques = np.zeros((len(trees), len(number)))
            for row_of, tree in zip(cliques, trees, strict=True):
                row_of[[number[clique] for clique in cliques_of_tree(tree)]] = 1
        losses = (labels != np.array(right)).sum(axis=1).astype(float)
        examples.append(Example(rows[row : row + T * T], outputs, cliques, labels, losses, gold, np.array(right)))
        row += T * T
    build = dependency.build if projective else nonprojective.build
    lengths = np.array([len(each) for each in heads])
    split = build(x, lengths, np.concatenate(heads), single_root=single_root)
    return Case(split, examples, 0, first=False)


def _right(count: int, shape: Shape, rng: np.random.Generator) -> np.ndarray:
    y = rng.integers(0, shape.num_labels, size=count)
    return np.where(rng.random(count) < shape.unseen, -1, y)


def _nodes_and_edges_of(
    draw: Callable, observed: bool = False, branching: bool = False
) -> Callable[[Shape, np.random.Generator], Case]:
    """Chains or, ``branching``, trees with parents at random."""

    def build(shape: Shape, rng: np.random.Generator) -> Case:
        K, lengths, nodes = shape.num_labels, np.array(shape.lengths), sum(shape.lengths)
        x = draw((nodes, shape.columns), shape.density, rng)
        edges = without_first(draw((nodes, 2), shape.density, rng), shape.lengths) if observed else None
        y = _right(nodes, shape, rng)
        parents = [[int(rng.integers(t)) if branching else t - 1 for t in range(1, T)] for T in lengths]
        rows, edge_rows, examples, start = rows_of(x), rows_of(edges) if edges else None, [], 0
        for above in parents:
            T = len(above) + 1
            ends = np.column_stack([above, np.arange(1, T)]).astype(int)
            graph = Graph(ends, np.zeros(T - 1, int), np.full(T, K), 1)

            def cliques(labels: np.ndarray, above: list[int] = above) -> np.ndarray:
                ones = np.eye(K)[labels]
                pairs = ones[:, above, :, None] * ones[:, 1:, None, :]
                tables = [pairs[:, ::-1], ones[:, :1]] if branching else [ones, pairs]  # from the last to the root
                return np.concatenate([each.reshape(len(labels), -1) for each in tables], axis=1)

            of_edges = None if edge_rows is None else edge_rows[start + 1 : start + T]
            own = slice(start, start + T)
            examples.append(_labelled(graph, y[own], rows[own], of_edges, K, cliques))
            start += T
        if not branching:
            return Case(chain.build(x, lengths, y, K, edges), examples, K)
        roots_first = np.concatenate([[-1, *above] for above in parents])
        return Case(tree.build(x, lengths, roots_first, y, K, edges), examples, K)

    return build


def _dependencies_of(
    draw: Callable, single_root: bool, projective: bool = True
) -> Callable[[Shape, np.random.Generator], Case]:
    def build(shape: Shape, rng: np.random.Generator) -> Case:
        heads = []
        for T in shape.lengths:
            while True:
                drawn = tuple(int(h) for h in rng.integers(0, T + 1, size=T))
                lone = drawn.count(0) == 1 or not single_root
                if is_tree(drawn) and lone and (is_projective(drawn) or not projective):
                    break
            heads.append(drawn)
        x = draw((sum(T * T for T in shape.lengths), 2 * shape.columns), shape.density, rng)
        return _dependencies(x, heads, single_root, projective)

    return build


def _field_of(draw: Callable, observed: bool) -> Callable[[Shape, np.random.Generator], Case]:
    """Graphs with any edges, of two kinds, and nodes with K labels or fewer."""

    def build(shape: Shape, rng: np.random.Generator) -> Case:
        K, lengths = shape.num_labels, np.array(shape.lengths)
        graphs = [drawn_graph(T, K, rng) for T in lengths]
        x = draw((lengths.sum(), shape.columns), shape.density, rng)
        edges = draw((sum(len(each.ends) for each in graphs), 2), shape.density, rng) if observed else None
        rows, edge_rows = rows_of(x), None if edges is None else rows_of(edges)
        y, examples, node, edge = [], [], 0, 0
        for graph in graphs:
            T, E = len(graph.counts), len(graph.ends)
            y.append(np.where(rng.random(T) < shape.unseen, -1, rng.integers(graph.counts)))
            of_edges = None if edge_rows is None else edge_rows[edge : edge + E]
            of_cliques = lambda labels, graph=graph: np.array([graph.cliques(each) for each in labels])  # noqa: E731
            examples.append(_labelled(graph, y[-1], rows[node : node + T], of_edges, K, of_cliques))
            node, edge = node + T, edge + E
        ends, kinds, counts = (np.concatenate([g[k] for g in graphs]) for k in range(3))
        joined = np.array([len(each.ends) for each in graphs])
        split = field.build(x, lengths, np.concatenate(y), K, ends, joined, edges, kinds, counts, 2)
        return Case(split, examples, K, first=False)

    return build


STRUCTURES: dict[str, Callable[[Shape, np.random.Generator], Case]] = {
    "multiclass-dense": partial(_multiclass, dense),
    "multiclass-sparse": partial(_multiclass, sparse),
    "candidates-dense": partial(_candidates, dense),
    "candidates-binary": partial(_candidates, binary),
    "candidates-sparse": partial(_candidates, sparse),
    "chain-dense": _nodes_and_edges_of(dense),
    "chain-binary": _nodes_and_edges_of(binary),
    "chain-binary-edges": _nodes_and_edges_of(binary, observed=True),
    "chain-sparse-edges": _nodes_and_edges_of(sparse, observed=True),
    "tree-binary": _nodes_and_edges_of(binary, branching=True),
    "tree-sparse-edges": _nodes_and_edges_of(sparse, observed=True, branching=True),
    "field-sparse-edges": _field_of(sparse, observed=True),
    "field-binary": _field_of(binary, observed=False),
    "segments-dense": segments_of(dense, 3, outside=0),
    "segments-binary": segments_of(binary, 2, outside=0),
    "segments-sparse": segments_of(sparse, 4, outside=-1),
    "segments-pieces": segments_of(sparse, 2, outside=0, shared=True),
    "forest-dense": partial(_forest, dense),
    "forest-binary": partial(_forest, binary),
    "forest-sparse": partial(_forest, sparse),
    "dependency-binary": _dependencies_of(binary, single_root=True),
    "dependency-sparse": _dependencies_of(sparse, single_root=False),
    "nonprojective-binary": _dependencies_of(binary, single_root=False, projective=False),
    "nonprojective-sparse": _dependencies_of(sparse, single_root=True, projective=False),
}


def case(name: str, seed: int = 0, **shape: Any) -> Case:
    """The same small case for the same arguments."""
    return STRUCTURES[name](Shape(**shape), np.random.default_rng(seed))


def structure_of(name: str) -> str:
    """The id of the structure of a case: the longest that its name begins with."""
    return max((each for each in structure_types() if f"{name}-".startswith(f"{each}-")), key=len)


COVERING = tuple({structure_of(name): name for name in STRUCTURES}.values())  # the last case of each structure


def able(name: str, *needs: str) -> bool:
    """Whether the structure of a case has these capabilities."""
    return set(needs) <= capabilities(structure_types()[structure_of(name)])


def each_of(names: Iterable[str]) -> pytest.MarkDecorator:
    """A test on those cases of these names that cover all structures."""
    return pytest.mark.parametrize("name", [name for name in names if name in COVERING])


LABELLED = [
    name for name in STRUCTURES if not name.startswith(("candidates", "dependency", "nonprojective"))
]  # some maybe unseen
every_structure = each_of(STRUCTURES)
labelled = each_of(LABELLED)
CLIQUES = [name for name in STRUCTURES if able(name, "cliques")]
with_cliques = each_of(CLIQUES)
