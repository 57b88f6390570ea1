"""A run as it is really made is sound, equal when it is made twice, and described when it is exported."""

import pyarrow.parquet as pq
import pytest

from structbench.bench.runs import execute, hosts, results
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
    (host,) = hosts.names()
    mine, other = hosts.find(spec.key), hosts.find(f"{host}:{spec.key}")
    found = compare(mine, other)
    assert found.equal and found.curve.common == len(mine.curve) and not found.spec
    export([mine, other], ours / "both.parquet")
    schema = pq.read_schema(ours / "both.parquet")
    assert [name for name in schema.names if not schema.field(name).metadata[b"meaning"]] == []
