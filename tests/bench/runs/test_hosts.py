"""Runs of other machines: listed beside ours, and found by the name of their host."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import hosts, results, store, unfinished
from tests.bench import fake_runs


def test_merged_runs_are_listed_by_host_and_are_none_of_ours(ours):
    assert hosts.host_names() == []
    mine = fake_runs.write(results.runs())
    for host in ("b", "a"):
        fake_runs.write(hosts.runs(host), seed=1)
    (results.hosts() / ".x.partial" / "runs").mkdir(parents=True)
    assert [run.key for run in store.all_runs(results.runs())] == [mine.key]
    found = {host: [run.spec.seed for run in store.all_runs(hosts.runs(host))] for host in hosts.host_names()}
    assert found == {"a": [1], "b": [1]}


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("node-3.lab", "node-3.lab"),
        ("", "%"),
        ("..", "%2E."),
        (".x", "%2Ex"),
        ("a/../b", "a%2F..%2Fb"),
        ("a:b", "a%3Ab"),
        ("x" * 100, "x" * 100),
    ],
)
def test_a_host_s_folder_leads_nowhere_else(host, name):
    assert hosts.folder_name(host) == name
    made = {hosts.folder_name("x" * 255 + end) for end in "ab"}  # each has a folder of its own
    assert len(made) == 2 and {len(name) for name in made} == {100}


def test_a_run_that_failed_is_said_to_have_failed(ours):
    mine = fake_runs.write(results.runs())
    failed = mine.folder.with_name("synthetic__log__C=1__mine")
    failed.with_name(f"{failed.name}.traceback").write_text("ZeroDivisionError")
    with pytest.raises(UserError, match=rf"the run '{failed.name}' failed: see .*{failed.name}.traceback$"):
        hosts.find_run(failed.name)
    mine.folder.with_name(f"{mine.key}.traceback").write_text("of an earlier attempt")
    assert hosts.find_run(mine.key[:12]).folder == mine.folder


def test_a_run_is_found_by_folder_by_key_and_by_host_or_gets_a_hint(ours):
    mine = fake_runs.write(results.runs())
    other = fake_runs.write(hosts.runs("far"), seed=1)
    named = {str(mine.folder): mine, mine.key: mine, f"far:{other.key}": other}
    assert {name: hosts.find_run(name).folder for name in named} == {
        name: run.folder for name, run in named.items()
    }
    assert hosts.find_run(mine.key[:6]).folder == mine.folder
    assert hosts.find_run(f"far:{other.key[:6]}").folder == other.folder
    second = fake_runs.write(results.runs(), seed=2)
    with pytest.raises(
        UserError, match=rf"'mnist_' begins the keys of 2 runs:\n  '{mine.key}'\n  '{second.key}'$"
    ):
        hosts.find_run("mnist_")
    with pytest.raises(UserError, match=r"near it are\n  'mnist__log"):
        hosts.find_run("log__C=10")
    with pytest.raises(UserError, match=r"HOST:KEY with a host of far; near it are\n  'mnist__log__C=10__eg"):
        hosts.find_run(mine.key.replace("C=10", "C=1"))
    keys = {k: fake_runs.write(results.runs(), algorithm="sgd", seed=k).key for k in (1, 2, 3, 4, 5, 100000)}
    with pytest.raises(UserError, match=r"begins the keys of 6 runs:(\n  '.*'){5}\n  and 1 more$") as refused:
        hosts.find_run("mnist__log__C=10__sgd")
    assert keys[100000] not in str(refused.value), "the nearest come first"
    third = fake_runs.write(results.runs(), algorithm="lbfgs", seed=3).folder
    third.with_name(f"{third.name}{unfinished.SUFFIX}").mkdir()  # it is being made again
    third.with_name(f".{third.name}.lock").touch()
    begun = "mnist__log__C=10__lbfgs"  # it names the algorithm, and begins one key alone
    assert hosts.find_run(begun).spec.seed == hosts.find_run(f"{begun}__passes").spec.seed == 3
    for name in ("x" * 5000, f"near:{mine.key}", f"far:{mine.key}x"):
        with pytest.raises(UserError, match="there is no run"):
            hosts.find_run(name)
