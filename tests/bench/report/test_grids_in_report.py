"""The best methods of a grid in the report, alone or beside papers."""

import json
import shutil
from dataclasses import replace

from structbench.bench.drawing import speed
from structbench.bench.drawing.best import best
from structbench.bench.drawing.method_looks import Problem
from structbench.bench.report import explorer, report
from structbench.bench.report.confused import labels
from structbench.bench.runs import store
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import make, parse
from tests.bench import fake_runs
from tests.bench.report.written import Text, in_order, write


def grid_of(results, *runs):
    """Which of these runs are best, or of all, as the report of a grid shows it."""
    there = Runs(results / "runs")
    return best([parse(run.key) for run in runs or store.all_runs(results / "runs")], there)


def test_of_a_config_that_has_only_grids_the_best_methods_come_first(tmp_path):
    runs = [
        fake_runs.write(tmp_path / "runs", C=C, algorithm=name) for C in (1.0, 10.0) for name in ("eg", "lbfgs")
    ]
    store.amend(runs[2], {"test_error": 0.07})
    pages = write(
        tmp_path,
        runs,
        papers={"grid-mine": ()},
        name="mine",
        grids={"grid-mine": grid_of(tmp_path)},
        warnings=["2 of 4 timed runs were disturbed."],
    )
    text = str(Text(pages["index.html"]))
    assert "<title>structbench: results of mine, 4 runs</title>" in pages["index.html"]
    in_order(
        text,
        "Results of mine",
        "2 of 4 timed runs were disturbed.",
        "MNIST digits: EG at C = 10 ",
        "has the best test error, ",
        "MNIST digits, log loss, C = 10: Within 0.1 % of the optimum after",
        "No figure has been drawn yet",
        "MNIST digits, by test error",
        "CHOSEN ON TEST DATA: each method has the C of its best error on the test split",
        "method C test error % gap distance CPU s passes seeds EG",
        "log loss, C = 1: Within 0.1 % of the optimum after",
        "How to read the tables",
        "from 4 runs of",
    )
    for words in ("What this run decides", "Claims", "No claim has been judged", "reproduced"):
        assert words not in text


def test_the_options_of_data_stay_apart_from_its_name_where_no_fold_is_held_out(tmp_path):
    fake_runs.become(fake_runs.write(tmp_path / "runs"), make("ocr:words=150", "log", 10, "eg", passes=60.0))
    pages = write(tmp_path, [], papers={"grid-mine": ()}, name="mine", grids={"grid-mine": grid_of(tmp_path)})
    assert "OCR letters, words 150, log loss, C = 10:" in str(Text(pages["index.html"]))


def test_methods_that_tie_are_named_together_at_the_head(tmp_path):
    runs = [
        fake_runs.write(tmp_path / "runs", C=C, algorithm=name) for C in (1.0, 10.0) for name in ("eg", "lbfgs")
    ]
    runs = [store.amend(run, {"test_error": 0.0744}) for run in runs]
    pages = write(tmp_path, runs, papers={"grid-mine": ()}, name="mine", grids={"grid-mine": grid_of(tmp_path)})
    text = str(Text(pages["index.html"]))
    in_order(text, "MNIST digits: By test error, ", " tie at 7.44 %", " stands first.")
    assert "has the best" not in text


def test_scores_of_labels_are_on_the_first_page_where_f1_is_the_score(tmp_path):
    scores = {"NP": {"precision": 0.5, "recall": None, "f1": 0.25, "predicted": 4, "gold": 2, "right": 2}}
    for data, is_first in (("ocr", True), ("mnist", False)):
        run = fake_runs.write(tmp_path / data / "runs", data=data)
        known = {run.key: replace(run, summary=run.summary | {"by_label": scores})}
        found = grid_of(tmp_path / data)
        everywhere, first = (labels(found, known, "###", of_chunks) for of_chunks in (False, True))
        assert "### Labels, by the first method: EG" in everywhere and bool(first.strip()) is is_first
        assert "| NP | 50.0 | - | 25.0 | 4 | 2 | 2 |" in everywhere and "F1 %" in everywhere


def test_a_grid_beside_papers_has_its_best_methods_in_its_own_part(results):
    run = store.read_run(results / "runs" / "ocr__log__C=10__eg__passes=60")
    grids = {"grid-mine": grid_of(results, run)}
    pages = write(results, papers={"eg2008": ("fig04-mnist",), "grid-mine": ()}, name="quick", grids=grids)
    text = str(Text(pages["index.html"]))
    assert "What this run decides" in text and "No claim" not in text
    part = text[text.index("The best of grid mine OCR letters, by test error") :]
    assert "method C test error % test F1 % gap distance CPU s passes seeds EG 10" in part
    assert '<a href="grid-mine/index.html">grid mine</a>' in pages["index.html"]
    assert "EG 10" in str(Text(pages["grid-mine/index.html"]))
    assert "fig04-mnist" in pages["eg2008/index.html"] and "fig04-ocr" not in pages["eg2008/index.html"], (
        "of an earlier config"
    )


def test_a_config_of_grids_begins_with_a_figure_against_seconds_and_then_says_what_was_disturbed(results):
    figures = results / "figures"
    (figures / "eg2008").rename(figures / "grid-mine")
    for file in (figures / "grid-mine").glob("fig04-ocr.*"):
        shutil.copy(file, file.with_stem("error-C"))
        file.rename(file.with_stem("ocr-seconds"))
    (results / "claims" / "eg2008.json").unlink()
    run = store.read_run(results / "runs" / "ocr__log__C=10__eg__passes=60")
    page = write(results, name="mine", grids={"grid-mine": grid_of(results, run)})["index.html"]
    in_order(page, "Within 0.1 %", 'src="grid-mine/error-C.svg"', 'src="grid-mine/ocr-seconds.svg"', "<table>")
    explored = (results / "report" / "explorer.html").read_text()
    assert json.loads(explored.split('id="data">')[1].split("</script>")[0])["begin"] == {
        "data": "ocr", "loss": "log", "C": "10", "y": "distance", "x": "seconds", "level": "1e-3"
    }  # fmt: skip


def test_the_explorer_opens_on_the_problem_of_the_first_row_whatever_other_losses_share_its_C(tmp_path):
    keys = [(loss, name) for loss in ("softmax-margin", "log") for name in ("lbfgs", "sgd")]
    runs = [fake_runs.write(tmp_path / "runs", C=1.0, loss=loss, algorithm=name) for loss, name in keys]
    (table,) = (found := grid_of(tmp_path)).tables
    rows = sorted(zip(table.rows, table.by_C, strict=True), key=lambda both: both[0].loss != "log")
    said = [
        speed.Answer(Problem(runs[0].spec.data, "", loss, "l2", 1.0), f"Within {share} % of it", clock)
        for loss, share, clock in (("softmax-margin", 10, "seconds"), ("log", 0.1, "passes"))
    ]

    def begun(rows):
        changed = {"rows": [row for row, _ in rows], "by_C": [by_C for _, by_C in rows], "answers": said}
        begins = replace(found, tables=[replace(table, **changed)])
        return report._begin([begins], {run.key: run for run in runs}, explorer.data_versions(runs))

    opened = begun(rows)
    assert (opened["loss"], opened["C"], opened["x"]) == ("log", "1", "passes")
    assert not begun(rows[:1] + rows[2:]), "one method is alone there, beside others of another loss"


def test_the_first_figure_of_a_grid_is_of_the_loss_that_comes_near_the_optimum_and_explains_grey(results):
    figures = results / "figures" / "grid-mine"
    (results / "figures" / "eg2008").rename(figures)
    (results / "claims" / "eg2008.json").unlink()
    for file in [*figures.glob("fig04-ocr.*")]:
        shutil.copy(file, file.with_stem("a-hinge-distance-seconds"))
        shutil.copy(file, file.with_stem("a-hinge-error-passes"))
        file.rename(file.with_stem("b-log-distance-seconds"))
    told = figures / "a-hinge-distance-seconds.json"
    told.write_text(json.dumps(json.loads(told.read_text()) | {"runs": [], "missing": []}))
    for sidecar in figures.glob("*.json"):
        said = json.loads(sidecar.read_text())
        sidecar.write_text(
            json.dumps(said | {"caption": "A panel for each C. What never gets below 0.5 is grey."})
        )
    run = store.read_run(results / "runs" / "ocr__log__C=10__eg__passes=60")
    page = write(results, name="mine", grids={"grid-mine": grid_of(results, run)})["index.html"]
    in_order(page, 'src="grid-mine/b-log-distance-seconds.svg"', "What never gets below 0.5 is grey.", "<table>")
    assert 'src="grid-mine/a-hinge' not in page
