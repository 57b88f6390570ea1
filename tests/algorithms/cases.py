"""A small random split, and the same with all outputs of its examples written out."""

from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.losses.family import named_loss


class Shape(NamedTuple):
    """What to draw: a sequence of each length (or, for a class, as many examples as lengths)."""

    num_labels: int = 3
    lengths: tuple[int, ...] = (3, 1, 4, 2, 2, 3)
    columns: int = 4
    density: float = 0.6  # of the features; rows may be empty
    unseen: float = 0.0  # share of the right labels that training never saw


class Example(NamedTuple):
    """One example with all its outputs, ordered by their labels from the first decision on.

    features: (parts, weights), f(x, r). outputs: (outputs, parts). cliques: (outputs, cliques). labels: (outputs,
    decisions). losses: (outputs,), decisions that differ from the right ones (of a forest: constituents that are
    not right). gold: (parts,). right: (decisions,).
    """

    features: np.ndarray
    outputs: np.ndarray
    cliques: np.ndarray
    labels: np.ndarray
    losses: np.ndarray
    gold: np.ndarray
    right: np.ndarray

    def totals(self, s: np.ndarray) -> np.ndarray:
        """s . y of all outputs, minus infinity of those with a part that scores it."""
        forbidden = s == -np.inf
        scores = self.outputs @ np.where(forbidden, 0.0, s)
        return np.where(self.outputs @ forbidden > 0, -np.inf, scores)

    def log_z(self, s: np.ndarray) -> float:
        scores = self.totals(s)
        top = scores.max()
        return float(top + np.log(np.exp(scores - top).sum())) if top > -np.inf else -np.inf

    def distribution(self, s: np.ndarray) -> np.ndarray:
        """p_y(s) of all outputs, 0 if none is possible."""
        log_z = self.log_z(s)
        return np.exp(self.totals(s) - log_z) if log_z > -np.inf else np.zeros(len(self.outputs))

    def best(self, s: np.ndarray, cost: float = 0.0) -> int:
        """The first of the outputs with the largest score plus ``cost`` times the loss."""
        return int(np.argmax(self.totals(s) + cost * self.losses))

    def loss(self, s: np.ndarray, name: str) -> tuple[float, np.ndarray]:
        """max_u tau H(u) + lambda E_u[e] + s . mu(u), and the u of the maximum."""
        tau, weight = named_loss(name)
        totals = self.totals(s) + weight * self.losses
        top = totals.max()
        if tau == 0:
            return float(top), (np.arange(len(totals)) == np.argmax(totals)).astype(float)
        u = np.exp((totals - top) / tau)
        return float(top + tau * np.log(u.sum())), u / u.sum()

    def dual_term(self, u: np.ndarray, name: str) -> float:
        """tau H(u) + lambda E_u[e]."""
        tau, weight = named_loss(name)
        return tau * entropy(u) + weight * float(u @ self.losses)


class Case(NamedTuple):
    """A split as the structure stores it, and the same written out.

    ``first``: of outputs that tie, the structure's argmax is the first; else it is any of them.
    """

    split: Any
    examples: list[Example]
    num_labels: int
    first: bool = True

    def losses(self, w: np.ndarray, loss: str) -> list[float]:
        """loss_i(w) of all examples."""
        return [float(e.loss(e.features @ w, loss)[0] - e.gold @ (e.features @ w)) for e in self.examples]

    def primal(self, w: np.ndarray, loss: str, C: float) -> float:
        return float(np.sum(self.losses(w, loss)) + C * (w @ w) / 2)


def entropy(p: np.ndarray) -> float:
    """Of the probabilities of outputs."""
    return float(-(p[p > 0] * np.log(p[p > 0])).sum())
