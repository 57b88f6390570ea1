"""The facts about the machine, and the limits of control groups."""

import json
import os

import pytest

from structbench.bench.runs import machine, provenance

CGROUP, V2 = "proc/self/cgroup", "sys/fs/cgroup"


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, None),
        ({CGROUP: "0::/\n"}, None),
        ({CGROUP: "0::/\n", f"{V2}/cpu.max": "150000 100000\n"}, 1.5),
        ({CGROUP: "0::/a/b\n", f"{V2}/a/b/cpu.max": "max 100000\n"}, None),
        ({CGROUP: "0::/a/b\n", f"{V2}/a/b/cpu.max": "400000 100000\n", f"{V2}/a/cpu.max": "50000 100000\n"}, 0.5),
        ({CGROUP: "3:cpu:/\n0::/\n"}, None),
    ],
)
def test_the_least_limit_of_the_control_groups_counts(tmp_path, files, limit):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert machine.cpu_limit(tmp_path) == limit


def test_provenance_says_what_seconds_depend_on(monkeypatch, tmp_path):
    found = provenance.environment(2, alone=True)
    assert (found["threads"], found["alone"]) == (2, True)
    assert 1 <= found["affinity"] <= found["cores"] == os.cpu_count()
    assert found["load"] >= 0 and found["os"] and found["cpu"] and found["host"]
    assert len(found["lock_sha256"]) == 64
    json.dumps(found)
    provenance._lock_sha256.cache_clear()
    monkeypatch.setattr(provenance, "LOCK", tmp_path / "none")
    assert provenance.environment(1, alone=None)["lock_sha256"] is None
    provenance._lock_sha256.cache_clear()
