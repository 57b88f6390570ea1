"""Search problems of the tests, and search over them in plain Python: lists of paths, dense features, no kernels.

Operations are called outside of compiled code, where they run as the Python that they are written in.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.sparse_sum import ROUNDING, combine, empty_sum
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import joint
from structbench.algorithms.structures.chain import search as chain_search  # noqa: F401 - registers chains as search problems
from structbench.algorithms.structures.segments import search as segment_search  # noqa: F401
from tests.algorithms import drawn_features, oracle

EXACT = (
    "chain-dense",
    "chain-binary",
    "chain-sparse-edges",
    "segments-dense",
    "segments-sparse",
    "segments-pieces",
)
TAGS, CHUNKS = 2, 3
CONTINUES = np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1], [1, 0, 1]], bool)  # chunk tags B, I, O


def joint_case(lengths: tuple[int, ...] = (3, 1, 2, 4), seed: int = 0, columns: int = 4) -> joint.Joint:
    """A joint problem with labels and features at random."""
    rng, y = np.random.default_rng(seed), []
    for length in lengths:
        before = CHUNKS
        for _ in range(length):
            before = int(rng.choice(np.flatnonzero(CONTINUES[before])))
            y.append(int(rng.integers(TAGS)) * CHUNKS + before)
    x = drawn_features.dense((sum(lengths), columns), 1.0, rng)
    return joint.build(x, np.array(lengths), np.array(y), TAGS, CHUNKS, CONTINUES)


PROBLEMS: dict[str, Callable[..., Any]] = {
    name: (lambda seed=0, name=name, **shape: oracle.case(name, seed, **shape).split) for name in EXACT
} | {"joint": joint_case}

LEARNABLE = tuple(name for name in PROBLEMS if name != "chain-binary")  # features 0 and 1 make many ties


def learnable(name: str) -> Any:
    """A problem with hardly a tie once weights are not 0: rounding decides ties, here and there in its own way."""
    seed = {"segments-pieces": 7, "chain-dense": 8}.get(name, 3)
    return PROBLEMS[name](seed=seed, **({} if name == "joint" else {"density": 1.0}))


class Path(NamedTuple):
    """States passed, moves made, and the sum of their features."""

    states: tuple[tuple[int, ...], ...]
    moves: tuple[int, ...]
    features: np.ndarray
    good: bool = True

    @property
    def state(self) -> np.ndarray:
        return np.array(self.states[-1])


class Searcher:
    """The operations on one example, without memory of scores."""

    def __init__(self, problem: Any, i: int) -> None:
        self.problem, self.i = problem, i

    def start(self) -> Path:
        state = np.empty(search.sizes(self.problem, self.i).state, np.int64)
        search.start(state)
        return Path((tuple(state.tolist()),), (), np.zeros(parts.num_weights(self.problem)))

    def finished(self, path: Path) -> bool:
        return bool(path.state[0] == parts.num_decisions(self.problem, self.i))

    def scores(self, state: np.ndarray, w: np.ndarray) -> np.ndarray:
        sizes = search.sizes(self.problem, self.i)
        out = np.empty(sizes.moves)
        memory = np.empty(sizes.floats), np.zeros(sizes.flags, np.int8)
        search.move_scores(self.problem, self.i, state, w, *memory, out)
        return out

    def step(self, state: np.ndarray, move: int) -> np.ndarray:
        found = np.zeros(parts.num_weights(self.problem))
        total = empty_sum(len(found))
        search.add_step(self.problem, self.i, state, move, 1.0, total)
        combine(total, ROUNDING)
        count = total.terms[0]
        assert len(set(total.keys[:count].tolist())) == count
        found[total.keys[:count]] = total.values[:count]
        assert not total.dense.any()
        return found

    def good_moves(self, state: np.ndarray) -> list[int]:
        out = np.empty(search.sizes(self.problem, self.i).moves, np.int64)
        return out[: search.good_moves(self.problem, self.i, state, out)].tolist()

    def extend(self, path: Path, move: int) -> Path:
        after = np.empty_like(path.state)
        search.after(self.problem, self.i, path.state, move, after)
        good = path.good and move in self.good_moves(path.state)
        features = path.features + self.step(path.state, move)
        return Path((*path.states, tuple(after.tolist())), (*path.moves, move), features, good)

    def allowed(self, path: Path) -> list[int]:
        nothing = np.zeros(parts.num_weights(self.problem))
        return np.flatnonzero(self.scores(path.state, nothing) > -np.inf).tolist()

    def labels(self, path: Path) -> np.ndarray:
        out = np.full(parts.num_decisions(self.problem, self.i), -9, np.int32)
        for state, move in zip(path.states, path.moves, strict=False):
            search.write_labels(self.problem, self.i, np.array(state), move, out)
        return out

    def every_path(self, path: Path | None = None) -> Iterator[Path]:
        """All paths, unfinished ones too, each before those that extend it."""
        path = path or self.start()
        yield path
        if not self.finished(path):
            for move in self.allowed(path):
                yield from self.every_path(self.extend(path, move))

    def children(self, queue: list[Path]) -> list[Path]:
        """What a round makes of a queue, before it is cut; finished paths stay.

        By parent, then those that are not y-good, then by move.
        """
        found = []
        for path in queue:
            moves = [] if self.finished(path) else self.allowed(path)
            found += sorted((self.extend(path, move) for move in moves), key=lambda child: child.good) or [path]
        return found

    def all_finished(self, queue: list[Path]) -> bool:
        return bool(queue) and all(self.finished(path) for path in queue)

    def row(self, path: Path, before: int, rows: str) -> int:
        """Where a path competes that extends one of row ``before``: by outputs decided, or by steps."""
        return path.states[-1][0] if rows == "decisions" else before + 1

    def expand(self, queues: dict[int, list[Path]], r: int, rows: str) -> None:
        """Put the children of the paths in row r into their rows."""
        for child in self.children(queues.get(r, [])):
            queues.setdefault(self.row(child, r, rows), []).append(child)


def best(paths: list[Path], w: np.ndarray, beam: int, margin: float = 0.0) -> list[Path]:
    """The best so many; y-good ones count for less by the margin; of equal ones the first."""
    scores = [path.features @ w - (margin if path.good else 0.0) for path in paths]
    return [paths[k] for k in np.argsort(-np.array(scores), kind="stable")[:beam]]


def beam_search(problem: Any, i: int, w: np.ndarray, beam: int, rows: str) -> Path:
    """The best path that beam search ends with; what is right is not known."""
    searcher = Searcher(problem, i)
    queues, r = {0: [searcher.start()._replace(good=False)]}, 0
    while not searcher.all_finished(queues.get(r, [])):
        searcher.expand(queues, r, rows)
        r += 1
        queues[r] = best(queues.get(r, []), w, beam)
    return queues[r][0]


def weights(problem: Any, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=parts.num_weights(problem))
