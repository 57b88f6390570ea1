"""An estimator that labels the nodes of graphs and grids: a conditional random field with exact inference."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures.field import model as field
from structbench.bench.estimators import inputs, values
from structbench.bench.estimators.base import A, Estimator
from structbench.bench.estimators.parameters import with_probabilities
from structbench.bench.estimators.sequences import checked_labels, gold_labels
from structbench.bench.runs.model import Model
from structbench.bench.runs.tables import is_table
from structbench.datasets.problems.labels import number_labels, place_in
from structbench.datasets.problems.problem import Problem, Unlabelled

FORMS = "expected (nodes, edges), (nodes, edges, features of the edges) or an array (height, width, columns)"


class _Graph(NamedTuple):
    """Nodes as the encoder takes them, the ends of edges (edges, 2), their kinds, their features or None.

    ``shape``: of the labels, (nodes,) or (height, width).
    """

    nodes: Any
    ends: np.ndarray
    kinds: np.ndarray
    edges: Any
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of nodes."""
        return math.prod(self.shape)


@dataclass(eq=False, repr=False, kw_only=True)
class FieldCRF(Estimator):
    """A conditional random field of any graph of small width: weights of nodes, and of pairs of neighbours.

    X is a list of graphs. A graph is a tuple (nodes, edges) or (nodes, edges, features of the edges):

    - nodes: rows of numbers, or attributes, a node (``inputs``);
    - edges: the numbers of the two nodes that each edge joins, (edges, 2), the first node being 0;
    - features of the edges: rows of numbers, or attributes, an edge.

    Or it is a grid, an array (height, width, columns) with the features of each cell. Neighbours in a row and in a
    column then have transitions of their own. y has a label for each node: a sequence a graph, an array (height,
    width) a grid. Inference is exact. It takes the number of labels to the power of the width of the graph plus 1,
    which for a grid is the shorter side. Wider graphs than ``max_width`` are refused.

    ``coef_`` is (labels, features). ``transitions_`` is (kinds of edges, labels, labels), from the first node of
    an edge to the second; ``edge_coef_`` is (features of edges, labels, labels).
    """

    max_width: int = 12

    def _problem(self, X: Any, y: Any) -> Problem:
        if not (graphs := _graphs(X)):
            raise UserError("expected graphs to learn from, found none in X")
        lengths = np.array([each.size for each in graphs])
        given, self._sizes = checked_labels(_flat(y, graphs), lengths), lengths
        labels, codes = number_labels(given, place_in(lengths))
        self._nodes = inputs.encoder([each.nodes for each in graphs])
        of_edges = [each.edges for each in graphs if len(each.ends)]
        with_features = of_edges if of_edges and of_edges[0] is not None else []
        self._edges = inputs.encoder(with_features) if with_features else None
        for each in filter(None, (self._nodes, self._edges)):
            if isinstance(each, inputs.Words):
                raise UserError("expected rows of numbers, dicts or lists of attributes as nodes, found texts")
        self._kinds = max((int(each.kinds.max(initial=0)) for each in graphs), default=0) + 1
        made = self._field(graphs, codes, len(labels), fit=True)
        self.feature_names_out_ = np.array(self._nodes.names, object)
        return Problem(made, None, labels)

    @property
    def _feature_names(self) -> dict[str, Any]:
        edges = np.array(self._edges.names, object) if self._edges else None
        return {"nodes": self.feature_names_out_, "edges": edges}

    def _encode(self, X: Any) -> field.Field:
        graphs = _graphs(X)
        return self._field(graphs, np.full(sum(each.size for each in graphs), -1), len(self.classes_))

    def _field(self, graphs: list[_Graph], codes: np.ndarray, labels: int, fit: bool = False) -> field.Field:
        """The split of these graphs; ``fit``: fix the columns of features."""
        for number, each in enumerate(graphs):
            if (each.edges is None) != (self._edges is None) and len(each.ends):
                raise UserError(f"example {number}: all graphs need features of edges, or none")
            if each.kinds.max(initial=0) >= self._kinds:
                raise UserError(f"example {number} is a grid: the model was fitted to graphs, or to single rows")
        nodes = [each.nodes for each in graphs]
        edges = [each.edges for each in graphs if self._edges and len(each.ends)]
        of_edges: features.Features | None = None
        if self._edges and edges:
            of_edges = self._edges.fit(edges) if fit else self._edges.encode(edges)
        elif self._edges:
            import scipy.sparse as sp

            of_edges = features.sparse(sp.csr_array((0, len(self._edges.names))))
        return field.build(
            self._nodes.fit(nodes) if fit else self._nodes.encode(nodes),
            np.array([each.size for each in graphs]),
            codes,
            labels,
            np.concatenate([each.ends for each in graphs]),
            np.array([len(each.ends) for each in graphs]),
            of_edges,
            np.concatenate([each.kinds for each in graphs]),
            num_kinds=self._kinds,
            max_width=values.count_of("max_width", self.max_width),
        )

    def _asked(self, X: Any, of: Callable[[Model, Unlabelled], list[A]], empty: A) -> list[A]:
        self._check_fitted()
        graphs = _graphs(X)
        return super()._asked(graphs, of, empty) if graphs else []

    def predict(self, X: Any) -> list[Any]:
        """The best labels of each graph: a list for a graph, an array (height, width) for a grid."""
        graphs = _graphs(X)
        found = zip(graphs, self._asked(graphs, Model.best, []), strict=True)
        return [best if len(graph.shape) == 1 else self._grid(best, graph.shape) for graph, best in found]

    def _grid(self, labels: list[Any], shape: tuple[int, ...]) -> np.ndarray:
        return np.fromiter(labels, self.classes_.dtype, len(labels)).reshape(shape)

    @with_probabilities
    def predict_proba(self, X: Any) -> list[np.ndarray]:
        """The probabilities of the labels: (nodes, labels) for a graph, (height, width, labels) for a grid."""
        graphs = _graphs(X)
        found = self._asked(graphs, Model.predict_probabilities, np.empty(0))
        return [each.reshape(*graph.shape, -1) for graph, each in zip(graphs, found, strict=True)]

    def score(self, X: Any, y: Any) -> float:
        """The share of nodes whose labels are right."""
        graphs = _graphs(X)
        gold = gold_labels(_flat(y, graphs), np.array([each.size for each in graphs]))
        found = [label for labels in self._asked(graphs, Model.best, []) for label in labels]
        return float(np.mean([a == b for a, b in zip(found, gold, strict=True)]))

    @property
    def coef_(self) -> np.ndarray:
        """Weights of (label, feature)."""
        return self._parts_of_weights[0].T

    @property
    def transitions_(self) -> np.ndarray:
        """Weights of (kind of edge, label, label)."""
        return self._parts_of_weights[1]

    @property
    def edge_coef_(self) -> np.ndarray:
        """Weights of (feature of an edge, label, label)."""
        return self._parts_of_weights[2]

    @property
    def _parts_of_weights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        weights, K = self._learned, len(self.classes_)
        first = len(self.feature_names_out_) * K
        nodes, pairs = weights[:first].reshape(-1, K), weights[first:].reshape(-1, K, K)
        return nodes, pairs[: self._kinds], pairs[self._kinds :]


def _graphs(X: Any) -> list[_Graph]:
    """The graphs and grids of X.

    Raises:
        UserError: An example is neither, or has no nodes.
    """
    if isinstance(X, str) or not isinstance(X, Iterable) or is_table(X):
        raise UserError(f"expected a list of graphs, found {type(X).__name__}: {FORMS} each")
    return [each if isinstance(each, _Graph) else _graph(each, number) for number, each in enumerate(X)]


def _graph(given: Any, number: int) -> _Graph:
    if getattr(given, "ndim", 0) == 3:
        made = _grid(np.asarray(given))
    elif isinstance(given, tuple | list) and len(given) in (2, 3):
        nodes, ends, *edges = given
        if isinstance(nodes, str) or not isinstance(nodes, Iterable):
            raise UserError(f"example {number}: expected a list of nodes, found {nodes!r:.60}")
        nodes: Any = nodes if hasattr(nodes, "shape") else [*nodes]
        try:
            found = np.asarray(ends)
        except ValueError:  # numpy makes no array of rows of different lengths
            raise UserError(f"example {number}: expected two nodes for each edge, found {ends!r:.60}") from None
        ends = found if found.size else found.reshape(-1, 2)
        if ends.ndim != 2 or ends.shape[1] != 2:
            raise UserError(f"example {number}: expected edges of shape (edges, 2), found {ends.shape}")
        features_of = edges[0] if edges else None
        if isinstance(features_of, str) or not isinstance(features_of, Iterable | None):
            raise UserError(f"example {number}: expected a list of features of edges, found {features_of!r:.60}")
        if features_of is not None:
            features_of = features_of if hasattr(features_of, "shape") else [*features_of]
            if inputs.length(features_of) != len(ends):
                raise UserError(f"example {number} has {len(ends)} edges: expected features of as many")
        made = _Graph(nodes, ends, np.zeros(len(ends), np.int64), features_of, (inputs.length(nodes),))
    else:
        raise UserError(f"example {number}: {FORMS}, found {given!r:.60}")
    if not made.size:
        raise UserError(f"example {number} has no nodes: {FORMS}")
    return made


def _grid(cells: np.ndarray) -> _Graph:
    """A grid whose edges join neighbours in a row, of kind 0, and in a column, of kind 1."""
    height, width, columns = cells.shape
    number = np.arange(height * width).reshape(height, width)
    along = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    kinds = np.repeat([0, 1], [len(along), len(down)])
    return _Graph(cells.reshape(-1, columns), np.concatenate([along, down]), kinds, None, (height, width))


def _flat(y: Any, graphs: list[_Graph]) -> Any:
    """y with the rows of each grid one after another."""
    if isinstance(y, str) or not isinstance(y, Iterable) or is_table(y):
        return y  # ``checked_labels`` refuses it
    given = [*y]
    if len(given) != len(graphs):
        return given  # ``checked_labels`` says so
    examples = enumerate(zip(given, graphs, strict=True))
    return [_of_rows(each, of.shape, k) if len(of.shape) == 2 else each for k, (each, of) in examples]


def _of_rows(labels: Any, shape: tuple[int, ...], number: int) -> list[Any]:
    """The labels of a grid, its rows one after another.

    Raises:
        UserError: They are no rows of this shape, such as those of its transpose.
    """
    size = getattr(labels, "shape", None)
    found = np.asarray(labels, object if size is None else None)
    if found.shape != shape:
        wrong = f"{labels!r:.60}" if size is None else f"the shape {size}"
        raise UserError(f"example {number} is a grid: expected labels of the shape {shape} in y, found {wrong}")
    return [*found.ravel()]
