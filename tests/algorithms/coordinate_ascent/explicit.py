"""The dual variables of the hinge with all outputs written out, and steps between two outputs of an example."""

import numpy as np

from tests.algorithms.oracle import LABELLED, Case, each_of

first_of_ties = each_of(name for name in LABELLED if "field" not in name and "binary" not in name)


class Explicit:
    """At the start all on the gold outputs: clique marginals ``b``, part marginals ``mu``, E[e] in ``losses``."""

    def __init__(self, small: Case, C: float) -> None:
        self.examples, self.C, self.visits = small.examples, C, 0
        self.b = [e.cliques[(e.outputs == e.gold).all(axis=1)][0] for e in small.examples]
        self.mu = [e.gold for e in small.examples]
        self.losses = np.zeros(len(small.examples))

    def w(self) -> np.ndarray:
        return np.sum([(e.gold - mu) @ e.features for e, mu in zip(self.examples, self.mu, strict=True)], axis=0)

    def gradient(self, i: int) -> np.ndarray:
        """Of the dual, for all outputs."""
        e = self.examples[i]
        return e.losses + e.outputs @ (e.features @ self.w()) / self.C

    def worst(self, i: int, gradient: np.ndarray, floor: float) -> int:
        """The worst of the outputs all of whose cliques have mass."""
        kept = ((self.b[i] > floor) | (self.examples[i].cliques == 0)).all(axis=1)
        return int(np.argmin(np.where(kept, gradient, np.inf)))

    def mass(self, i: int, y: int, z: int) -> float:
        """How much can move from output z to output y."""
        q = self.examples[i].cliques
        return self.b[i][(q[z] > 0) & (q[y] == 0)].min()

    def curvature(self, i: int, d: np.ndarray) -> float:
        """Of the dual along a change d of the parts."""
        moved = d @ self.examples[i].features
        return float(moved @ moved / self.C)

    def move(self, i: int, y: int, z: int, t: float) -> None:
        e = self.examples[i]
        self.b[i] = self.b[i] + t * (e.cliques[y] - e.cliques[z])
        self.mu[i] = self.mu[i] + t * (e.outputs[y] - e.outputs[z])
        self.losses[i] += t * (e.losses[y] - e.losses[z])
