"""``judge``: weights of anybody's solver beside the certified optimum."""

import argparse
from pathlib import Path

from structbench.bench.verbs.saying import document, percent, print_pairs, text
from structbench.bench.verbs.verb import JSON, argument, verb


@verb(
    argument(
        "weights",
        metavar="WEIGHTS",
        help="a .npy, .npz or CRFsuite's model file, or a table: see the page; no run (`show` has those)",
    ),
    argument("--data", required=True, metavar="NAME|FORMAT:PATH", help="what they were learned from"),
    argument("--test", metavar="PATH", help="test file, for data sets that read a file of yours"),
    argument("--loss", required=True, help="see `list losses`"),
    argument("--C", required=True, type=float, help="strength of the penalty; of CRFsuite, twice its c2"),
    argument("--penalty", default="l2", help="as of `run` (default: l2)"),
    JSON,
    examples=(
        "judge weights.npy --data ocr --loss log --C 10",
        "judge train.crfsuite --data conll2000 --loss log --C 1 --json",
    ),
)
def do_judge(given: argparse.Namespace) -> int:
    """Compute objective and errors of weights, and their distance to the certified optimum."""
    from structbench.bench.report.judged_weights import judge_weights

    found = judge_weights(Path(given.weights), given.data, given.loss, given.C, given.penalty, given.test)
    if given.json:
        return document(found)
    rows = {name: text(getattr(found, name)) for name in ("data", "loss", "penalty", "C")}
    rows |= {"weights": f"{found.num_weights:,}, of them {found.num_nonzero:,} not 0"}
    rows |= {"objective": f"{found.objective:.10g}", "bound of these weights": f"{found.own_bound:.10g}"}
    rows |= {"gap of these weights": f"{found.own_gap:.2g}"}
    errors = ("train_error", "test_error", "test_f1")
    rows |= {name.replace("_", " "): percent(name, getattr(found, name)) for name in errors}
    if best := found.optimum:
        rows["certified optimum"] = f"{best.lower_bound:.10g} to {best.objective:.10g}"
        for what, by in zip(("bound", "objective"), best[-2:], strict=True):
            rows[f"{what} by"] = str(by)
    print_pairs(("what", "value"), {name: value for name, value in rows.items() if value not in ("-", "nan")})
    print(found.verdict)
    return 0
