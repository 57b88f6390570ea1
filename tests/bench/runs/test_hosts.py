"""Runs of other machines: listed beside ours, and found by the name of their host."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import hosts, results, store
from tests.bench import fake_runs


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    return tmp_path


def test_merged_runs_are_listed_by_host_and_are_none_of_ours(root):
    mine = fake_runs.write(results.runs())
    for host in ("b", "a"):
        fake_runs.write(hosts.runs(host), seed=1)
    (results.hosts() / ".x.partial" / "runs").mkdir(parents=True)
    assert [run.key for run in store.all_runs()] == [mine.key]
    assert [(host, run.spec["seed"]) for host, run in hosts.merged()] == [("a", 1), ("b", 1)]


def test_there_may_be_no_other_machines(root):
    assert hosts.names() == [] and list(hosts.merged()) == []


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("node-3.lab", "node-3.lab"),
        ("", "%"),
        ("..", "%2E."),
        (".x", "%2Ex"),
        ("a/../b", "a%2F..%2Fb"),
        ("a:b", "a%3Ab"),
    ],
)
def test_a_host_s_folder_leads_nowhere_else(host, name):
    assert hosts.folder_name(host) == name


def test_hosts_of_long_names_have_folders_of_their_own():
    long = "x" * 255
    made = {hosts.folder_name(long + end) for end in "ab"}
    assert len(made) == 2 and all(len(name) <= hosts.LONGEST for name in made)


def test_a_run_is_found_by_folder_by_key_and_by_host(root):
    mine = fake_runs.write(results.runs())
    other = fake_runs.write(hosts.runs("far"), seed=1)
    assert hosts.find(str(mine.folder)).folder == mine.folder
    assert hosts.find(mine.key).folder == mine.folder
    assert hosts.find(f"far:{other.key}").folder == other.folder


def test_a_run_that_is_not_there_gets_a_hint(root):
    mine = fake_runs.write(results.runs())
    fake_runs.write(hosts.runs("far"), seed=1)
    wrong = mine.key.replace("C=10", "C=1")
    with pytest.raises(UserError, match=r"HOST:KEY with a host of far; near it are mnist__log__C=10__eg"):
        hosts.find(wrong)
    for name in ("x" * 5000, f"near:{mine.key}", f"far:{mine.key}"):
        with pytest.raises(UserError, match="there is no run"):
            hosts.find(name)
