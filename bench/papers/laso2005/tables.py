"""Tables 1 to 3 of laso2005 with the paper's numbers, section 5's updates, and Theorem 4's experiment."""

from collections.abc import Callable, Iterable

import numpy as np

from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import BEAMS, CHUNKING, GROUPS, JOINT, SAID, WAYS, Task, matrix
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.panels import cell
from structbench.bench.papers.terms import Registry, Rows, Runs

draws = Registry()
THEIR_THEOREM = ("sentences, theirs", "corrections, theirs", "bound, theirs")


@draws("table1")
def table1(task: Task, runs: Runs) -> Rows:
    names = ("Pre", "Rec", "F")
    columns = ("test_precision", "test_recall", "test_f1")
    return _beside("table1", CHUNKING, names, task, runs, lambda one: map(one.mean, columns))


@draws("table2")
def table2(task: Task, runs: Runs) -> Rows:
    def read(one: Trained) -> Iterable[float]:
        return *(1 - one.mean(f"test_{name}error") for name in ("tag_", "chunk_", "")), one.mean("test_f1")

    return _beside("table2", JOINT, ("Tag", "Chn", "Jnt", "F"), task, runs, read)


def _beside(
    table: str, kind: str, names: tuple[str, ...], task: Task, runs: Runs,
    read: Callable[[Trained], Iterable[float]],
) -> Rows:  # fmt: skip
    """Return what was chosen for each way, seconds and these shares, ours and theirs; first who is theirs only."""
    theirs, heads = SAID[table], ("train", "test", *names)
    first = next(iter(theirs))
    rows = []
    for name, way in [(first, None), *((way.name, way) for way in GROUPS[table])]:
        row = {"model": name, "chosen": "-"}
        row |= {f"{head}, ours": "-" for head in heads}
        row |= dict(zip((f"{head}, theirs" for head in heads), theirs.get(name, "-" * len(heads)), strict=True))
        if way and (found := Trained(task, runs, way, kind)).choice:
            row["chosen"] = f"{found.choice.passes:g} passes" if way.loss is None else f"C = {found.choice.C:g}"
            row["train, ours"] = f"{found.mean('cpu_seconds'):.3g} CPU s"
            row["test, ours"] = f"{found.mean('test_seconds'):.2g} s of wall"
            row |= {f"{head}, ours": _percent(share) for head, share in zip(names, read(found), strict=True)}
        rows.append(row)
    return rows


@draws("table3")
def table3(task: Task, runs: Runs) -> Rows:
    rows = []
    for train in task.matrix:
        ours = {test: scores.f1_after(runs, matrix(task)[train, test], task.matrix_passes) for test in task.matrix}
        theirs = dict(zip(BEAMS[JOINT], SAID["table3"][str(train)], strict=True))
        row = {"training": str(train)} | {f"{test}, ours": _percent(f1) for test, f1 in ours.items()}
        rows.append(row | {f"{test}, theirs": theirs[test] for test in task.matrix})
    return rows


@draws("table-updates")
def table_updates(task: Task, runs: Runs) -> Rows:
    rows = []
    for kind, name in ((JOINT, "joint"), (CHUNKING, "chunking")):
        for way in GROUPS["updates"]:
            if kind == CHUNKING and way is WAYS["max-violation"]:
                continue
            found = Trained(task, runs, way, kind)
            ours = (_percent(found.mean("test_f1")), f"{found.choice.passes:g}") if found.choice else ("-", "-")
            rows.append({"task": name, "update": way.name} | dict(zip(("F", "passes"), ours, strict=True)))
    return rows


@draws("table-alpha")
def table_alpha(task: Task, runs: Runs) -> Rows:
    usual = WAYS["a5"]
    base, rows = Trained(task, runs, usual, CHUNKING).f1_samples(), []
    for way in GROUPS["alphas"]:
        trained = Trained(task, runs, way, CHUNKING)
        apart = scores.percentiles(trained.f1_samples() - base)
        told = apart.points() if np.isfinite(apart).all() and way != usual else "-"
        f1 = _percent(trained.mean("test_f1")) if trained.choice else "-"
        rows.append({"alpha": f"{way.params.get('alpha', 0.9):g}", "F": f1, "less 0.9": told})
    return rows


@draws("table-theorem4")
def table_theorem4(task: Task, runs: Runs) -> Rows:
    rows = []
    for run in runs.present(task.settled()):
        notes, params = run.summary["notes"], dict(run.spec.params)
        margin, ended = notes.get("margin"), run.summary["status"] in ("finished", "stalled")
        most = scores.bound(margin, params["alpha"]) if margin and margin > 0 else np.nan
        row = {
            "beam": str(params["beam"]),
            "seed": str(run.spec.seed),
            "sentences": str(run.summary["num_examples"]),
            "passes": f"{run.summary['passes']:g}",
            "ended": "nothing left to correct" if ended else "at our limit",
            "corrections": str(notes["updates"]),
            "margin": "-" if margin is None else f"{margin:.3g}",
            "bound": cell(most, ".3g"),
        }
        rows.append(row | dict(zip(THEIR_THEOREM, SAID["theorem4"].get(row["beam"], "---"), strict=True)))
    return rows


def _percent(share: float) -> str:
    return cell(share, ".2f", 100)
