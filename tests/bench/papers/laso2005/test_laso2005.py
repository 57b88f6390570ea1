"""Runs, figures and tables of laso2005: what each scale runs, and what is chosen on held-out sentences."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from structbench import datasets
from structbench.bench.papers import laso2005
from structbench.bench.papers.laso2005 import figures
from structbench.bench.papers.laso2005 import scores as laso2005_read
from structbench.bench.papers.laso2005.runs import (
    CHUNKING,
    JOINT,
    PERCEPTRON,
    SEMI_CRF,
    WAYS,
    WAYS_OF,
    Task,
    laso,
    matrix,
)
from structbench.bench.papers.laso2005.scores import Trained
from tests.bench.papers.helpers import drawn, shown
from tests.bench.papers.laso2005.laso2005_runs import (
    MATRIX,
    ONE,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    family,
    finished,
    told,
)
from tests.bench.synthetic_curves import of, put
from tests.narrowing import not_none

P1, P10, A5 = laso("perceptron", 1), laso("perceptron", 10), laso("alma", 5)


def task(scale: str) -> Task:
    return not_none(laso2005.task(scale))


@pytest.mark.parametrize("scale", ["tiny", "quick", "paper"])
def test_choices_are_made_without_the_test_sentences(scale: str) -> None:
    families = laso2005.runs_of(scale)
    for kind in (CHUNKING, JOINT):
        listed = families[f"laso2005/{kind}"]
        tuned, tested = (
            [spec for spec in listed if ("tune" in spec.data.options) == tune] for tune in (True, False)
        )
        assert len(tuned) > 10
        assert not any("test_sentences" in spec.data.options for spec in tuned)
        data = {task(scale).problem(kind, tune) for tune in (True, False)}
        assert {spec.data for spec in listed} == set(map(datasets.data_ref, data))
        # otherwise the two are the same, but for seeds that do not choose, and ways for which others choose
        of_data = [{replace(s, data=datasets.IN_MEMORY) for s in some} for some in (tuned, tested)]
        assert of_data[0] < of_data[1] if kind == CHUNKING or scale == "paper" else of_data[0] == of_data[1]
    for name in ("decoding", "theorem4"):
        assert not any("tune" in spec.data.options for spec in families[f"laso2005/{name}"])


def test_the_papers_experiments() -> None:
    families = laso2005.runs_of("paper")
    assert {spec.data.text for spec in families["laso2005/decoding"]} == {"conll2000:task=joint"}
    beams = [(dict(s.params)["beam"], dict(s.params)["decode"]) for s in families["laso2005/decoding"]]
    made = sorted((train, train if test == "same" else test) for train, test in beams)
    assert made == sorted([cell for cell in MATRIX if cell[0] != cell[1]] * 5)  # five seeds
    paper = task("paper")
    for beam in paper.matrix:  # three seeds more where F is set against a published one
        made = paper.specs(laso("alma", beam), JOINT)
        assert (matrix(paper)[beam, beam], [spec.seed for spec in made]) == (made[:5], [*range(8)])
        assert len(paper.specs(laso("perceptron", beam), JOINT)) == 5
    timed = {(dict(spec.params).get("alpha"), spec.algorithm, spec.seed) for spec in laso2005.timed_of("paper")}
    assert {(0.9, "laso", 4), (None, "perceptron", 4), (None, "eg", 0)} <= timed
    assert not {alpha for alpha, *_ in timed} - {0.9, None}  # no seconds are shown of other alphas
    assert "early-update" not in {algorithm for _, algorithm, _ in timed}
    assert {spec.data.text for spec in laso2005.timed_of("paper")} == {"conll2000:task=segments"}
    assert {spec.passes for spec in families["laso2005/decoding"]} == {3.0}
    assert {dict(s.params)["update"] for s in families["laso2005/decoding"]} == {"alma"}
    names = [way.name for way in WAYS_OF[CHUNKING]]
    assert len(names) == len(set(names)) and set(told(TABLE_1)) - {"ZDJ02"} <= set(names)
    assert set(told(TABLE_2)) - {"Sutton"} <= {way.name for way in WAYS_OF[JOINT]}


def trained(held: dict[float, float], full: dict[float, float], **look: Any) -> Trained:
    tune, test = ONE.all_of(P1, CHUNKING)
    return Trained(ONE, of(finished(tune, held), finished(test, full, **look)), P1, CHUNKING)


def test_passes_are_those_of_greatest_f1_on_held_out_sentences() -> None:
    held = {0.0: 95.0, 1.0: 80.0, 1.5: 99.0, 2.0: 86.0, 3.0: 88.0, 4.0: 87.0, 5.0: 85.0, 6.0: 88.0}
    full = {0.0: 0.0, 1.0: 70.0, 2.0: 72.0, 2.5: 98.0, 3.0: 73.0, 4.0: 74.0, 5.0: 75.0, 6.0: 79.0}
    found = trained(held, full, seconds=2.0)
    assert found.choice == (3, None)  # of equal ones the first
    shares = [found.mean(f"test_{name}") for name in ("f1", "precision", "recall", "error", "tag_error")]
    assert shares == pytest.approx([0.73, 0.9 * 0.73, 0.8 * 0.73, 0.27, 0.9 * 0.27])
    assert (found.mean("cpu_seconds"), found.mean("test_seconds")) == pytest.approx((6.0, 0.5))


def test_a_run_that_ended_keeps_its_last_value() -> None:
    held = {0.0: 0.0, 1.0: 80.0, 2.0: 81.0, 3.0: 82.0, 4.0: 83.0, 5.0: 84.0, 6.0: 85.0}
    full = {0.0: 0.0, 1.0: 70.0, 2.0: 72.0, 3.0: 71.0}
    found = trained(held, full, status="stalled", seconds=2.0)
    assert not_none(found.choice).passes == 6 and found.mean("cpu_seconds") == pytest.approx(6.0)
    assert found.mean("test_f1") == pytest.approx(0.71)
    assert trained(held, full | {3.25: 77.0}, status="stalled").mean("test_f1") == pytest.approx(0.77)
    assert (
        not_none(trained(full | {3.25: 77.0}, held).choice).passes == 4
    )  # 3.25 counts from the end of the fourth on
    assert not_none(trained(full, held).choice).passes == 2
    (spec,) = ONE.specs(P1, CHUNKING)
    run = finished(spec, {0.0: 1.0, 0.5: 2.0, 1.0: 3.0, 1.7: 4.0, 2.0: 5.0, 2.3: 6.0})
    assert laso2005_read.f1_by_pass([run], 4) == pytest.approx([0.03, 0.05, 0.06, 0.06])
    assert laso2005_read.f1_by_pass([finished(spec, {0.0: 1.0, 0.5: 2.0})], 2) == pytest.approx([0.02, 0.02])


def test_the_c_of_the_semicrf_is_that_of_greatest_f1_on_held_out_sentences() -> None:
    held = dict(zip(SEMI_CRF.Cs, (79.0, 80.0, 82.0, 83.0, 81.0), strict=True))
    full = dict(zip(SEMI_CRF.Cs, (80.0, 79.0, 78.0, 75.0, 77.0), strict=True))
    made = []
    for C in SEMI_CRF.Cs:
        (tune,), (test,) = (ONE.specs(SEMI_CRF, CHUNKING, C, tune) for tune in (True, False))
        made += [finished(tune, {0.0: 0.0, 1.0: 99.0, 2.4: held[C]}), finished(test, {0.0: 0.0, 3.6: full[C]})]
    found = Trained(ONE, of(*made), SEMI_CRF, CHUNKING)
    assert not_none(found.choice).C == 4.0
    assert (found.mean("test_f1"), found.mean("cpu_seconds")) == pytest.approx((0.75, 3.6))
    some = of(*made[:6], made[6], made[9])  # of 4 and of 8 only one of the two
    assert not_none(Trained(ONE, some, SEMI_CRF, CHUNKING).choice).C == 2.0
    assert Trained(ONE, of(), SEMI_CRF, CHUNKING).choice is None


def test_a_score_is_a_mean_over_seeds_at_one_number_of_passes() -> None:
    task = replace(ONE, passes=2, seeds=(0, 1))
    tune, test = (task.specs(P1, CHUNKING, tune=tune) for tune in (True, False))
    ends = (80.0, 86.0), (85.0, 80.0), (70.0, 72.0), (60.0, 66.0)
    each = zip((*tune, *test), ends, strict=True)
    made = [finished(spec, {0.0: 0.0, 1.0: first, 2.0: second}) for spec, (first, second) in each]
    found = Trained(task, of(*made), P1, CHUNKING)
    assert not_none(found.choice).passes == 2 and found.mean("test_f1") == pytest.approx(
        0.69
    )  # held out: 83 and 82.5
    for k in range(4):
        assert Trained(task, of(*made[:k], *made[k + 1 :]), P1, CHUNKING).choice is None
    assert laso2005_read.f1_after(of(*made), test, 2) == pytest.approx(0.69)
    assert laso2005_read.f1_after(of(*made), test, 1) == pytest.approx(0.65)


def test_the_first_prediction_of_a_run_is_not_timed() -> None:
    """It reads what later ones find in the cache."""
    runs = of(*(finished(spec, {0.0: 0.0, 1.0: 70.0, 2.0: 71.0, 3.0: 72.0}) for spec in ONE.all_of(P1, CHUNKING)))
    for spec in ONE.all_of(P1, CHUNKING):
        runs.finished(spec).curve["test_seconds"] = [9.0, 2.0, 1.0, 4.0]
    assert Trained(ONE, runs, P1, CHUNKING).seconds_to_predict().tolist() == [2.0]


def test_tables_1_and_2_have_the_papers_numbers_beside_ours() -> None:
    rows = {row["model"]: row for row in figures.table1(ONE, family(ONE))}
    heads = [f"{name}, theirs" for name in ("train", "test", "Pre", "Rec", "F")]
    theirs = {name: [row[head] for head in heads] for name, row in rows.items()}
    assert {name: row for name, row in theirs.items() if row != ["-"] * 5} == told(TABLE_1)
    assert [*rows["LaSOa5"].values()][:7] == [
        "LaSOa5",
        "5 passes",
        "2.07 CPU s",
        "0.5 s of wall",
        "84.87",
        "75.44",
        "94.30",
    ]
    assert [*rows["SemiCRF"].values()][:7] == [
        "SemiCRF",
        "C = 4",
        "53.9 CPU s",
        "18 s of wall",
        "82.98",
        "73.76",
        "92.20",
    ]
    elsewhere = {way.name for way in WAYS_OF[CHUNKING]} - set(rows)  # in tables of their own
    assert all("update" in name or "alpha" in name for name in elsewhere) and len(elsewhere) > 2

    rows = {row["model"]: row for row in figures.table2(ONE, family(ONE))}
    heads = [f"{name}, theirs" for name in ("train", "test", "Tag", "Chn", "Jnt", "F")]
    assert {name: [row[head] for head in heads] for name, row in rows.items()} == told(TABLE_2)
    ours = ["7 passes", "4.78 CPU s", "0.5 s of wall", "94.15", "94.80", "93.50", "93.50"]
    assert [*rows["LaSOp10"].values()][1:8] == ours


def test_accuracies_of_table_2_are_of_tags_of_chunks_and_of_both_and_a_share_of_nothing_is_a_dash() -> None:
    runs = family(ONE)
    for spec in ONE.all_of(P1, JOINT):
        curve = runs.finished(spec).curve
        curve["test_tag_error"], curve["test_chunk_error"], curve["test_error"] = 0.01, 0.03, 0.035
    for spec in ONE.all_of(P1, CHUNKING):
        runs.finished(spec).curve["test_precision"] = np.nan  # no chunk was found
    _, row, *_ = figures.table2(ONE, runs)
    assert [row[f"{name}, ours"] for name in ("Tag", "Chn", "Jnt")] == ["99.00", "97.00", "96.50"]
    row = next(row for row in figures.table1(ONE, runs) if row["model"] == "LaSOp1")
    assert (row["Pre, ours"], row["Rec, ours"]) == ("-", "73.92")


def test_table_3_has_the_papers_numbers_beside_ours() -> None:
    rows = [*figures.table3(ONE, family(ONE, matrix={(5, 25): 91.23}))]
    theirs = {row["training"]: [row[f"{beam}, theirs"] for beam in ONE.matrix] for row in rows}
    assert theirs == told(TABLE_3)
    assert [rows[1][f"{beam}, ours"] for beam in ONE.matrix] == ["90.50", "94.30", "94.40", "91.23", "94.10"]
    tiny = [*figures.table3(task("tiny"), family(task("tiny")))]
    assert [[*row.values()] for row in tiny] == [
        ["1", "93.90", "92.80", "93.9", "92.8"],
        ["5", "90.50", "94.30", "90.5", "94.3"],
    ]


def test_tables_have_dashes_where_runs_are_missing() -> None:
    others = (table(ONE, of()) for table in (figures.table2, figures.table3))
    for row in (row for rows in ([*figures.table1(ONE, of())][1:], *others) for row in rows):
        assert {value for head, value in row.items() if "ours" in head or head == "chosen"} == {"-"}
    assert all([*row.values()][2:] == ["-"] * 2 for row in figures.table_updates(ONE, of()))
    assert not [*figures.table_theorem4(ONE, of())]


def test_section_5s_updates() -> None:
    listed = [*figures.table_updates(ONE, family(ONE))]
    rows = {row["update"]: row for row in listed if row["task"] == "joint"}
    other = {row["update"]: row["F"] for row in listed if row["task"] == "chunking"}
    assert [*other.values()] == ["92.50", "93.10", "94.00", "94.00"]
    assert [*rows] == ["standard update", "early update", "max-violation", "LaSOp10", "LaSOa10"]
    assert [rows[name]["F"] for name in rows] == ["92.50", "93.10", "93.20", "93.50", "94.40"]
    assert rows["LaSOa10"] == {"task": "joint", "update": "LaSOa10", "F": "94.40", "passes": "2"}


def test_theorem_4s_table_and_bound() -> None:
    assert laso2005_read.bound(0.2, 0.9) == pytest.approx(50 * (11 / 9) ** 2 + 80 / 9 - 4)
    assert laso2005_read.bound(0.5, 1.0) == pytest.approx(8 + 4)
    wide = {"status": "passes", "margin": None}
    first, second = figures.table_theorem4(ONE, family(ONE, theorem={5: wide}))
    assert (
        first | {"sentences": "100", "passes": "7", "corrections": "73", "margin": "0.2", "bound": "79.6"} == first
    )
    assert first["ended"] == "nothing left to correct"
    assert (second["beam"], second["corrections"], second["ended"]) == ("5", "72", "at our limit")
    assert (second["margin"], second["bound"]) == ("-", "-")
    (row, _) = figures.table_theorem4(ONE, family(ONE, theorem={1: {"margin": 0.0}}))
    assert (row["margin"], row["bound"]) == ("0", "-")


def test_every_figure_draws_from_the_families_runs(tmp_path: Path) -> None:
    found = drawn("laso2005", laso2005.figures_of("quick"), family(task("quick")), tmp_path)
    chosen = {stem for stem, said in found.items() if "last tenth" in said["caption"]}
    assert chosen == {"f-against-beam", "table1", "table2", "table-updates", "table-alpha"}
    assert shown(found) == {spec.key for listed in laso2005.runs_of("quick").values() for spec in listed}


def test_figures_draw_without_the_runs_that_are_missing(tmp_path: Path) -> None:
    tiny = task("tiny")
    runs = family(tiny)
    chunking, joint = tiny.all_of(A5, CHUNKING), tiny.all_of(P10, JOINT)
    cells, settled = matrix(tiny)[1, 5], tiny.settled()[1:]
    for kept, stems in (
        (chunking, ("f-against-beam", "table1")),
        (joint, ("f-against-beam", "table2", "table-updates")),
        ([*chunking, *joint][::2], ("f-against-beam", "table1", "table2", "table-updates")),  # those to choose by
        (tiny.all_of(SEMI_CRF, CHUNKING), ("f-against-beam", "table1")),
        (tiny.all_of(WAYS["semim3n"], CHUNKING) + tiny.all_of(PERCEPTRON, CHUNKING), ("table1",)),
        (cells, ("decoding", "table3")),
        (settled, ("table-theorem4",)),
    ):
        some = of(*runs.present(kept))
        figures = {stem: figure for stem, figure in laso2005.figures_of("tiny").items() if stem in stems}
        drawn("laso2005", figures, some, tmp_path, lacking=True)


def test_figures_draw_means_over_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = replace(task("tiny"), seeds=(0, 1))
    monkeypatch.setattr(laso2005, "task", lambda scale, without: tiny)
    runs = family(tiny)
    shorter = tiny.specs(P1, CHUNKING)[1]
    put(runs, finished(shorter, {0.0: 10.0, 1.0: 92.0}, status="stalled"), shorter.key)
    found = drawn("laso2005", laso2005.figures_of("tiny"), runs, tmp_path)
    assert {stem for stem, said in found.items() if "means over 2 seeds" not in said["caption"]} == {
        "table-theorem4"
    }
