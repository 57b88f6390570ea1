"""The columns of the exported table: how a spec, an outcome and a provenance become flat, and what each means."""

import json
from typing import NamedTuple, TypeVar

from structbench.bench.runs.seals import FORMER
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

# A checkpoint has its own passes, gap and seconds. The spec's say where the run is to stop.
RENAMED = {"passes": "max_passes", "gap": "target_gap", "seconds": "max_seconds"}
Kind = TypeVar("Kind")
PARAMETER, NOTE, PROVENANCE, CHECKPOINT_C, FINAL_C = "param_", "note_", "provenance_", "checkpoint_C", "final_C"


class About(NamedTuple):
    """The unit of a column, empty for words and pure numbers, and a sentence on what it holds."""

    unit: str
    meaning: str


IDENTITY = {
    "run": About("", "folder of the run below the folder of results; names a run, here or of another machine"),
    "host": About("", "machine that made the run; seconds of two machines are not to be compared"),
    "key": About("", "name of the run, made of its spec"),
}
SPEC = {
    "data": About("", "data set with its options"),
    "test": About("", "test file, for data that come without one"),
    "loss": About("", "log, hinge, or none for an algorithm that minimises none"),
    "C": About("", "strength of the penalty"),
    "algorithm": About("", "name of the algorithm"),
    "penalty": About("", "l2, l1, l1-ball, l1-squared, laplace-LAMBDA or none"),
    "max_passes": About("passes", "the run stops after so many"),
    "target_gap": About("", "the run stops at this relative duality gap"),
    "max_seconds": About(
        "s", "the run stops after so many CPU seconds of the algorithm; with several threads: wall"
    ),
    "seed": About("", "of everything random"),
    "threads": About("", "threads of the loops over all examples"),
}
STATE = {
    "passes": About("passes", "visits / number of training examples"),
    "visits": About("", "inference calls on one example so far, those of line searches included"),
    "wall_seconds": About("s", "wall time of the algorithm so far; evaluation and compiling do not count"),
    "cpu_seconds": About("s", "processor time of the algorithm so far, all threads"),
    "primal": About("nats or loss", "primal objective on the training split"),
    "dual": About("nats or loss", "dual objective, a lower bound of the least primal"),
    "gap": About("nats or loss", "primal - dual, the certificate"),
    "relative_gap": About("", "gap / |primal|"),
    "test_error": About("", "share of wrong decisions on the test split"),
    "validation_error": About("", "share of wrong decisions on the validation split, where the data have one"),
    "validation_f1": About("", "F1 of chunks, entities or brackets on the validation split"),
    "test_f1": About("", "F1 of chunks, entities or brackets on the test split"),
    "test_precision": About("", "precision of chunks, entities, brackets or links on the test split"),
    "test_recall": About("", "recall of chunks, entities, brackets or links on the test split"),
    "test_tag_error": About("", "share of wrong parts of speech on the test split, of joint tagging and chunking"),
    "test_chunk_error": About("", "share of wrong chunk tags on the test split, of joint tagging and chunking"),
    "test_attachment": About("", "share of right heads on the test split, of dependency trees"),
    "test_word_attachment": About("", "share of right heads on the test split of tokens that are not punctuation"),
    "test_right_roots": About("", "share of sentences of the test split with the right tokens under the root"),
    "test_right_trees": About("", "share of sentences of the test split all of whose heads are right"),
    "test_average_f1": About("", "mean F1 of the attributes that are looked for, on the test split"),
    "test_instance_accuracy": About("", "share of examples of the test split with all key attributes right"),
    "test_cost": About("", "mean cost of a decision on the test split, where the data have costs"),
    "test_complete": About("", "share of sentences of the test split without a wrong or missing bracket"),
    "test_first_error": About("", "share of wrong decisions of the first candidates on the test split"),
    "test_first_f1": About("", "F1 of chunks of the first candidates on the test split"),
    "test_oracle_error": About("", "share of wrong decisions of the candidates of least loss on the test split"),
    "test_oracle_f1": About("", "F1 of chunks of the candidates of least loss on the test split"),
    "test_alignment_error": About("", "alignment error rate of links on the test split, all right ones sure"),
    "test_seconds": About("s", "wall time of predicting the test split"),
}
CHECKPOINT = {
    CHECKPOINT_C: About("", "strength at which this checkpoint is judged: not C on a path of falling strengths"),
    **STATE,
    "weight_norm": About("", "Euclidean norm of the weights"),
    "updates": About("", "updates of the weights so far, of algorithms that count them"),
}
OUTCOME = {
    "status": About("", "converged, passes, timeout, finished, stalled, diverged or interrupted: why it ended"),
    "message": About("", "the same in a sentence"),
    "scheme": About("", "of the tags of chunks that labels are; empty if they are none"),
    "by_label": About("", "precision, recall and F1 of each label or type of chunk at the end, as JSON"),
    "state": About(
        "", "finished, or stale: of other programs, data or settings than those of the checkout that exported"
    ),
    FINAL_C: About("", "strength at which the last checkpoint is judged"),
    **STATE,
    "recomputed_primal": About("nats or loss", "of a merged run: primal objective of its weights, computed here"),
    "recomputed_dual": About("nats or loss", "of a merged run: dual objective of its weights, computed here"),
    **{
        name.replace("test_", "train_"): About(about.unit, about.meaning.replace("test split", "training split"))
        for name, about in STATE.items()
        if name.startswith("test_")
    },
    "peak_memory": About(
        "bytes", "largest resident memory since the run began; empty where it cannot be measured"
    ),
    "setup_seconds": About("s", "wall time before the algorithm's first checkpoint"),
    "total_seconds": About("s", "wall time of the run, compiling and evaluation included"),
    "calibration_passes": About("passes", "made to choose a step size, included in passes"),
    "num_weights": About("", "number of weights"),
    "num_nonzero": About("", "number of weights that are not 0 at the end"),
    "weights_of": About("", "what has weights: features, of kernels and neighbours examples, or none"),
    "weights_memory": About("bytes", "memory of these"),
    "num_examples": About("", "number of training examples"),
    "num_cut": About("", "segments longer than the structure allows, learned in pieces"),
}
MADE_BY = {
    "provenance_git_commit": About("", "commit of the checkout, with a + where its programs differ from it"),
    "provenance_cpu": About("", "the processor's name"),
    "provenance_os": About("", "operating system"),
    "provenance_cores": About("", "processors of the machine"),
    "provenance_affinity": About("", "processors that the process might run on"),
    "provenance_cpu_limit": About("", "processors whose time its control groups let it use; empty: all"),
    "provenance_load": About("processes", "that ran or waited on the machine in the minute before"),
    "provenance_threads_left": About("", "threads of its process that an earlier run had left"),
    "provenance_others": About("processes", "of others that ran beside the run, in the mean"),
    "provenance_alone": About("", "whether the workflow ran nothing else meanwhile; empty: not known"),
    "provenance_lock_sha256": About("", "hash of the pins of all packages"),
    "provenance_started": About("UTC", "when the run began"),
    "provenance_data_sha256": About("", "fingerprint of the problem as it was built"),
    "provenance_loaded": About("", "other files that it loaded, with their hashes, as JSON"),
    "provenance_own_files": About("", "files of the user's folders that the run was made with, as JSON"),
    "provenance_code_sha256": About("", "hash of the programs that decide the run's numbers"),
}
KNOWN = IDENTITY | SPEC | OUTCOME | CHECKPOINT | MADE_BY
PREFIXES = {
    "test_": "score {} of the predictions on the test split, see its file in datasets/scores",
    "train_": "score {} of the predictions on the training split, see its file in datasets/scores",
    PARAMETER: "parameter {} of the algorithms that have it, see docs/reference/algorithms.md",
    NOTE: "{}, as the algorithm notes it at its end, see docs/reference/algorithms.md",
    PROVENANCE: "{} of the process or machine that made the run",
}


def about(name: str) -> About:
    """Unit and meaning of a column; a column that nobody has described has neither."""
    for prefix, meaning in PREFIXES.items():
        if name.startswith(prefix) and name not in KNOWN:
            return About("", meaning.format(name.removeprefix(prefix)))
    return KNOWN.get(name, About("", ""))


def in_order(named: dict[str, Kind]) -> dict[str, Kind]:
    """The same columns in the order in which they are described here; then the others, by name."""
    known = [name for name in KNOWN if name in named]
    return {name: named[name] for name in [*known, *sorted(named.keys() - KNOWN)]}


def flat_spec(spec: Spec) -> dict[str, object]:
    """A run's spec with a field for each parameter."""
    fields = {RENAMED.get(name, name): value for name, value in spec.as_dict().items() if name != "params"}
    return fields | {f"{PARAMETER}{name}": value for name, value in spec.params}


def of_curve(name: str) -> str:
    """What a column of a curve is called next to the spec's columns."""
    return CHECKPOINT_C if name == "C" else name


def outcome(run: Run) -> dict[str, object]:
    """How a run ended, what its algorithm notes, and what it was made with."""
    summary = {FINAL_C if name == "C" else name: value for name, value in run.summary.items()}
    apart = ("key", "notes", "provenance", "sha256", FORMER)  # the last is of the run's own files
    known = {name: _scalar(value) for name, value in summary.items() if name not in apart}
    notes = {f"{NOTE}{name}": _scalar(value) for name, value in sorted(run.summary["notes"].items())}
    made = run.summary["provenance"].items()
    made_by = {f"{PROVENANCE}{name}": _scalar(value) for name, value in made if name not in ("host", "threads")}
    return known | notes | made_by


def _scalar(value: object) -> object:
    """A number, a word or nothing; anything else as JSON."""
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)
