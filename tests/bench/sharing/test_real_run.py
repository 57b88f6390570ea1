"""A run as it is really made is sound, equal when it is made twice, and described when it is exported."""

import math
import re
import shutil

import pyarrow.parquet as pq
import pytest

from structbench.bench.runs import documents, execute, hosts, results, seals, store
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


def forge(run: store.Run, **stated: float) -> None:
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
    assert merge(theirs).there == [spec.key]
    shutil.rmtree(results.problems())
    shutil.rmtree(results.hosts())
    merged = merge(theirs)
    assert (merged.came, merged.certified) == ([spec.key], []), "its data are not here"
    assert "recomputed_primal" not in hosts.find_run(f"{host}:{spec.key}").summary


@pytest.mark.parametrize(
    ("forged", "said"),
    [
        ({"primal": 0.9}, r"its weights have the primal value [\d.]+, not "),
        ({"primal": math.inf}, "its weights have the primal value "),
        ({"dual": 1.01, "gap": 0.0}, r"its dual value [\d.]+ is above the primal value "),
    ],
)
def test_a_certificate_that_its_weights_do_not_have_is_refused(ours, theirs, forged, said):
    spec = make(TOY, "log", 1.0, "lbfgs", passes=5.0)
    made = execute.run_one(spec, theirs / spec.key, print)
    forge(made, **{name: share * made.summary["primal"] for name, share in forged.items()})
    (reason,) = merge(theirs).refused.values()
    assert re.match(said, reason)
