"""Own runs beside published ones of the same problem: plot, compare, best and the explorer."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import curves
from structbench.bench.report import explorer, published, published_runs
from structbench.bench.runs import results, state, store
from tests.bench import fake_runs
from tests.bench.verbs.conftest import MINE

PROBLEM = {"data_sha256": "0f8bc60f0c37" + 52 * "0"}  # the published one, of which tables have twelve digits
CPU = {"cpu": published.published_rows(published_runs.RESULTS / "eg2008")[0]["cpu"]}


N = 86_018  # with it the optimum of made-up curves is near that of the problem


@pytest.fixture
def own(bench, monkeypatch):
    """Makes up an own run on ocr, log loss, C = 10, between whose values the optimum lies."""
    monkeypatch.setitem(fake_runs.EXAMPLES, "ocr", N)

    def make(**machine):
        return fake_runs.write(results.runs(), data="ocr", passes=10.0, machine=PROBLEM | machine)

    return make


@pytest.fixture
def run(own):
    return own()


def test_published_runs_are_those_of_the_same_arrays_loss_penalty_and_C(run, own):
    found = published_runs.published_beside([run], "all")
    assert {each.paper for each in found.runs} == {"eg2008", "methods"}
    assert {(each.spec.data.text, each.spec.loss, each.spec.C) for each in found.runs} == {("ocr", "log", 10.0)}
    assert {each.paper for each in published_runs.published_beside([run], "eg2008").runs} == {"eg2008"}
    with pytest.raises(UserError, match="no run that klein2011 published has the problem"):
        published_runs.published_beside([run], "klein2011")
    with pytest.raises(UserError, match="--published 'eg208': did you mean 'eg2008'"):
        published_runs.published_beside([run], "eg208")
    with pytest.raises(UserError, match="no run that a paper published has the problem"):
        published_runs.published_beside([own(data_sha256=64 * "e")], "all")


def test_a_distance_of_all_of_an_objective_is_no_warning(run):
    first = published_runs.published_beside([run], "eg2008").runs[0]
    far = {name: np.repeat(first.points[name][-1:], 2) for name in first.points}
    (found,) = published_runs._with_distances([replace(first, points=far | {"distance": np.array([1.0, 0.5])})])
    assert found.points["primal"].tolist() == far["primal"].tolist()


def test_curves_end_as_the_table_says_and_distances_are_those_of_the_explorer(run):
    rows = {row["run"]: row for row in published.published_rows(published_runs.RESULTS / "eg2008")}
    kept = dict(published_runs.curves_in(published_runs.RESULTS / "eg2008"))
    with_curves = [each for each in published_runs.published_beside([run], "eg2008").runs if each.has_curve]
    bound = max(each.summary["dual"] for each in with_curves)
    assert len(with_curves) > 5
    for each in with_curves:
        assert f"{each.curve['primal'].iloc[-1]:.8g}" == rows[each.key]["primal"]
        assert (np.diff(each.curve["passes"]) >= 0).all() and each.columns(["C"])["C"][0] == 10.0
        ours, theirs = curves.distance(each.curve, bound)[:-1], kept[each.key]["distance"][:-1]
        known = np.isfinite(ours) & np.isfinite(theirs) & (theirs > 1e-6)
        assert known.sum() > 5 and np.allclose(ours[known], theirs[known], rtol=2e-3)


def test_seconds_count_of_the_same_type_of_cpu_alone(run, own):
    other = published_runs.published_beside([run], "eg2008")
    assert other.of_other_cpus == len(other.runs) and np.isnan(other.runs[0].curve["cpu_seconds"]).all()
    assert "passes compare, seconds do not" in other.said[-1]
    same = published_runs.published_beside([own(**CPU)], "eg2008")
    assert not same.of_other_cpus and (same.runs[0].curve["cpu_seconds"].to_numpy()[1:] > 0).all()


@pytest.mark.parametrize(("machine", "axis"), [({}, "passes"), (CPU, "CPU seconds")])
def test_plot_draws_them_against_seconds_only_if_these_compare(bench, own, machine, axis):
    run = own(**machine)
    words = ("plot", run.key, "--published", "eg2008", "--y", "distance", "--x", "seconds", "--out", "a.svg")
    code, _, said = bench(*words)
    assert code == 0 and ("passes compare" in said) == (axis == "passes")
    with open("a.svg") as file:
        text = re.sub(r"<[^>]*>", "", file.read().replace("<!--", "").replace("-->", ""))
    assert axis in text and "L-BFGS (eg2008)" in text


def test_plot_says_once_that_an_algorithm_is_unknown(bench, run, monkeypatch):
    def unknown(run):
        raise UserError("unknown algorithm 'my-steps': add --with mine")

    monkeypatch.setattr(state, "spec_of", unknown)
    code, _, said = bench("plot", run.key, "--published", "eg2008", "--y", "gap", "--out", "a.svg")
    assert (code, said) == (2, "error: unknown algorithm 'my-steps': add --with mine\n")


def test_compare_ranks_the_own_run_among_them(bench, run):
    code, out, said = bench("compare", run.key, "--published", "--json")
    rows = json.loads(out)
    assert code == 0 and [row["of"] for row in rows].count("yours") == 1 and len(rows) > 15
    (mine,) = [row for row in rows if row["of"] == "yours"]
    assert 0 < mine["passes_to_0.1"] < 10 and mine["distance"] < 0.05 and "types of CPU" in said
    assert {row["cpu_seconds_to_0.001"] for row in rows if row["of"] != "yours"} <= {None}
    levels = [row["passes_to_0.0001"] for row in rows if row["passes_to_0.0001"] is not None]
    assert levels == sorted(levels) and len(levels) > 5
    assert "cpu seconds to 0.001" in bench("compare", run.key, "--published", "methods")[1]
    table = bench("compare", run.key, "--published")[1]
    assert not re.search(r"[1-9]\.\d{3,}", table), "passes between checkpoints have three digits"
    assert bench("compare", run.key)[0] == bench("compare", run.key, run.key, "--published")[0] == 2


def test_best_ranks_published_methods_and_names_their_papers(bench, run):
    Path("config/near.yaml").write_text(MINE.replace("passes: 60", "passes: 10"))
    code, out, said = bench("best", "near", "--data", "ocr", "--published", "eg2008", "--by", "distance")
    assert code == 0 and "L-BFGS (eg2008)" in out and "types of CPU" in said
    rows = [line.split("  ")[0] for line in out.splitlines()]
    assert [row for row in rows if row.startswith("EG") and not row.endswith(")")], "the own run has no paper"
    assert f"predict {run.key} FILE" in bench("best", "near", "--data", "ocr", "--published")[1]
    store.amend(run, {"test_error": 0.5})
    assert "Label new examples" not in bench("best", "near", "--data", "ocr", "--published")[1]


def test_the_explorer_names_the_paper_and_keeps_the_machine(run):
    beside = published_runs.published_beside([run], "eg2008", with_seconds=True)
    data, unreadable = explorer.contents([run, *beside.runs])
    assert not unreadable and len(data["problems"]) == 1 and len(data["runs"]) == len(beside.runs) + 1
    assert ("L-BFGS", "published in eg2008") in data["variants"] and ("EG", "") in data["variants"]
    assert len(data["hosts"]) == 2 and not beside.of_other_cpus
