"""Dual variables in memory, in single precision and in a file come to the same point."""

import re

from structbench.bench.measure import storage
from structbench.bench.runs import results


def test_a_file_and_single_precision_certify_what_memory_does(monkeypatch, tmp_path):
    monkeypatch.setattr(storage, "DATA", "toy-english:sentences=20,test_sentences=5")
    monkeypatch.setattr(results, "root", lambda: tmp_path)
    rows = [*storage.rows()]
    gaps = [float(re.search(r"relative gap (\S+)", row.ours)[1]) for row in rows]
    sizes = [int(re.search(r"(\d+) bytes", row.ours)[1]) for row in rows]
    assert gaps[1] == gaps[2] == gaps[3] < 1
    assert sizes[0] == sizes[1] == sizes[3] and abs(sizes[2] - sizes[0] / 2) <= 1
    assert [file.name for file in tmp_path.iterdir()] == ["problems"]
