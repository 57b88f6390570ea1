"""Beam search against lists of paths that are sorted, also where scores tie."""

import numpy as np
import pytest

from structbench.algorithms.search import beam as bm
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from tests.algorithms.searching import PROBLEMS, Searcher, beam_search, weights


def found(problem, i, w, beam, rows):
    """Labels and score, as compiled code finds them."""
    out = np.full(parts.num_decisions(problem, i), -9, np.int32)
    score = bm.find(parts.compiled(problem), i, w, beam, rows == "decisions", out)
    return out, score


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("rows", ["decisions", "steps"])
@pytest.mark.parametrize("beam", [1, 2, 3, 5])
@pytest.mark.parametrize("whole", [False, True])
def test_a_beam_is_what_sorted_lists_of_paths_give(name, rows, beam, whole):
    """Of equal paths the first stays: with whole numbers scores tie exactly, and often."""
    for seed in range(3):
        problem = PROBLEMS[name](seed=seed)
        w = weights(problem, seed)
        if whole:
            fields = (field for field in ("x", "edges") if hasattr(problem, field))
            problem = problem._replace(**{field: _whole(getattr(problem, field)) for field in fields})
            w = np.round(w) if seed else np.zeros_like(w)
        for i in range(parts.num_examples(problem)):
            labels, score = found(problem, i, w, beam, rows)
            path = beam_search(problem, i, w, beam, rows)
            np.testing.assert_array_equal(labels, Searcher(problem, i).labels(path))
            assert score == pytest.approx(path.features @ w, abs=1e-12)


def _whole(x: ft.Features) -> ft.Features:
    return x._replace(dense=np.round(x.dense), values=np.round(x.values))
