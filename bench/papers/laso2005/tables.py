"""Tables 1 to 3 of laso2005 with the paper's numbers, section 5's updates, and Theorem 4's experiment."""

from collections.abc import Callable, Iterable

import numpy as np

from structbench.bench.drawing.tables import Rows
from structbench.bench.papers import bootstrap
from structbench.bench.papers.laso2005 import runs as made
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import BEAMS, CHUNKING, JOINT, SAID, Task, Way, laso, lasos, matrix
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.panels import cell
from structbench.bench.runs.finished import Runs

THEIR_THEOREM = ("sentences, theirs", "corrections, theirs", "bound, theirs")


def table_1(task: Task, runs: Runs) -> Rows:
    """Return precision, recall and F of chunking, ours and the paper's."""
    ways = [*made.SEMI_CRFS, made.SEMI_M3N, made.PERCEPTRON, *lasos(CHUNKING)]
    names = ("Pre", "Rec", "F")
    columns = ("test_precision", "test_recall", "test_f1")
    return _beside("table1", CHUNKING, ways, names, task, runs, lambda one: map(one.mean, columns))


def table_2(task: Task, runs: Runs) -> Rows:
    """Return accuracies and F of the joint task, ours and the paper's."""

    def read(one: Trained) -> Iterable[float]:
        return *(1 - one.mean(f"test_{name}error") for name in ("tag_", "chunk_", "")), one.mean("test_f1")

    return _beside("table2", JOINT, lasos(JOINT), ("Tag", "Chn", "Jnt", "F"), task, runs, read)


def _beside(
    table: str, kind: str, ways: list[Way], names: tuple[str, ...], task: Task, runs: Runs,
    read: Callable[[Trained], Iterable[float]],
) -> Rows:  # fmt: skip
    """Return what was chosen for each way, seconds and these shares, ours and theirs; first who is theirs only."""
    theirs, heads = SAID[table], ("train", "test", *names)
    first = next(iter(theirs))
    rows = []
    for name, way in [(first, None), *((way.name, way) for way in ways)]:
        row = {"model": name, "chosen": "-"}
        row |= {f"{head}, ours": "-" for head in heads}
        row |= dict(zip((f"{head}, theirs" for head in heads), theirs.get(name, "-" * len(heads)), strict=True))
        if way and (found := Trained(task, runs, way, kind)).choice:
            row["chosen"] = f"{found.choice.passes:g} passes" if way.loss is None else f"C = {found.choice.C:g}"
            row["train, ours"] = f"{found.mean('cpu_seconds'):.3g} s"
            row["test, ours"] = f"{found.mean('test_seconds'):.2g} s"
            row |= {f"{head}, ours": _percent(share) for head, share in zip(names, read(found), strict=True)}
        rows.append(row)
    return rows


def table_3(task: Task, runs: Runs) -> Rows:
    """Return F by beam of training (rows) and of decoding."""
    rows = []
    for train in task.matrix:
        ours = {test: scores.f1_after(runs, matrix(task)[train, test], task.matrix_passes) for test in task.matrix}
        theirs = dict(zip(BEAMS[JOINT], SAID["table3"][str(train)], strict=True))
        row = {"training": str(train)} | {f"{test}, ours": _percent(f1) for test, f1 in ours.items()}
        rows.append(row | {f"{test}, theirs": theirs[test] for test in task.matrix})
    return rows


def updates(task: Task, runs: Runs) -> Rows:
    """Return section 5's updates, in both tasks."""
    rows = []
    for kind, name in ((JOINT, "joint"), (CHUNKING, "chunking")):
        for way in (*made.UPDATES, laso("alma", made.COMPARED)):
            if kind == CHUNKING and way == made.MAX_VIOLATION:
                continue
            found = Trained(task, runs, way, kind)
            ours = (_percent(found.mean("test_f1")), f"{found.choice.passes:g}") if found.choice else ("-", "-")
            rows.append({"task": name, "update": way.name} | dict(zip(("F", "passes"), ours, strict=True)))
    return rows


def alphas(task: Task, runs: Runs) -> Rows:
    """Return F with each alpha of the large margin updates."""
    usual = laso("alma", made.ALPHA_BEAM)
    base, rows = Trained(task, runs, usual, CHUNKING).f1_samples(), []
    for alpha, way in sorted([(0.9, usual), *((alpha, made.with_alpha(alpha)) for alpha in made.ALPHAS)]):
        trained = Trained(task, runs, way, CHUNKING)
        apart = bootstrap.interval(trained.f1_samples() - base)
        told = apart.points() if np.isfinite(apart).all() and way != usual else "-"
        f1 = _percent(trained.mean("test_f1")) if trained.choice else "-"
        rows.append({"alpha": f"{alpha:g}", "F": f1, "less 0.9": told})
    return rows


def theorem_4(task: Task, runs: Runs) -> Rows:
    """Return the corrections that separable sentences took, and the theorem's bound."""
    rows = []
    for beam, run in [(each, run) for each in made.SEPARABLE for run in runs.present(task.settled(each))]:
        notes, most = run.summary["notes"], scores.bound_of(run)
        margin = notes.get("margin")
        row = {
            "beam": str(beam),
            "sentences": str(run.summary["num_examples"]),
            "passes": f"{run.summary['passes']:g}",
            "ended": "nothing left to correct" if run.summary["status"] == "stalled" else "at our limit",
            "corrections": str(notes["updates"]),
            "margin": "-" if margin is None else f"{margin:.3g}",
            "bound": "-" if most is None else f"{most:.3g}",
        }
        rows.append(row | dict(zip(THEIR_THEOREM, SAID["theorem4"].get(str(beam), "---"), strict=True)))
    return rows


def _percent(share: float) -> str:
    return cell(share, ".2f", 100)


DRAWN = {
    "table1": table_1, "table2": table_2, "table3": table_3, "table-updates": updates, "table-alpha": alphas,
    "table-theorem4": theorem_4,
}  # fmt: skip
