"""The facts about the machine, and the limits of control groups, of which there are two versions."""

import json
import os
from pathlib import Path

import pytest

from structbench.bench.runs import machine, provenance


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, None),
        ({"proc/self/cgroup": "0::/\n"}, None),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n"}, 1.5),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, None),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
                "sys/fs/cgroup/a/cpu.max": "50000 100000\n",
            },
            0.5,
        ),
        (
            {
                "proc/self/cgroup": "4:memory:/x\n3:cpu,cpuacct:/docker/1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "3:cpu:/\n0::/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
    ],
)
def test_the_least_limit_of_the_control_groups_counts(tmp_path, files, limit):
    assert machine.cpu_limit(tree(tmp_path, files)) == limit


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
