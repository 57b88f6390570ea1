"""The table of contests: ours over theirs from invented runs with known numbers, and what is said of the runs."""

import json
import math
import threading
from typing import Any

import pandas as pd
import pytest

from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.measure import outcomes
from structbench.bench.measure.compared import Outcome, Side
from structbench.bench.measure.quantities import QUANTITIES
from structbench.bench.report import answers, performance
from structbench.bench.runs import algorithm_module, catalogue, execute, problem_store, results, store
from structbench.bench.runs.spec import make
from structbench.bench.workflow import config
from tests.bench import synthetic_curves
from tests.bench.measure.invented import GRID, checked, fill, outcome
from tests.narrowing import fake, not_none


def provenance(run, **facts):
    return store.amend(run, {"provenance": run.summary["provenance"] | facts})


@pytest.mark.parametrize(("at_most", "met"), [(0.41, True), (0.39, False)])
def test_seconds_a_pass_are_medians_and_the_ratio_has_its_spread(folder, at_most, met):
    made = fill(folder)
    found = outcome(quantity="pass-seconds", at_most=at_most)
    ours = not_none(found.ours)
    assert ours.values == pytest.approx((0.1, 0.2, 0.4)) and ours.middle == pytest.approx(0.2)
    assert found.ratio == pytest.approx((0.4, 0.1 / 0.8, 0.4 / 0.4))
    assert found.is_met is met and found.notes == ()
    assert found.runs == {spec.key: "" for spec in made}
    there = not_none(found.made)
    assert (there.machine, there.commits) == ("Some CPU, unknown cores", ("0123456",))
    assert found.row["ours"] == "EG, order gap: 0.2 s (0.1 to 0.4 s)"
    assert found.row["ratio"] == "0.4 x (0.125 to 1)"


def test_seconds_of_disturbed_runs_and_of_other_machines_do_not_count_and_it_is_said(folder):
    made = [*fill(folder).values()]
    ours = [run for run in made if run.spec.algorithm == "eg"]
    store.amend(ours[0], {"wall_seconds": 3.0, "cpu_seconds": 1.0})
    provenance(ours[1], host="there")
    provenance(ours[2], alone=None)
    found = outcome(quantity="pass-seconds", at_most=1)
    assert not found.ours.values and found.ratio is None and found.is_met is None
    assert sorted(found.notes) == [
        "1 left out: it took 3 s, of which it computed 1",
        "1 left out: it was made on another machine, or with other versions",
        "1 left out: it was not timed alone",
    ]
    assert found.row["ours"] == "EG, order gap: missing" and found.row["theirs"].startswith("scikit-learn")
    assert len(not_none(outcome(quantity="gap-passes", level=0.1).ours).values) == 3


def test_a_seed_that_does_not_reach_the_level_spoils_no_number_of_those_that_do():
    contest, numbers = fake(quantity="gap-seconds"), {"a": 5.0, "b": 6.0, "c": math.inf}
    ends = {"a": 5.1, "b": 6.1, "c": 100.0}
    side: Any = {"lbfgs": ["a", "b", "c"]}
    theirs = outcomes._best(side, contest, fake(**numbers).__dict__, fake(**ends).__dict__)
    ours = Side("eg", (3.0, 3.0, 3.0))
    found = Outcome("p", "seconds", "gap-seconds", ours, theirs, at_most=0.55)
    assert theirs.given == 100 and found.ratio == (0.5, 0.03, 0.6) and found.is_met


def test_a_ratio_that_is_less_than_a_number_is_not_known_to_be_at_least_another():
    ours, theirs = Side("eg", (10.0,)), Side("lbfgs", (math.inf,), 10.5)
    for limits, met in (((0.9, 1.1), None), ((0.99, None), False), ((None, 1.1), True)):
        found = Outcome("p", "seconds", "gap-seconds", ours, theirs, *limits)
        assert found.row["ratio"] == "under 0.952 x" and found.is_met is met, limits


def test_quantities_are_read_off_a_run_each_in_its_unit():
    curve = pd.DataFrame({"passes": [0, 0.5, 1, 2, 4], "cpu_seconds": [0, 9, 10, 12, 16]})
    curve["visits"] = [0, 1, 2, 4, 9]
    said = {"primal": 3.0, "dual": 2.0, "test_seconds": 0.5, "test_f1": 0.9, "peak_memory": 1.5e9}
    said |= {"test_error": 0.07, "train_error": 0.01}
    run = fake(curve=curve, summary=said)
    names = ("pass-seconds", "primal", "prediction-seconds", "test-error", "test-f1", "memory")
    read = {name: QUANTITIES[name].read(run, "cpu_seconds", 0, 0) for name in names}
    found = [QUANTITIES[name].written(not_none(value)) for name, value in read.items()]
    assert found == ["2 s", "3", "0.5 s", "7.00 %", "90.00 %", "1.50 GB"]


def test_runs_of_earlier_programs_count_and_are_marked_those_of_other_settings_do_not(folder, monkeypatch):
    for spec, run in fill(folder).items():
        if spec.seed == 1:
            provenance(run, code_sha256="0" * 64)
        elif spec.algorithm == "sklearn":
            provenance(run, settings={"NUMBA_OPT": "0"})
    found = outcome(quantity="pass-seconds", at_most=1)
    other = "2 left out: it is of other settings of numba: NUMBA_OPT=0, not none"
    assert found.notes == (other, "2 stale: it is of other programs")
    assert {key.endswith("seed=1"): why for key, why in found.runs.items()} == {
        True: "it is of other programs",
        False: "",
    }
    assert found.is_met and len(not_none(found.theirs).values) == 1
    monkeypatch.setattr(problem_store, "fingerprint", lambda *data: "cd" * 32)
    assert "6 left out: it is of other data" in outcome(quantity="pass-seconds").notes


def test_a_distance_is_bounded_by_the_best_dual_of_the_grid_and_a_rival_may_not_reach_it(folder):
    """EG comes within 1e-3 of the optimum, of which the other EG's dual tells; saga's primal stays 1 % above."""
    fill(folder, (0.1,) * 3, (0.5,) * 3, of_eg={"dual": 0.0}, of_sklearn={"floor": 0.02, "dual": 0.0})
    row = {"quantity": "distance-seconds", "level": 1e-3, "at_most": 0.2}
    assert not_none(outcome(**row).ours).middle == float("inf")  # no dual value tells
    told = make("mnist", "log", 10, "eg", passes=20)
    synthetic_curves.write(folder, told, rate=5.0)
    found = outcome(**row)
    # the gap is 10 exp(-t): half of it is 1e-3 after log(5000) passes
    assert not_none(found.ours).middle == pytest.approx(0.1 * 8.517, rel=0.02)
    theirs = not_none(found.theirs)
    assert theirs.middle == float("inf") and theirs.given == pytest.approx(0.5 * 20)
    assert found.is_met and found.row["ratio"].startswith("under 0.085")
    assert found.row["theirs"] == "scikit-learn: over 10 s"
    assert outcome(quantity="gap-passes", level=1e-3).row["ours"] == "EG, order gap: over 20.0 passes"


def test_without_rivals_each_method_has_a_row_and_a_limit_from_below_wants_the_greatest(folder):
    for spec, run in fill(folder).items():
        value = 0.9 if spec.algorithm == "eg" else 0.95
        store.amend(run, {"test_f1": value, "peak_memory": 2e9 if spec.seed else None})
    rows = [outcomes.outcome_of(one) for one in checked({"ours": ["eg:order=gap", "sklearn"], "quantity": "memory",
                                                   "at_most": 1.9e9}).contests]  # fmt: skip
    assert [(each.row["ours"], each.row["target"], each.is_met) for each in rows] == [
        ("EG, order gap: 2.00 GB (2.00 to 2.00 GB)", "at most 1.90 GB", False),
        ("scikit-learn: 2.00 GB (2.00 to 2.00 GB)", "at most 1.90 GB", False),
    ]
    same = outcome(ours=["eg"], theirs=["eg"], quantity="test-f1", at_least=1, at_most=1)
    assert same.is_met and same.row["what"] == "test F1, mnist, log loss, C = 10"
    best = outcome(ours=["eg", "sklearn"], theirs=["eg"], quantity="test-f1", at_least=1.05)
    assert not_none(best.ours).method == "scikit-learn" and best.is_met
    assert not_none(best.ratio)[0] == pytest.approx(0.95 / 0.9)


def test_the_verb_says_what_is_missing_and_writes_the_page(folder, tmp_path, monkeypatch, capsys):
    fill(folder)
    rows = [{"ours": "eg:order=gap", "theirs": "sklearn", "quantity": "pass-seconds", "at_most": 1},
            {"part": "q", "ours": "eg", "quantity": "test-error"}]  # fmt: skip
    given = {"grids": [GRID], "contests": [{"part": "p", "grid": "mine"} | row for row in rows]}
    (tmp_path / "x.yaml").write_text(json.dumps(given))
    monkeypatch.chdir(tmp_path)
    words = ["measure", "--config", "x.yaml"]
    assert main([*words, "p", "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)
    assert said["ours"]["method"] == "EG, order gap" and said["ours"]["values"] == pytest.approx([0.1, 0.2, 0.4])
    assert said["met"] is True and said["ratio"][0] == pytest.approx(0.4) and len(said["runs"]) == 6
    assert main(words) == 0  # a row without a target may lack its runs
    assert "3 missing: it was not made yet" in capsys.readouterr().out.replace("\n", " ")
    for folder_of_pages in ("reference", "results"):
        (tmp_path / "docs" / folder_of_pages).mkdir(parents=True)
    assert main([*words, "p", "--page"]) != 0 and not performance.PAGE.exists()  # as `publish`
    assert "cannot publish 6 of 6 runs: the commit 0123456" in " ".join(capsys.readouterr().err.split())
    monkeypatch.setattr("structbench.bench.report.history.outside_history", lambda commits: {})
    main([*words, "p", "--page"])
    text = performance.PAGE.read_text()
    row = (
        "| mnist, log loss, C = 10 | EG, order gap: 0.2 s | scikit-learn: 0.5 s | 0.4 x (0.125 to 1) | at most 1 x"
    )
    assert "## CPU seconds a pass after the first\n" in text and row in text and "## Test error" not in text
    assert "- Some CPU, unknown cores: 1 comparisons, commits `0123456`, loads of up to " in text
    assert "Not measured yet: 2 comparisons" in text
    (kept,) = performance.kept(answers.RESULTS).contests
    assert kept.ratio == pytest.approx(said["ratio"]) and kept.runs == {}
    main([*words, "q", "--page"])  # the other part stays
    assert performance.PAGE.read_text() == text == performance.page(answers.RESULTS)
    for key in [key for key in said["runs"] if "sklearn" in key]:
        (folder / key).rename(tmp_path / key)
    assert main([*words, "p"]) == 1


def test_runs_of_a_small_grid_give_a_table(tmp_path, monkeypatch):
    """From the config to the row, with real runs."""
    row = {"ours": ["eg"], "theirs": ["sgd"], "quantity": "pass-seconds", "at_most": 1e6}
    small = {"data": ["toy-english:sentences=20,test_sentences=10"], "passes": 4, "gap": 0, "repeat": True}
    whole = checked(row, algorithms={"eg": {}, "sgd": {"eta0": [0.1]}}, **small)
    failed = []
    only = [threading.current_thread()]  # tests before this one may leave threads, which would disturb each run
    monkeypatch.setattr(threading, "enumerate", lambda: only)
    execute.run_all(
        whole.specs, results.runs(), lambda spec, run, why: failed.append(why), lambda *_: None, alone=True
    )
    (found,) = map(outcomes.outcome_of, whole.contests)
    assert not any(failed) and found.is_met
    assert len(not_none(found.ours).values) == len(not_none(found.theirs).values) == 3
    assert not_none(found.made).load >= 0 and {"numba", "numpy"} <= not_none(found.made).versions.keys()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"grid": "mime"}, "contest 'p': unknown grid 'mime': did you mean 'mine'?"),
        ({"against": "other"}, "contest 'p': unknown grid 'other'"),
        ({"theirs": ["lbfgs"]}, "grid 'mine' has no method 'lbfgs': .*it has eg, eg:order=gap, sklearn"),
        ({"quantity": "gap-seconds"}, "gap-seconds needs a level, such as 1e-3"),
        ({"at_least": 1, "at_most": 0.5}, "at_most must be 1 or more, the value of at_least, not 0.5"),
        ({"quantity": "speed"}, "must be one of pass-seconds, .*, not 'speed'"),
    ],
)  # fmt: skip
def test_a_wrong_contest_is_refused_with_the_config(row, said):
    with pytest.raises(UserError, match=said):
        checked({"ours": ["eg"], "quantity": "primal"} | row)


def test_methods_without_a_loss_meet_those_of_the_same_data_on_each_of_their_problems():
    rows = {"ours": ["perceptron"], "theirs": ["eg"], "quantity": "test-error"}
    found = checked(rows, algorithms={"eg": {}, "perceptron": {}}, C=[1, 10]).contests
    assert [len(each.theirs["EG"]) for each in found] == [6]
    assert outcomes.outcome_of(found[0]).row["what"] == "test error, mnist"
    found = checked(rows, algorithms={"eg": {}, "perceptron": {}}, data=["mnist", "ocr"]).contests
    assert [{spec.data.text for spec in each.theirs["EG"]} for each in found] == [{"mnist"}, {"ocr"}]
    reverse = rows | {"ours": ["eg"], "theirs": ["perceptron"]}
    found = checked(reverse, algorithms={"eg": {}, "perceptron": {}}, C=[1, 10]).contests
    assert [each.problem[4] for each in found] == [1, 10]
    apart = rows | {"ours": ["smo"], "theirs": ["sgd"]}
    with pytest.raises(UserError, match="ours and theirs have no problem in common"):
        checked(apart, algorithms={"smo": {}, "sgd": {}}, loss=["log", "hinge"])


def test_the_projects_own_contests_time_every_peer_and_each_contender():
    whole = config.read_config("config/measure.yaml")
    compared = {spec for each in whole.contests for side in (each.ours, each.theirs) for specs in side.values()
                for spec in specs}  # fmt: skip
    boxes = (name for name in catalogue.algorithms() if algorithm_module.declaration(name).black_box)
    peers = {name for name in boxes if declaration.NO_LOSS not in catalogue.losses(name)}
    assert {spec.algorithm for spec in compared} >= peers == {"crfsuite", "cyanure", "liblinear", "sklearn"}
    contenders = {name for name in catalogue.algorithms() if algorithm_module.declaration(name).settings.contests}
    ours = {spec for each in whole.contests for specs in each.ours.values() for spec in specs}
    assert {spec.algorithm for spec in ours} >= contenders
    assert {each.quantity for each in whole.contests} <= {*QUANTITIES}
    timed = [each for each in whole.contests if QUANTITIES[each.quantity].timed]
    assert all(spec in whole.timed for each in timed for specs in each.ours.values() for spec in specs)


def test_parts_without_runs_keep_what_is_published(tmp_path, folder, monkeypatch, capsys):
    fill(folder)
    row = {"quantity": "pass-seconds", "at_most": 1}
    known = outcome(**row)
    performance.keep(tmp_path, [known], ["p"])
    assert len(performance.kept(tmp_path).contests) == 1
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "elsewhere"))
    performance.keep(tmp_path, [outcome(**row)], ["p"])
    assert len(performance.kept(tmp_path).contests) == 1
    monkeypatch.chdir(tmp_path)
    assert main(["measure", "--page"]) == 2
    assert "there is no docs/results here" in capsys.readouterr().err and not (tmp_path / "docs").exists()
    (tmp_path / "docs" / "results").mkdir(parents=True)
    assert main(["measure", "--page"]) == 2
    assert "is finished: no page is written" in capsys.readouterr().err
