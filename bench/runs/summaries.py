"""Build a run's summary: why it stopped, and its last objective values, errors, times and sizes."""

import numpy as np

from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs.documents import Json
from structbench.bench.runs.quality import Row
from structbench.bench.runs.spec import Spec
from structbench.datasets.problems.problem import Problem


def num_bytes(w: np.ndarray) -> int:
    """Memory of the weights that are not 0, with their places, or of all weights, whichever is less."""
    return min(w.nbytes, int(np.count_nonzero(w)) * (w.itemsize + np.dtype(np.int32).itemsize))


def summary_of(
    spec: Spec,
    problem: Problem,
    rows: list[Row],
    weights: np.ndarray,
    iterate: Iterate,
    status: str,
    setup: float,
    total: float,
) -> Json:
    """The summary of a run that ended with ``iterate``. ``setup``, ``total``: seconds."""
    last = rows[-1]
    n = parts.num_examples(problem.train)
    notes = dict(iterate.notes)
    calibration = notes.pop("calibration_visits", 0)
    made = f"{last['passes']:.4g}"
    message = {
        "converged": f"relative gap {last['relative_gap']:.2g} is at most {spec.gap:g}",
        "passes": f"{made} of {spec.passes:g} passes made"
        if last["passes"] <= spec.passes
        else f"{made} passes made, beyond the limit of {spec.passes:g}",  # crfsuite counts its iterations
        "timeout": _used(spec, last["cpu_seconds"], last["wall_seconds"]),
        "finished": f"{spec.algorithm} ended by itself after {last['passes']:.4g} passes",
        "stalled": f"{spec.algorithm} found no further step: its solve ended after {last['passes']:.4g} passes",
        "unverified": f"relative gap {last['relative_gap']:.2g} is of sums that nothing recomputes",
        "diverged": f"{spec.algorithm} met a value that is not finite after {last['passes']:.4g} passes; "
        + f"its parameters: {', '.join(f'{k}={v}' for k, v in {**dict(spec.params), **notes}.items())}",
    }[status]
    if last["C"] != spec.C:
        message += f", at C = {last['C']:g} on the way to {spec.C:g}: primal, dual and gap are of that"
    return {
        "key": spec.key,
        "status": status,
        "message": message,
        **{name: last[name] for name in ("C", "primal", "dual", "gap", "relative_gap", "passes", "visits")},
        **{name: last[name] for name in ("wall_seconds", "cpu_seconds")},
        **{name: value for name, value in last.items() if name.startswith(("test_", "validation_"))},
        "peak_memory": None,  # see bench.runs.memory
        "setup_seconds": setup,
        "total_seconds": total,
        "calibration_passes": calibration / n,
        "num_weights": len(weights),
        "weights_of": "features" if iterate.hints.model is None else "examples" if len(weights) else "none",
        "num_nonzero": int(np.count_nonzero(weights)),
        "weights_memory": num_bytes(weights),
        "num_examples": n,
        "num_cut": getattr(parts.unwrap(problem.train), "num_cut", 0),  # segments that are too long
        "dual_of": _dual_of(iterate) if last["C"] == spec.C else "",
        "notes": notes,
    }


def _dual_of(iterate: Iterate) -> str:
    """What the last dual value is computed from; sums that are kept up step by step prove nothing."""
    if iterate.hints.model is not None:
        return ""
    if iterate.dual is None:
        return "weights"
    return "dual variables" if iterate.dual.recompute else "sums"


def _used(spec: Spec, cpu: float, wall: float) -> str:
    """Which limit in seconds a run came to."""
    if spec.threads > 1:
        return f"{wall:.4g} of {spec.seconds or 0:g} wall seconds used"
    said = f"{cpu:.4g} of {spec.seconds or 0:g} CPU seconds"
    return (
        f"{said} used" if cpu >= (spec.seconds or 0) else f"{wall:.4g} wall seconds used, in which it had {said}"
    )
