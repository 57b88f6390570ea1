"""``status``, ``clean`` and ``--stale``: what is said of runs that do not count, and what is done with them."""

import json
from pathlib import Path

import pandas as pd

from structbench.bench.runs import problem_store, results, store, unfinished
from structbench.bench.runs.spec import make
from structbench.bench.workflow import config, config_files, journal
from tests.bench import fake_runs

EG, LBFGS = "mnist__log__C=10__eg__passes=60", "mnist__log__C=10__lbfgs__passes=60"


def stale_torn_and_missing() -> None:
    """Of five runs two are finished, one is stale, one torn and one missing; one that no config has is stale."""
    alone = {"alone": True, "others": 0.0}
    for C in (1.0, 10.0):
        fake_runs.write(results.runs(), C=C, machine=alone)
    fake_runs.write(results.runs(), algorithm="lbfgs", machine=alone, code="dead")
    torn = fake_runs.write(results.runs(), algorithm="lbfgs", C=1.0, machine=alone)
    (torn.folder / "curve.parquet").write_bytes(b"")
    fake_runs.write(results.runs(), algorithm="sgd", code="dead")


def test_status_counts_runs_by_state_and_reason(bench):
    stale_torn_and_missing()
    code, out, said = bench("status", "config/mine.yaml")
    assert code == 1
    rows = {tuple(line.split(None, 2)) for line in out.splitlines()}
    assert {
        ("1", "missing", "it was not made yet"),
        ("1", "stale", "it is of other programs"),
        ("1", "torn", "not as written: curve.parquet"),
        ("2", "finished"),
        ("5", "all", "of the config mine"),
    } <= {tuple(word.strip() for word in row) for row in rows}
    assert said.startswith(
        "`make run CONFIG=config/mine.yaml` makes the 3 that are not finished: the algorithms take about "
    )
    assert " of one core, jobs and figures come on top\n" in said
    code, out, _ = bench("status", "mine", "--json")
    stale = {"state": "stale", "why": "it is of other programs", "disturbed": False}
    assert json.loads(out)["runs"][LBFGS] == stale
    for spec in ("eg", "lbfgs"):
        for C in (1.0, 10.0):
            fake_runs.write(results.runs(), algorithm=spec, C=C, machine={"alone": True, "others": 0.9})
    fake_runs.write(results.runs(), data="ocr", machine={"alone": True})
    code, _, said = bench("status", "mine")
    assert code == 0 and said.startswith("4 of 5 timed runs were disturbed:\n")
    assert f"  {EG}: 0.9 other processes ran beside it\n" in said
    assert "deletes all of them, and `make run CONFIG=config/mine.yaml` makes others" in said
    before = sorted(results.runs().iterdir())
    code, _, said = bench("clean", "--disturbed", "mine")
    assert code == 0 and sorted(results.runs().iterdir()) == before
    assert "4 disturbed, " in said and "0.9 other processes ran beside it" in said and "--yes deletes them" in said
    assert "deleted 4 runs, " in bench("clean", "--disturbed", "mine", "--yes")[2]
    left = sorted(folder.name for folder in results.runs().iterdir())
    assert left == ["mnist__log__C=10__sgd__passes=60", "ocr__log__C=10__eg__passes=60"]
    assert bench("clean", "--disturbed", "mine", "--yes")[2] == "no timed run of mine was disturbed\n"
    for wrong in ("no-such", ""):
        code, _, said = bench("clean", "--disturbed", wrong, "--yes")
        assert code == 2 and said.startswith("error: ") and ("config" in said or "empty" in said)
    assert bench("clean", "--disturbed", "mine", "--stale")[0] == 2


def test_status_says_why_a_run_failed(bench):
    stale_torn_and_missing()
    (key,) = (spec.key for spec in config.read_config("mine").specs if spec.data.name == "ocr")
    book = journal.Journal(results.batches() / "b.1.journal")
    book.begin()
    book.note(journal.FAILED, key, "ValueError: no\n  in line 7")
    rows = [line.split(None, 2) for line in bench("status", "mine")[1].splitlines()]
    said = "it failed when it was made last: ValueError: no"
    assert ["1", "missing", said] in [[word.strip() for word in row] for row in rows]
    assert json.loads(bench("status", "mine", "--json")[1])["runs"][key]["why"] == f"{said}\n  in line 7"


def test_printed_commands_name_the_results_that_the_call_named(bench, monkeypatch):
    monkeypatch.setenv(results.NAMED, "")
    fake_runs.write(Path("my results/runs"), C=10.0, machine={"alone": True, "others": 0.0})
    there = ("--results", "my results")
    found = [bench(verb, "mine", *there)[2] for verb in ("status", "best")]
    assert "`make run CONFIG=config/mine.yaml RESULTS='my results'` makes the 4" in found[0]
    assert "(`python -m bench status mine --results 'my results'`)" in found[1]
    assert config_files.fresh_command("paper") == "make paper FRESH=1 RESULTS='my results'"
    monkeypatch.setenv(results.NAMED, "")  # as if the user's environment had named it
    assert "`make run CONFIG=config/mine.yaml` makes the 4" in bench("status", "mine")[2]
    assert "(`python -m bench status mine`)" in bench("best", "mine")[2]


def test_clean_says_sizes_and_deletes_only_when_it_is_told_to(bench, monkeypatch):
    stale_torn_and_missing()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")  # that it makes all others stale does not delete them
    (results.runs() / "notes").mkdir()
    (results.runs() / "notes" / "thesis.tex").touch()
    before = sorted(results.runs().iterdir())
    code, _, said = bench("clean", "--stale")
    assert code == 0 and sorted(results.runs().iterdir()) == before
    assert "2 stale, " in said and "1 torn, " in said and "3 runs, 0." in said and "--yes deletes them" in said
    assert bench("clean")[0] == 2
    code, _, said = bench("clean", "--stale", "--yes")
    assert code == 0 and "deleted 3 runs" in said
    left = sorted(folder.name for folder in results.runs().iterdir())
    assert left == sorted([EG, EG.replace("=10", "=1"), "notes"])
    assert "no run under" in bench("clean", "--stale", "--yes")[2]


def test_a_run_beside_which_somebody_keeps_a_file_stays(bench):
    stale_torn_and_missing()
    bench("clean", "--stale", "--yes")
    folder = results.runs() / EG
    (folder / "curve.parquet").write_text("x")
    (folder / "my-notes.txt").touch()
    code, _, said = bench("clean", "--stale", "--yes")
    assert code == 0 and f"{EG} stays: it holds my-notes.txt, too" in said and (folder / "my-notes.txt").exists()
    (folder / "my-notes.txt").unlink()
    assert "deleted 1 runs" in bench("clean", "--stale", "--yes")[2] and not folder.exists()


def test_of_runs_that_are_all_stale_the_file_that_changed_is_named_and_what_to_do(bench):
    Path("train.txt").write_text("the D\n\n" * 3)
    Path("config/own.yaml").write_text(
        "grids: [{name: own, data: ['columns:train.txt'], C: [1, 10], algorithms: {eg: {}}}]\n"
    )
    for spec in config.read_config("own").specs:
        run = store.read_run(fake_runs.become(fake_runs.write(results.runs(), machine={"alone": True}), spec))
        made = {"data_from": problem_store.made_from(spec.data, spec.test)}
        store.amend(run, {"provenance": run.summary["provenance"] | made})
    assert bench("best", "own")[0] == 0
    Path("train.txt").write_text("the D\n\n" * 2)
    said = "error: 2 runs are stale: train.txt changed: `make run CONFIG=config/own.yaml` makes them again"
    assert bench("best", "own")[2] == f"{said}, and --stale ranks them as they are\n"
    assert bench("predict", "own", "new.txt")[2].startswith(f"{said}; or give the key of one: `")
    assert "train.txt changed" in bench("status", "own")[1]


def test_stale_runs_are_drawn_only_when_asked_for_and_marked(bench):
    stale_torn_and_missing()
    bench("figures", "--config", "mine")
    sidecar = next(Path("results/mine/figures/grid-mine").glob("*.json"))
    said = json.loads(sidecar.read_text())
    assert (said["stale"], LBFGS in said["missing"], EG in said["runs"]) == ([], True, True)
    unmarked = sidecar.with_suffix(".png").read_bytes()
    bench("figures", "--config", "mine", "--stale")
    said = json.loads(sidecar.read_text())
    assert said["stale"] == [LBFGS] and LBFGS in said["runs"]
    assert "Stale: 1 run of other programs" in said["caption"]
    assert sidecar.with_suffix(".png").read_bytes() != unmarked
    _, _, said = bench("best", "mine")
    assert "3 of 5 runs are not finished" in said
    _, out, said = bench("best", "mine", "--stale")
    assert "L-BFGS" in out and "stale, of other programs, data or settings: 1 of these runs" in said


def test_export_leaves_stale_and_torn_runs_out_and_says_so(bench):
    stale_torn_and_missing()
    _, _, said = bench("export")
    assert "left out: 2 stale and 1 torn runs" in said and "--stale shows those that are stale" in said
    assert pd.read_parquet("results/export.parquet").run.nunique() == 2
    _, _, said = bench("export", "--stale")
    assert "left out: 1 torn run (" in said
    states = pd.read_parquet("results/export.parquet").groupby("run").state.last()
    assert sorted(states) == ["finished"] * 2 + ["stale"] * 2


def test_with_a_config_only_its_runs_are_counted_as_left_out(bench):
    fake_runs.write(results.runs(), algorithm="sgd", code="dead")
    code, _, said = bench("export", "--config", "mine")
    assert "--out none/a.parquet: there is no folder " in bench("export", "--out", "none/a.parquet")[2]
    makes = "`make run CONFIG=config/mine.yaml` makes them"
    assert (code, said) == (2, f"error: no run of the config mine is finished to be exported: {makes}\n")
    fake_runs.write(results.runs(), C=1.0)
    assert "left out" not in bench("export", "--config", "mine")[2]
    _, _, said = bench("export")
    assert "left out: 1 stale run (`python -m bench clean --stale` lists those that are torn" in said
    fake_runs.write(results.runs(), code="dead")
    _, _, said = bench("export", "--config", "mine")
    assert "left out: 1 stale run (`python -m bench status mine` says why; --stale shows" in said


def test_a_report_shows_finished_runs_that_were_not_timed_alone_and_says_so(bench):
    text = Path("config/mine.yaml").read_text().replace("passes: 60, ", "passes: 60, timed: true, ")
    Path("config/mine.yaml").write_text(text.replace("scale: tiny", "scale: tiny\nname: other"))
    for C in (1.0, 10.0):
        fake_runs.write(results.runs(), C=C, machine={"alone": None})
    assert bench("report", "--config", "config/mine.yaml")[0] == 0
    page = Path("results/other/report/index.html").read_text()
    assert "results of other, 2 runs" in page and "No run is finished yet" not in page
    assert "3 runs missing" in page and "it was not timed alone" not in page
    said = "2 of 5 timed runs were disturbed: their seconds mean little ("
    assert f"{said}<code>python -m bench status config/mine.yaml</code> says why)." in page


def test_a_figure_of_runs_that_count_no_more_is_out_of_date(bench):
    fake_runs.write(results.runs(), machine={"alone": True})
    bench("figures", "--config", "mine")
    fake_runs.write(results.runs(), code="dead")
    fake_runs.write(results.runs(), C=1.0)
    assert bench("report", "--config", "mine")[0] == 0
    page = Path("results/mine/report/grid-mine/index.html").read_text()
    assert "Out of date: 1 of its runs do not count today." in page
    assert "it is of other programs" in Path("results/mine/report/index.html").read_text()
    assert bench("report", "--config", "mine", "--stale")[0] == 0
    assert "Out of date" not in Path("results/mine/report/grid-mine/index.html").read_text()
    assert "it is of other programs" not in Path("results/mine/report/index.html").read_text()


def test_options_that_went_are_refused_with_what_to_do_instead(bench):
    code, _, said = bench("report", "--config", "mine", "--one-file")
    assert code == 2 and "there is no --one-file any more: send the report's folder" in said
    code, _, said = bench("publish", "--second", "other")
    assert code == 2 and "there is no --second any more: `python -m bench claims --results DIR`" in said


def test_seconds_of_runs_that_were_not_timed_alone_are_marked(bench):
    for algorithm in ("eg", "lbfgs"):
        fake_runs.write(results.runs(), algorithm=algorithm, machine={"alone": None})
    assert "2 of these runs were not timed alone, or were disturbed" in bench("best", "mine", "--by", "seconds")[2]
    assert "2 of these runs were not timed alone" in bench("best", "mine")[2]


def test_show_says_that_a_run_is_stale(bench):
    stale_torn_and_missing()
    assert "this run is stale: it is of other programs" in bench("show", LBFGS)[2]
    assert json.loads(bench("show", EG, "--json")[1])["state"] == "finished"


def test_a_folder_in_place_of_a_file_is_named(bench):
    place = unfinished.folder_of(results.runs() / "run")
    with unfinished.keeping(
        results.runs() / "run", make("mnist", "log", 1.0, "eg"), {"started": "2026"}, print
    ) as keep:
        keep(dict.fromkeys((*store.COLUMNS, "test_f1"), 1.0))
        (place / "curve.jsonl").unlink()
        (place / "curve.jsonl").mkdir()
        code, _, said = bench("show", str(place))
    assert code == 2 and said.count("\n") == 1 and "curve.jsonl is a folder, expected a file" in said
