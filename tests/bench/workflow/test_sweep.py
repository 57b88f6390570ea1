"""What a workflow has to make again goes when it starts."""

import json
from pathlib import Path

from structbench.bench.runs import problem_store, programs, results, update_costs
from structbench.bench.workflow import breakdown, config, view_inputs
from structbench.datasets import data_ref
from tests.bench import fake_runs


def test_what_is_of_other_programs_or_data_is_made_again_by_a_job(ours, monkeypatch):
    data = data_ref("toy-points")
    grid = {"name": "a", "data": data.text, "C": [1], "algorithms": {"lbfgs": {}}}
    problem, costs = problem_store.note(data), update_costs.file(data)

    def swept():
        made = config.config_of({"name": "mine", "grids": [grid]})
        made.__dict__["costs_of"] = {"eg2008": [data]}
        view_inputs.sweep(made)
        return [file.exists() for file in (problem, costs)]

    problem_store.obtain(data)
    breakdown.write_breakdown(data, costs)
    assert swept() == [True, True]
    earlier = {name: each for name, each in json.loads(costs.read_text()).items() if name != "code_sha256"}
    costs.write_text(json.dumps(earlier))
    assert swept() == [True, True], "an earlier program did not note its hash"
    breakdown.write_breakdown(data, costs)
    with monkeypatch.context() as patch:
        patch.setattr(programs, "of_breakdown", lambda data: [])
        assert swept() == [True, False]
    breakdown.write_breakdown(data, costs)
    monkeypatch.setattr(programs, "sha256_of_data", lambda data: "another")
    assert swept() == [False, True], "its numbers may be the same"


def test_a_view_that_lacks_a_file_which_no_rule_names_is_made_again(ours):
    grid = {"name": "a", "data": "toy-points", "C": [1], "algorithms": {"lbfgs": {}}}
    made, report = config.config_of({"name": "mine", "grids": [grid]}), results.report("mine")
    figures = [results.figures("mine") / name / stem for name, stems in made.figures.items() for stem in stems]

    def swept(gone: str) -> set[str]:
        """The suffixes of what is there no more, after that of the first figure, or a page of the report, went."""
        files = [report / name for name in ("index.html", "explorer.html", "runs.html", "grid-a/index.html")]
        files += [Path(f"{figure}.{kind}") for figure in figures for kind in ("csv", "json", "png", "svg")]
        for file in files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(fake_runs.SIDECAR | {"images": ["png", "svg"]}))
        for file in (report / gone, Path(f"{figures[0]}{gone}")):
            file.unlink(missing_ok=True)
        view_inputs.sweep(made)
        return {file.suffix for file in files if not file.exists()}

    assert len(figures) > 1 and swept("none") == set()
    for kind in (".svg", ".csv", ".json"):
        assert swept(kind) == {kind, ".png"}
        assert Path(f"{figures[1]}.png").exists(), "a whole figure stays"
    for page in ("explorer.html", "runs.html", "index.html", "grid-a/index.html"):
        assert swept(page) == {".html"} and not report.exists()


def test_a_curve_so_far_beside_its_finished_run_goes(ours):
    run = results.runs() / "run"
    for folder in (run, run.with_name("run.partial")):
        folder.mkdir(parents=True)
    (run / "summary.json").touch()
    grid = {"name": "a", "data": "toy-points", "C": [1], "algorithms": {"lbfgs": {}}}
    view_inputs.sweep(config.config_of({"name": "mine", "grids": [grid]}))
    assert [each.name for each in run.parent.iterdir()] == ["run"]
