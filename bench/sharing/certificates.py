"""The certificate of a run of another machine, computed here from its weights."""

import math

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.learning.objective import Objective, Value
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import problem_store, state, store

ROUNDING = 1e-5  # of the primal value: weights are kept with seven digits


def recomputed(run: store.Run) -> Value | None:
    """The primal value of a run's weights, and a dual value that they attain: NaN unless the loss is smooth.

    None if nothing can be computed: its data are not here as the run had them, or it has no objective or no
    weights of features.

    Raises:
        UserError: The run states a primal value that is not that of its weights, or a dual value above it.
    """
    if run.spec.loss == NO_LOSS or run.summary.get("weights_of", "features") != "features":
        return None
    spec = state.spec_of(run)
    if problem_store.fingerprint(spec.data, spec.test) != run.summary["provenance"]["data_sha256"]:
        return None
    train, weights = problem_store.obtain(spec.data, spec.test)[0].train, store.weights_of(run)
    if len(weights) != parts.num_weights(train):
        raise UserError(f"its data have {parts.num_weights(train):,} weights, not {len(weights):,}")
    C = run.summary.get("C") or spec.C
    with np.errstate(all="ignore"):
        found = Objective(train, spec.loss, C, spec.penalty).evaluate(weights, None)
    if not math.isfinite(found.primal):  # of a run that diverged
        return None
    primal, dual = (math.nan if run.summary[name] is None else run.summary[name] for name in ("primal", "dual"))
    if not abs(primal - found.primal) <= ROUNDING * abs(found.primal):
        raise UserError(f"its weights have the primal value {found.primal:.8g}, not {primal:.8g}")
    if dual > found.primal * (1 + ROUNDING):
        raise UserError(f"its dual value {dual:.8g} is above the primal value {found.primal:.8g} of its weights")
    return found
