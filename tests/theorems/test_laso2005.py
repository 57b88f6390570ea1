"""Theorems 1 and 4 of laso2005: a beam search that can be learnt makes a bounded number of updates.

The theorems are of any weights of norm 1 that separate all decisions, with their margin gamma. The tests take the
best ones that a plain learner finds. What the paper says of their own data is a claim, not a theorem.
"""

import numpy as np
import pytest

from tests.algorithms.learners import alma, learned
from tests.algorithms.mistake_driven.test_laso import SEPARABLE, reference


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("beam", [1, 5])
@pytest.mark.parametrize("update", ["perceptron", "alma"])
def test_no_more_updates_than_theorems_1_and_4_allow(name, beam, update):
    problem, rule = SEPARABLE[name](), alma(0.9) if update == "alma" else None
    weights = reference(problem, beam, rule)
    differences = np.array(weights.differences)
    norms = np.sqrt((differences**2).sum(axis=1))
    longest = reference(problem, beam, alma(0.99)).w  # a better one, if it separates these decisions, too
    separators = [w / np.sqrt(w @ w) for w in (weights.w, longest)]
    updates = list(learned("laso", problem, 500, update=update, beam=beam))[-1][1]
    assert updates == len(differences) > 3
    if update == "perceptron":
        gamma = max((differences @ u).min() for u in separators)
        bound = norms.max() ** 2 / gamma**2
    else:
        gamma = max((differences @ u / np.maximum(norms, 1)).min() for u in separators)
        bound = 2 / gamma**2 * (2 / 0.9 - 1) ** 2 + 8 / 0.9 - 4
    assert gamma > 0, "no separator separates"
    assert updates <= bound
