"""A run as it is really made is sound, equal when it is made twice, and described when it is exported."""

import math
import re
import shutil
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from structbench.bench.runs import documents, execute, hosts, results, seals, store
from structbench.bench.runs.merged import merged_runs
from structbench.bench.runs.spec import make
from structbench.bench.sharing.compare import compare
from structbench.bench.sharing.export import export
from structbench.bench.sharing.merge import merge


@pytest.mark.parametrize("data", ["svmlight:train.svm", "toy-english"])  # the latter has chunks
def test_a_run_made_twice_is_merged_compared_and_exported(ours, theirs, tmp_path, monkeypatch, data):
    monkeypatch.chdir(tmp_path)
    lines = (f"{k % 3} 1:{k % 3 + 0.1 * (k % 7)} 2:{k % 5}" for k in range(60))
    (tmp_path / "train.svm").write_text("\n".join(lines))
    spec = make(data, "log", 1.0, "sgd", passes=2.0)
    for root in (results.runs(), theirs):
        execute.run_one(spec, root / spec.key, print)
    merged = merge(theirs)
    assert (merged.came, merged.refused) == ([spec.key], {})
    (host,) = hosts.host_names()
    mine, other = hosts.find_run(spec.key), hosts.find_run(f"{host}:{spec.key}")
    found = compare(mine, other)
    assert found.equal and found.curve.common == len(mine.curve) and not found.spec
    export([mine, other], ours / "both.parquet")
    schema = pq.read_schema(ours / "both.parquet")
    assert [name for name in schema.names if not schema.field(name).metadata[b"meaning"]] == []


TOY = "toy-english:sentences=60"


def forge(run: store.Run, **stated: object) -> None:
    """Other numbers, as if the run had written them."""
    summary = seals.sealed(run.folder, run.summary | stated)
    (run.folder / "summary.json").write_text(documents.to_json(summary))


@pytest.mark.parametrize(("loss", "algorithm"), [("log", "eg"), ("hinge", "smo"), ("log", "owl-qn")])
def test_the_certificate_of_a_merged_run_is_computed_here_from_its_weights(ours, theirs, loss, algorithm):
    spec = make(TOY, loss, 1.0, algorithm, passes=30.0, penalty="l1" if algorithm == "owl-qn" else None)
    made = execute.run_one(spec, theirs / spec.key, print)
    merged = merge(theirs)
    assert (merged.came, merged.certified, merged.refused) == ([spec.key], [spec.key], {})
    (host,) = hosts.host_names()
    stated, computed = made.summary, hosts.find_run(f"{host}:{spec.key}").summary
    primal, dual = computed["recomputed_primal"], computed["recomputed_dual"]
    assert primal == pytest.approx(stated["primal"], rel=1e-6)
    if loss == "hinge":
        assert dual is None, "the weights of a hinge loss tell no dual point"
    else:
        assert dual <= primal and primal - dual <= 1.5 * stated["gap"] + 1e-5 * primal
    merged = merge(theirs)
    assert (merged.there, merged.without_data) == ([spec.key], set())
    shutil.rmtree(results.problems())
    shutil.rmtree(results.hosts())
    merged = merge(theirs)
    assert (merged.came, merged.certified) == ([spec.key], []), "its data are not here"
    assert merged.without_data == {str(spec.data)}
    assert "recomputed_primal" not in hosts.find_run(f"{host}:{spec.key}").summary


def forge_curve(run: store.Run, *rows: int, **stated: float) -> None:
    """Other numbers in these rows of the curve; of the last one, in the summary, too."""
    curve = run.curve.copy()
    for name, share in stated.items():
        curve.loc[curve.index[[*rows]], name] *= share
    curve["gap"] = curve["primal"] - curve["dual"]
    curve["relative_gap"] = curve["gap"] / curve["primal"]
    curve.to_parquet(run.folder / "curve.parquet", index=False)
    forge(run, **{name: curve[name].iloc[-1] for name in store.COLUMNS if name in run.summary})


def lie(run: store.Run, kind: str) -> None:
    primal, dual = run.summary["primal"], run.summary["dual"]
    match kind:
        case "primal":
            forge(run, primal=0.9 * primal)
        case "infinite":
            forge(run, primal=math.inf)
        case "dual":
            forge(run, dual=1.01 * primal, gap=0.0)
        case "checked there":
            forge(
                run, dual=1.01 * primal, recomputed_primal=primal, recomputed_test_error=run.summary["test_error"]
            )
        case "below its weights":
            forge_curve(run, -1, dual=0.9999 * primal / dual)
        case "an earlier dual":
            forge_curve(run, 1, dual=0.9999 * primal / run.curve["dual"].iloc[1])
        case "an earlier primal":
            forge_curve(run, 1, primal=0.01)
        case "gap":
            forge(run, gap=0.0, relative_gap=0.0)
        case "status":
            forge(run, status="converged")
        case _:
            lie_in_files(run, kind)


def lie_in_files(run: store.Run, kind: str) -> None:
    match kind:
        case "test error":
            curve = run.curve.assign(test_error=0.0)
            curve.to_parquet(run.folder / "curve.parquet", index=False)
            forge(run, test_error=0.0)
        case "test F1":
            run.curve.assign(test_f1=1.0).to_parquet(run.folder / "curve.parquet", index=False)
            forge(run, test_f1=1.0)
        case "training error":
            forge(run, train_error=0.0)
        case "chunks" | "predicted_test" | "counts_test":
            with np.load(run.folder / "weights.npz") as file:
                np.savez(run.folder / "weights.npz", **{**file, kind: np.zeros_like(file[kind])})
            forge(run)
        case "few counts":
            with np.load(run.folder / "weights.npz") as file:
                counts = file["counts_test"].copy()
                counts[0, 0] += 20
                np.savez(run.folder / "weights.npz", **{**file, "counts_test": counts})
            forge(run)
        case "scheme":
            forge(run, scheme="BIOES")
        case "a label" | "its scores":
            label, row = max(run.summary["by_label"].items(), key=lambda each: each[1]["gold"])
            lies = {"right": 0} if kind == "a label" else {"f1": 0.99}
            forge(run, by_label=run.summary["by_label"] | {label: row | lies})
        case "one more label":
            forge(run, by_label=run.summary["by_label"] | {"X": {"gold": 9}})
        case "visits":
            run.curve.assign(visits=[99.0] + [1.0] * (len(run.curve) - 1)).to_parquet(run.folder / "curve.parquet")
            forge(run, visits=1.0)
        case "curve":
            run.curve.assign(test_error=0.0).to_parquet(run.folder / "curve.parquet", index=False)
            forge(run)


LIES = {
    "primal": r"its weights have the primal value [\d.]+, not ",
    "infinite": "its weights have the primal value ",
    "dual": r"its dual value [\d.]+ is above the value ",
    "checked there": r"its dual value [\d.]+ is above the value ",
    "below its weights": r"lbfgs says that no value is below [\d.]+, and other weights have [\d.]+",
    "an earlier dual": r"lbfgs says that no value is below [\d.]+, and other weights have [\d.]+",
    "an earlier primal": r"its curve has the primal value [\d.]+, and none is below [\d.]+",
    "gap": "its curve ends with gap = ",
    "status": "it says that it converged, with a relative gap of ",
    "test error": r"its weights have the test error 0\.\d+, not 0",
    "test F1": r"its weights have the test f1 0\.\d+, not 1",
    "training error": r"its weights have the train error 0\.\d+, not 0",
    "chunks": r"its weights have other chunks in \d+ of \d+ sentences",
    "predicted_test": r"its weights have another predicted_test in [\d,]+ of [\d,]+ rows",
    "counts_test": r"its weights have another counts_test in \d+ of \d+ rows",
    "few counts": r"its weights have another counts_test in 1 of \d+ rows",
    "scheme": "its labels have the scheme 'IOB2', not 'BIOES'",
    "a label": r"its weights have the scores \{.*\} of \w+, not ",
    "its scores": r"its weights have the scores \{.*\} of \w+, not ",
    "one more label": "its weights have the scores None of X, not ",
    "visits": "its curve has visits that fall, or that are not its passes over 60 examples",
    "curve": r"its curve ends with test_error = 0, not 0\.\d+",
}


@pytest.mark.parametrize("kind", LIES)
def test_what_its_weights_or_its_curve_contradict_is_refused(ours, theirs, kind):
    spec = make(TOY, "log", 1.0, "lbfgs", passes=30.0 if kind == "an earlier primal" else 5.0)
    lie(execute.run_one(spec, theirs / spec.key, print), kind)
    (reason,) = merge(theirs).refused.values()
    assert re.match(LIES[kind], reason)


def test_weights_of_a_few_passes_have_ties_that_are_no_lies(ours, theirs):
    spec = make(TOY, "log", 1.0, "lbfgs", passes=3.0)
    execute.run_one(spec, theirs / spec.key, print)
    assert merge(theirs).certified == [spec.key]


def test_a_bound_of_the_hinge_is_contradicted_by_better_weights(ours, theirs):
    spec = make(TOY, "hinge", 1.0, "smo", passes=2.0)
    made = execute.run_one(spec, theirs / spec.key, print)
    forge_curve(made, -1, dual=0.9999 * made.summary["primal"] / made.summary["dual"])
    (reason,) = merge(theirs).refused.values()
    assert re.match(r"smo says that no value is below [\d.]+, and other weights have [\d.]+", reason)


@pytest.mark.parametrize("lies", [False, True])
def test_the_errors_of_a_run_without_an_objective_are_computed_here_before_it_counts(ours, theirs, lies):
    spec = make(TOY, None, None, "perceptron", passes=2.0)
    made = execute.run_one(spec, theirs / spec.key, print)
    assert merged_runs(spec) == []
    if lies:
        lie(made, "test error")
    found = merge(theirs)
    assert (len(found.refused), len(merged_runs(spec))) == ((1, 0) if lies else (0, 1))


def test_what_another_machine_checked_counts_for_nothing_where_the_data_are_not_here(ours, theirs):
    spec = make(TOY, "log", 1.0, "lbfgs", passes=5.0)
    made = execute.run_one(spec, theirs / spec.key, print)
    shutil.rmtree(results.problems())
    forge(made, recomputed_primal=made.summary["primal"], recomputed_test_error=made.summary["test_error"])
    assert merge(theirs).came == [spec.key] and merged_runs(spec) == []


@pytest.mark.parametrize("said", [{"C": 1e-9}, {}])
def test_values_at_another_strength_are_not_those_of_a_run(ours, theirs, said):
    spec = make(TOY, "log", 1.0, "lbfgs", passes=5.0)
    made = execute.run_one(spec, theirs / spec.key, print)
    made.curve.assign(C=1e-9).to_parquet(made.folder / "curve.parquet", index=False)
    summary = {name: value for name, value in made.summary.items() if name != "C"}
    forge(replace(made, summary=summary), **said)
    assert merge(theirs).certified == [] and merged_runs(spec) == []


def test_rounded_weights_on_the_border_of_an_l1_ball_are_certified(ours, theirs):
    """And a primal value of 0, which is its own dual value, has a gap of 0."""
    for data, C in ((TOY, 1.0), ("toy-points", 1e-3)):
        spec = make(data, "hinge", C, "l1m3n-subgradient", passes=60.0)
        made = execute.run_one(spec, theirs / spec.key, print)
        assert spec.penalty == "l1-ball" and math.isfinite(made.summary["primal"])
        merged = merge(theirs)
        assert (merged.certified, merged.refused) == ([spec.key], {})
    assert made.summary["primal"] == made.summary["relative_gap"] == 0
