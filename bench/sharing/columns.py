"""The columns of the exported table: how a spec, an outcome and a provenance become flat, and what each means."""

import json
from typing import TypeVar

from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import COLUMNS, Run

# A checkpoint has its own passes, gap and seconds. The spec's say where the run is to stop.
RENAMED = {"passes": "max_passes", "gap": "target_gap", "seconds": "max_seconds"}
Kind = TypeVar("Kind")
PARAMETER, NOTE, PROVENANCE, CHECKPOINT_C, FINAL_C = "param_", "note_", "provenance_", "checkpoint_C", "final_C"


KNOWN = {
    "run": "folder of the run below the folder of results; names a run, here or of another machine",
    "host": "machine that made the run; seconds of two machines are not to be compared",
    "key": "name of the run, made of its spec",
    "data": "data set with its options",
    "test": "test file, for data that come without one",
    "loss": "name of the loss, or none for an algorithm that minimises none",
    "C": "strength of the penalty",
    "algorithm": "name of the algorithm",
    "penalty": "l2, elastic-A, l1, l1-ball, l1-squared, laplace-LAMBDA or none",
    "max_passes": "the run stops after so many",
    "target_gap": "the run stops at this relative duality gap",
    "max_seconds": "the run stops after so many seconds of the algorithm's own",
    "seed": "of everything random",
    "threads": "threads of the loops over all examples",
    "status": "converged, unverified, passes, timeout, finished, stalled or diverged: why it ended",
    "message": "the same in a sentence",
    "state": "finished, or stale: of other programs, data or settings than those of the checkout that exported",
    FINAL_C: "strength at which the last checkpoint is judged",
    "passes": "visits / number of training examples",
    "visits": "inference calls on one example so far, those of line searches included",
    "wall_seconds": "wall time of the algorithm so far; evaluation and compiling do not count",
    "cpu_seconds": "processor time of the algorithm so far, all threads",
    "primal": "primal objective on the training split",
    "dual": "dual objective, a lower bound of the least primal",
    "gap": "primal - dual, the certificate",
    "relative_gap": "gap / |primal|",
    "test_error": "share of wrong decisions on the test split",
    "validation_error": "share of wrong decisions on the validation split, where the data have one",
    "validation_f1": "F1 of chunks, entities or brackets on the validation split",
    "test_f1": "F1 of chunks, entities or brackets on the test split",
    "test_seconds": "wall time of predicting the test split",
    "recomputed_primal": "of a merged run: primal objective of its weights, computed here",
    "recomputed_dual": "of a merged run: dual objective of its weights, computed here",
    "recomputed_test_error": "of a merged run: test error of its weights, computed here",
    "train_error": "share of wrong decisions on the training split",
    "train_f1": "F1 of chunks, entities or brackets on the training split",
    "train_seconds": "wall time of predicting the training split",
    "peak_memory": "largest resident memory since the run began; empty where it cannot be measured",
    "sentence_seconds": "CPU time of labelling one sentence a call, in runs whose memory is measured",
    "setup_seconds": "wall time before the algorithm's first checkpoint",
    "total_seconds": "wall time of the run, compiling and evaluation included",
    "calibration_passes": "made to choose a step size, included in passes",
    "num_weights": "number of weights",
    "num_nonzero": "number of weights that are not 0 at the end",
    "dual_of": "what the last dual objective is of: weights, dual variables, or sums that nothing recomputes",
    "weights_of": "what has weights: features, of kernels and neighbours examples, or none",
    "weights_memory": "memory of these",
    "num_examples": "number of training examples",
    "num_cut": "segments longer than the structure allows, learned in pieces",
    "scheme": "of the tags of chunks that labels are; empty if they are none",
    "by_label": "precision, recall and F1 of each label or type of chunk at the end, as JSON",
    CHECKPOINT_C: "strength at which this checkpoint is judged: not C on a path of falling strengths",
    "weight_norm": "Euclidean norm of the weights",
    "updates": "updates of the weights so far, of algorithms that count them",
    "provenance_git_commit": "commit of the checkout, with a + where its programs differ from it",
    "provenance_cpu_limit": "processors whose time its control groups let it use; empty: all",
    "provenance_load": "that ran or waited on the machine in the minute before",
    "provenance_others": "of others that ran beside the run, in the mean",
    "provenance_alone": "whether the workflow ran nothing else meanwhile; empty: not known",
    "provenance_data_sha256": "fingerprint of the problem as it was built",
    "provenance_loaded": "other files that it loaded, with their hashes, as JSON",
    "provenance_own_files": "files of the user's folders that the run was made with, as JSON",
    "provenance_code_sha256": "hash of the programs that decide the run's numbers",
}
UNITS = {  # unit -> the ends of the names of columns that have it
    "nats or loss": ("primal", "dual", "gap"),
    "s": ("seconds",),
    "passes": ("passes",),
    "bytes": ("memory",),
    "processes": ("_load", "_others"),
    "UTC": ("_started",),
}
NO_UNIT = ("relative_gap", "target_gap")
PREFIXES = {
    "test_": "score {} of the predictions on the test split, see its file in datasets/scores",
    "train_": "score {} of the predictions on the training split, see its file in datasets/scores",
    PARAMETER: "parameter {} of the algorithms that have it, see docs/reference/algorithms.md",
    NOTE: "{}, as the algorithm notes it at its end, see docs/reference/algorithms.md",
    PROVENANCE: "{} of the process or machine that made the run",
}


def about(name: str) -> dict[str, str]:
    """The ``unit`` of a column, empty for words and pure numbers, and its ``meaning``, a sentence.

    Nobody has described what is neither known nor begins with a known word.
    """
    prefix = next((each for each in PREFIXES if name.startswith(each)), "")
    meaning = KNOWN.get(name, PREFIXES.get(prefix, "").format(name.removeprefix(prefix)))
    is_ours = name in KNOWN or prefix == PROVENANCE
    units = [unit for unit, ends in UNITS.items() if name.endswith(ends) and name not in NO_UNIT]
    return {"unit": units[0] if units and is_ours else "", "meaning": meaning}


def in_order(named: dict[str, Kind]) -> dict[str, Kind]:
    """The same columns in the order in which they are described here; then the others, by name."""
    known = [name for name in KNOWN if name in named]
    return {name: named[name] for name in [*known, *sorted(named.keys() - KNOWN)]}


def flat_spec(spec: Spec) -> dict[str, object]:
    """A run's spec with a field for each parameter."""
    fields = {RENAMED.get(name, name): value for name, value in spec.as_dict().items() if name != "params"}
    return fields | {f"{PARAMETER}{name}": value for name, value in spec.params}


def is_measured(name: str) -> bool:
    """Whether a run measures a column of this name; the curve of another machine may have any, such as host."""
    return name in (*COLUMNS, "weight_norm", "updates") or name.startswith(("test_", "validation_"))


def of_curve(name: str) -> str:
    """What a column of a curve is called next to the spec's columns."""
    return CHECKPOINT_C if name == "C" else name


def outcome(run: Run) -> dict[str, object]:
    """How a run ended, what its algorithm notes, and what it was made with."""
    summary = {FINAL_C if name == "C" else name: value for name, value in run.summary.items()}
    apart = ("key", "notes", "provenance", "sha256")
    known = {name: _scalar(value) for name, value in summary.items() if name not in apart}
    notes = {f"{NOTE}{name}": _scalar(value) for name, value in sorted(run.summary["notes"].items())}
    made = run.summary["provenance"].items()
    made_by = {f"{PROVENANCE}{name}": _scalar(value) for name, value in made if name not in ("host", "threads")}
    return known | notes | made_by


def _scalar(value: object) -> object:
    """A number, a word or nothing; anything else as JSON."""
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)
