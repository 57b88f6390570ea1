"""Runs of other machines of one type of CPU count where this machine has none; their seconds do not."""

import itertools
import json
from math import isnan

import pytest

from structbench.bench.drawing import best, draw, style
from structbench.bench.papers import judging
from structbench.bench.papers.claim_rows import Part, Row
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.judging import Claim
from structbench.bench.runs import hosts, machine, merged, results, store
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import parse
from structbench.bench.verbs import named
from structbench.bench.workflow import config
from tests.bench import fake_runs

OURS, OTHER = "Some CPU @ 3 GHz", "Another CPU @ 2 GHz"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    return tmp_path


def ours(**given):
    return parse(fake_runs.write(results.runs(), **given).key)


def theirs(host="far", cpu=OURS, is_certified=True, loaded=None, **given):
    run = fake_runs.write(hosts.runs(host), host=host, machine={"cpu": cpu, "loaded": loaded or {}}, **given)
    if is_certified:
        store.amend(run, {merged.CHECKED: run.summary["test_error"]})
    return parse(run.key)


def counted(*specs):
    return [run.folder.parent.parent.name for run in Runs().joined(specs).present([*specs])]


def test_a_merged_run_counts_where_this_machine_has_none(folder):
    here, both = ours(C=1.0), ours(C=2.0)
    theirs(C=2.0)
    there = theirs(C=10.0)
    assert counted(here, both, there) == [folder.name, folder.name, "far"]
    assert Runs()[there] is None and Runs(folder / "runs2").joined([there])[there] is None


@pytest.mark.parametrize(
    "given", [{"cpu": OTHER}, {"is_certified": False}, {"code": "c0de"}, {"loaded": {"/home/b/mylib.py": "c0de"}}]
)
def test_it_does_not_if_it_is_of_another_cpu_or_not_certified_or_stale_or_loaded_files_beside_its_programs(
    folder, given
):
    assert counted(ours(C=1.0), theirs(C=10.0, **given)) == [folder.name]


def test_it_does_not_if_the_runs_of_this_machine_are_of_several_types(folder):
    mixed = [ours(C=1.0), ours(C=2.0, machine={"cpu": OTHER})]
    assert counted(*mixed, theirs(C=10.0)) == [folder.name, folder.name]


def test_of_merged_runs_alone_those_of_the_most_frequent_cpu_count():
    specs = [theirs("a", OTHER, C=1.0), theirs("b", C=2.0), theirs("c", C=3.0)]
    assert counted(*specs) == ["b", "c"]


@pytest.mark.parametrize(("clock", "verdict"), [("passes", "reproduced"), ("cpu_seconds", "open")])
@pytest.mark.parametrize("has_ours", [True, False])
def test_claims_read_them_but_not_their_seconds(clock, verdict, has_ours):
    specs = [ours(C=1.0) if has_ours else theirs(C=1.0), theirs(C=10.0)]

    def measure(part, runs):
        last = sum(float(runs.finished(spec).curve[clock].iloc[-1]) for spec in specs)
        return [Evidence({}, last, "value", low=last, high=last, source="exact")]

    row = Row("x", "Figure 1", "It is.", (Part("measure", "it is {}"),))
    (judged,) = judging.judge([Claim("eg2008/x", row, measure, specs, [])], Runs())
    assert judged.verdict == verdict


@pytest.mark.parametrize(("label", "shown"), [("passes", 2), ("CPU seconds", 1)])
def test_figures_show_them_unless_they_show_seconds(folder, label, shown):
    specs = [ours(C=1.0), theirs(C=10.0)]

    def drawn(runs):
        figure, ((axes,),) = style.panels(1, 1)
        axes.set_xlabel(label)
        style.line(axes, runs.present(specs), "gap", "passes")
        return figure

    (sidecar,) = draw.draw_figures("paper", {"fig": draw.Figure("", "", drawn)}, Runs(), folder / "figures")
    said = json.loads(sidecar.read_text())
    assert (len(said["runs"]), len(said["missing"])) == (shown, 2 - shown)
    assert ("1 run of these came from other machines" in said["caption"]) == (shown == 2)


def test_best_has_means_over_all_seeds_of_errors_and_over_ours_of_seconds():
    specs = [ours(seed=0), ours(seed=1), theirs(seed=2, checkpoints=30)]
    before = best.best(specs[:2], Runs())
    found = best.best(specs, Runs())
    (row,), (former,) = found.tables[0].rows, before.tables[0].rows
    assert (row.seeds, former.seeds, found.missing) == (3, 2, 0)
    assert row.mean("seconds") == former.mean("seconds") and row.spread("seconds") == former.spread("seconds")
    assert len(row.values["seconds"]) == 2
    assert found.answers == before.answers


def a_config(timed=False):
    grid = {"name": "mine", "data": ["mnist"], "C": [1, 10], "algorithms": {"eg": {}}, "passes": 60}
    grid |= {"timed": timed, "figures": ["error-passes"]}
    return config.config_of({"name": "mine", "scale": "tiny", "figures": [], "grids": [grid]})


def test_the_workflow_makes_them_again_if_seconds_are_read_or_another_cpu_makes_the_rest(monkeypatch):
    there = theirs(C=10.0)
    monkeypatch.setattr(machine, "facts", lambda: {"cpu": OTHER})
    assert there not in a_config().finished and len(a_config().batches) == 1, "C = 1 would be made on another CPU"
    assert a_config().found(there).reason == merged.OTHER_CPU
    monkeypatch.setattr(machine, "facts", lambda: {"cpu": OURS})
    assert [*a_config().finished] == [there] and not a_config(timed=True).finished
    told = "merged, but its seconds are needed: a grid with `timed: false` takes it"
    assert a_config(timed=True).found(there).reason == told
    ours(C=1.0)
    monkeypatch.setattr(machine, "facts", lambda: {"cpu": OTHER})
    assert len(a_config().finished) == 2 and not a_config().batches, "nothing is left to be made"


def test_a_figure_of_merged_runs_of_one_machine_has_no_seconds_whatever_its_labels_say(folder):
    spec, seen = theirs(C=10.0), []

    def drawn(runs):
        figure, ((axes,),) = style.panels(1, 1)
        axes.set_xlabel("times as fast")
        seen[:] = [float(run.curve["cpu_seconds"].iloc[-1]) for run in runs.present([spec])]
        return figure

    draw.draw_figures("paper", {"fig": draw.Figure("", "", drawn)}, Runs(), folder / "figures")
    assert len(seen) == 1 and isnan(seen[0])


def test_the_best_run_of_a_config_may_be_a_merged_one(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text(
        "scale: tiny\ngrids: [{name: g, data: [mnist], C: [10], algorithms: {eg: {}}, passes: 60, timed: false}]\n"
    )
    ours(order="cyclic")  # whose key begins as that of the merged one
    theirs()
    assert named.run_named("mine.yaml").folder.is_relative_to(results.hosts())


def test_of_several_data_sets_and_seeds_a_run_is_named_by_its_number(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    grid = "{name: g, data: [mnist, ocr], C: [10], algorithms: {eg: {}}, passes: 60, seeds: [0, 1]}"
    (tmp_path / "mine.yaml").write_text(f"scale: tiny\ngrids: [{grid}]\n")
    for data, seed in itertools.product(("mnist", "ocr"), (0, 1)):
        ours(data=data, seed=seed)
    found = [named.run_named(f"mine.yaml:{number}").spec for number in (1, 2)]
    assert [spec.data.name for spec in found] == ["mnist", "ocr"]
    assert [run.spec for run in named.runs_named(["mine.yaml:1", "mine.yaml:2"])] == found
