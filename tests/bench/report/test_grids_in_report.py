"""The best methods of a grid in the report, alone or beside papers."""

from structbench.bench.drawing.best import best
from structbench.bench.runs import store
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import parse
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
    pages = write(tmp_path, runs, papers={"grid-mine": ()}, name="mine", grids={"grid-mine": grid_of(tmp_path)})
    text = str(Text(pages["index.html"]))
    assert "<title>structbench: results of mine, 4 runs</title>" in pages["index.html"]
    top = text[text.index("Results of mine") : text.index("No figure has been drawn yet")]
    in_order(
        top,
        "mnist, by test error",
        "log loss, C = 10 Within 0.1 % of the optimum after",
        "log loss, C = 1 Within 0.1 % of the optimum after",
        "method C test error % gap distance CPU s passes seeds EG",
        "CHOSEN ON TEST DATA: each method has the C of its best error on the test split",
    )
    for words in ("What this run decides", "Claims", "No claim has been judged", "reproduced"):
        assert words not in text


def test_a_grid_beside_papers_has_its_best_methods_in_its_own_part(results):
    run = store.read_run(results / "runs" / "ocr__log__C=10__eg__passes=60")
    grids = {"grid-mine": grid_of(results, run)}
    pages = write(results, papers={"eg2008": ("fig04-mnist",), "grid-mine": ()}, name="quick", grids=grids)
    text = str(Text(pages["index.html"]))
    assert "What this run decides" in text and "No claim" not in text
    part = text[text.index("The best of grid mine ocr, by test error") :]
    assert "method C test error % test F1 % gap distance CPU s passes seeds EG 10" in part
    assert '<a href="grid-mine/index.html">grid mine</a>' in pages["index.html"]
    assert "EG 10" in str(Text(pages["grid-mine/index.html"]))
    assert "fig04-mnist" in pages["eg2008/index.html"] and "fig04-ocr" not in pages["eg2008/index.html"], (
        "of an earlier config"
    )
