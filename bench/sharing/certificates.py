"""Check a run of another machine: compute here, from its weights, the values that it states."""

import math
from typing import Any

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.learning.objective import Model, Objective, Value
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import documents, driver, predicted, problem_store, referee, state, store
from structbench.bench.runs.merged import CHECKED
from structbench.bench.runs.quality import quality, quality_of_labels, to_keep
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores.labels.table import OfLabel, shares

ROUNDING = 1e-5  # of the primal value: weights are kept with seven digits
OF_AN_EXAMPLE = 1e-7  # how much this rounding may change the loss of an example that has none
TIES = 1e-3, 2  # the share and the number of decisions that this rounding may change
CHUNKS = 0.05  # of sentences: in these some chunk may differ; and of what one label has
FLIPPED = 10  # how much more F1 may change: there are fewer chunks than decisions


def recomputed(run: store.Run) -> dict[str, float] | None:
    """The primal value and the test error of a run's weights, and a dual value that they attain, as in a summary.

    Without an objective, there is the test error alone. The dual value is NaN unless the loss is smooth. None if
    nothing can be computed: its data are not here as the run had them, it has no weights of features, or it ended
    at another strength than its own.

    Raises:
        UserError: The run states what its weights or its curve contradict.
    """
    spec, summary = state.spec_of(run), run.summary
    if not _has_own_weights(run):
        return None
    if problem_store.fingerprint(spec.data, spec.test) != summary["provenance"]["data_sha256"]:
        return None
    problem, weights = problem_store.obtain(spec.data, spec.test)[0], store.weights_of(run)
    problem = problem._replace(train=parts.compiled(problem.train))
    if len(weights) != parts.num_weights(problem.train) and spec.loss != NO_LOSS:
        raise UserError(f"its data have {parts.num_weights(problem.train):,} weights, not {len(weights):,}")
    known: dict[str, float] = {}
    if spec.loss != NO_LOSS:
        objective = Objective(problem.train, spec.loss, spec.C, spec.penalty)
        if spec.penalty == "l1-ball" and 1 < (norm := spec.C * np.abs(weights).sum()) <= 1 + ROUNDING:
            weights = weights / norm  # rounding put them just outside
        with np.errstate(all="ignore"):
            found = objective.evaluate(weights, None)
        if not math.isfinite(found.primal):
            if math.isfinite(stated := _number(summary["primal"])):
                raise UserError(f"its weights have no finite primal value, not {stated:.8g}")
            return None  # of a run that diverged
        _check_values(run, found, OF_AN_EXAMPLE * parts.num_examples(problem.train))
        _check_bound(run, objective, weights)
        known = {"recomputed_primal": found.primal, "recomputed_dual": found.dual}
    _check_rows(run, parts.num_examples(problem.train))
    model = Model(driver.predictor(spec))
    for name in ("train", "validation"):
        _check_quality(run, problem, model, weights, name)
    return known | {CHECKED: _check_quality(run, problem, model, weights, "test")}


def lacks_data(run: store.Run) -> bool:
    """Whether nothing is computed only because its data were not built here."""
    spec = state.spec_of(run)
    return _has_own_weights(run) and problem_store.fingerprint(spec.data, spec.test) is None


def _has_own_weights(run: store.Run) -> bool:
    """Whether it has weights of features, of its own strength."""
    spec = state.spec_of(run)
    is_of_features = run.summary.get("weights_of", "features") == "features"
    return is_of_features and (spec.loss == NO_LOSS or run.columns(["C"])["C"][-1] == spec.C)


def _check_quality(run: store.Run, problem: Problem, model: Model, weights: np.ndarray, name: str) -> float:
    """See that what is stated of the predictions for a split is true of those of the weights; return the error."""
    split, kept = getattr(problem, name), list[Judged]()
    found = quality(problem, model, None if split is None else parts.compiled(split), weights, name, kept)
    slack = max(TIES[0], TIES[1] / len(kept[0].predicted)) if kept else 0.0
    for what, of in (("error", 1), ("f1", FLIPPED)):
        stated, right = _number(run.summary.get(f"{name}_{what}")), found[f"{name}_{what}"]
        if not _alike(stated, right, of * slack) and f"{name}_{what}" in run.summary:
            raise UserError(f"its weights have the {name} {what} {right:.6g}, not {stated:.6g}")
    if name != "train":
        _check_kept(run, kept, slack)
    if name == next(each for each in ("test", "validation", "train") if getattr(problem, each) is not None):
        _check_labels(run, kept)
    counts = kept[0].counts if kept and name == "test" else None
    if counts and run.chunks is not None:
        if run.chunks.shape[1:] != np.shape(counts[-1]):
            raise UserError(
                f"its chunks have the shape {run.chunks.shape[1:]} a checkpoint, not {np.shape(counts[-1])}"
            )
        differ = np.any(run.chunks[-1] != counts[-1], axis=-1)
        if differ.sum() > max(TIES[1], CHUNKS * len(differ)):
            raise UserError(f"its weights have other chunks in {differ.sum():,} of {len(differ):,} sentences")
    return found[f"{name}_error"]


def _check_kept(run: store.Run, kept: list[Judged], slack: float) -> None:
    """See that the decisions and counts that a run keeps of a split are those of the weights, except in ties."""
    for name, right in to_keep(kept).items():
        stated = predicted.last(run, name)
        if stated is None or stated.shape != right.shape:
            has = "is missing" if stated is None else f"has the shape {stated.shape}"
            raise UserError(f"its {name} {has}: expected one of the shape {right.shape}")
        differ = stated != right if right.ndim == 1 else np.any(stated != right, axis=1)
        decisions_then_chunks = np.where(np.arange(right.shape[-1]) < 2, 1, FLIPPED)
        most = slack * len(kept[0].predicted) * decisions_then_chunks
        are_others = right.ndim == 2 and (np.abs(stated.sum(axis=0) - right.sum(axis=0)) > most).any()
        if are_others or differ.sum() > max(TIES[1], CHUNKS * len(differ)):
            raise UserError(f"its weights have another {name} in {differ.sum():,} of {len(differ):,} rows")


def _check_labels(run: store.Run, kept: list[Judged]) -> None:
    """See that the scheme and the scores of each label are those of the weights, except in ties."""
    found = documents.to_jsonable(quality_of_labels(kept))
    if (scheme := run.summary.get("scheme")) != found["scheme"]:
        raise UserError(f"its labels have the scheme {found['scheme']!r}, not {scheme!r}")
    stated, right = run.summary.get("by_label") or {}, found["by_label"]
    nothing = documents.to_jsonable(OfLabel(*shares(0, 0, 0), 0, 0, 0)._asdict())
    for label in [*right, *(stated.keys() - right)]:
        if not _is_row(stated.get(label, nothing), right.get(label, nothing)):
            raise UserError(f"its weights have the scores {right.get(label)} of {label}, not {stated.get(label)}")


def _is_row(stated: documents.Json, right: documents.Json) -> bool:
    """Whether the counts of a label are right, except in ties, and its scores are those of its counts."""
    if stated == right:
        return True
    given: list[Any] = [stated.get(name) for name in ("right", "predicted", "gold")]
    slack = max(TIES[1], CHUNKS * (right["predicted"] + right["gold"]))
    for name, count in zip(("right", "predicted", "gold"), given, strict=True):
        if not abs(_number(count) - right[name]) <= (0 if name == "gold" else slack):
            return False
    scores = zip(("precision", "recall", "f1"), shares(*given), strict=True)
    return all(_alike(_number(stated.get(name)), score, ROUNDING) for name, score in scores)


def _check_values(run: store.Run, found: Value, slack: float) -> None:
    primal, dual = (_number(run.summary[name]) for name in ("primal", "dual"))
    slack += ROUNDING * abs(found.primal)
    if not abs(primal - found.primal) <= slack:
        raise UserError(f"its weights have the primal value {found.primal:.8g}, not {primal:.8g}")
    for stated in (dual, _greatest_dual(run)):
        if stated > found.primal + slack:
            raise UserError(f"its dual value {stated:.8g} is above the value {found.primal:.8g} of its weights")
    least = float(np.fmin.reduce(_own(run, "primal"), initial=math.nan))
    if least < found.dual - ROUNDING * abs(found.dual):
        raise UserError(f"its curve has the primal value {least:.8g}, and none is below {found.dual:.8g}")


def _check_bound(run: store.Run, objective: Objective, weights: np.ndarray) -> None:
    """Look for weights below the run's greatest dual value."""
    dual = _greatest_dual(run)
    if math.isfinite(dual):
        try:
            with np.errstate(all="ignore"):  # outside of an l1 ball values are infinite
                slack = ROUNDING * abs(run.summary["primal"])
                referee.contradict(run.spec.algorithm, objective, weights, dual, slack)
        except Fault as error:
            raise UserError(str(error)) from None


def _check_rows(run: store.Run, n: int) -> None:
    """See that each gap is that of its row, that passes are of visits, and that the summary is of the last row."""
    curve = run.columns(store.COLUMNS)
    if not np.allclose(curve["passes"] * n, curve["visits"]) or (np.diff(curve["visits"]) < 0).any():
        raise UserError(f"its curve has visits that fall, or that are not its passes over {n:,} examples")
    for name in (each for each in store.COLUMNS if each in run.summary):
        stated, last = _number(run.summary[name]), float(curve[name][-1])
        if not _alike(stated, last, 0.0):
            raise UserError(f"its curve ends with {name} = {last:.8g}, not {stated:.8g}")
    with np.errstate(all="ignore"):
        size, gap = np.abs(curve["primal"]), curve["primal"] - curve["dual"]
        relative = np.where(size == 0, np.where(gap <= 0, 0.0, np.nan), gap / size)
        for name, right, slack in (("gap", gap, size), ("relative_gap", relative, 1.0)):
            wrong = np.abs(curve[name] - right) > referee.ALIKE * slack
            if (wrong | (np.isfinite(curve[name]) & np.isnan(right))).any():
                raise UserError(f"its curve has a {name} that is not that of its primal and dual values")
    if run.summary["status"] == "converged" and not curve["relative_gap"][-1] <= run.spec.gap:
        raise UserError(f"it says that it converged, with a relative gap of {curve['relative_gap'][-1]:.2g}")


def _own(run: store.Run, column: str) -> np.ndarray:
    """A column of the curve, where that is at the strength of the run."""
    of = run.columns(("C", column))
    return of[column][of["C"] == run.spec.C]


def _greatest_dual(run: store.Run) -> float:
    """NaN if there is none."""
    return float(np.fmax.reduce(_own(run, "dual"), initial=math.nan))


def _number(stated: float | None) -> float:
    """What a summary states: it has no number where there is none, or none that is finite."""
    return math.nan if stated is None else stated


def _alike(stated: float, found: float, slack: float) -> bool:
    return abs(stated - found) <= slack or (math.isnan(stated) and not math.isfinite(found))
