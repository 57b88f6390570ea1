"""``bench best``: what is ranked, said to be missing, and refused."""

import json
from pathlib import Path

import pytest

from structbench.bench.runs import execute, results, store
from structbench.bench.verbs import named
from structbench.bench.workflow import config
from tests.bench import fake_runs


def test_the_best_methods_are_shown_and_missing_runs_counted(bench, made):
    made(("mnist", 1.0, "eg"), ("mnist", 10.0, "eg"), ("mnist", 10.0, "lbfgs"))
    code, out, said = bench("best", "mine", "--by", "distance")
    assert code == 0
    assert said == "2 of 5 runs are not finished, and left out (`python -m bench status mine`)\n"
    titles = [line for line in out.splitlines() if line.startswith("mnist")]
    assert titles == [f"mnist, log loss, C = {C}, by distance" for C in (1, 10)]
    last = out[out.index("C = 10, by distance") :].splitlines()
    assert [line.split()[0] for line in last[3:5]] == ["EG", "L-BFGS"]
    assert "Within 0.1 % of the optimum after" in out
    optimistic = "CHOSEN ON TEST DATA: each method has the C of its best error on the test split"
    assert bench("best", "mine")[1].count(optimistic) == 1
    assert optimistic not in bench("best", "mine", "--by", "distance")[1]
    code, out, _ = bench("best", "config/mine.yaml", "--data", "ocr")
    assert code == 2
    made(("mnist", 1.0, "lbfgs"))
    assert bench("best", "mine")[2].startswith("1 of 5 runs is not finished, and left out (")
    assert " makes the 1 that is not finished: " in bench("status", "mine")[2]


def test_the_best_methods_are_one_json_document(bench, made):
    made(("mnist", 1.0, "eg"), ("mnist", 10.0, "eg"), ("ocr", 10.0, "eg"))
    code, out, said = bench("best", "mine", "--json")
    found = json.loads(out)
    assert (code, said) == (0, "")
    assert {name: found[name] for name in ("config", "by", "level", "runs", "missing", "C_chosen_on")} == {
        "config": "mine", "by": "test_error", "level": 1e-3, "runs": 5, "missing": 2, "C_chosen_on": "test",
    }  # fmt: skip
    assert [table["data"] for table in found["tables"]] == ["mnist", "ocr"]
    assert found["tables"][1]["rows"][0]["test_f1"]["mean"] == pytest.approx(0.925, abs=1e-3)


def test_without_a_loss_there_is_no_gap_to_rank_by(bench):
    Path("config/mine.yaml").write_text(
        "scale: tiny\nfigures: []\ngrids: [{name: mine, data: [toy-points], algorithms: {perceptron: {}}}]\n"
    )
    (spec,) = config.read_config("mine").specs
    fake_runs.become(fake_runs.write(results.runs(), C=1.0), spec)
    assert bench("best", "mine")[0] == 0
    code, _, said = bench("best", "mine", "--by", "gap")
    assert code == 2
    assert said == "error: --by gap: these runs minimise no loss: choose test_error or test_f1\n"


def test_folds_have_the_name_and_the_titles_of_their_data_set(bench):
    whole = "toy-points:points=30"
    Path("config/mine.yaml").write_text(
        f"grids: [{{name: g, data: ['{whole}'], cv: 2, seeds: [4], C: [1], algorithms: {{eg: {{}}}}}}]\n"
    )
    for spec in config.read_config("mine").specs:
        fake_runs.become(fake_runs.write(results.runs(), C=1.0), spec)
    code, out, _ = bench("best", "mine", "--by", "gap", "--data", whole)
    titles = [line for line in out.splitlines() if line.startswith(whole)]
    assert code == 0
    assert titles == [f"{whole}, fold {k} of 2, dealt by seed 4, log loss, C = 1, by gap" for k in (1, 2)]


def test_data_are_chosen_as_their_config_or_their_table_names_them(bench):
    Path("train.txt").write_text(8 * "a A\nb B\n\n")
    grid = {"name": "g", "data": "columns:train.txt", "validation": 0.5, "C": [1], "algorithms": {"eg": {}}}
    Path("config/mine.yaml").write_text(json.dumps({"grids": [grid, grid | {"name": "h", "data": "toy-points"}]}))
    for spec in config.read_config("mine").specs:
        fake_runs.become(fake_runs.write(results.runs(), C=1.0), spec)
    for name in ("columns:train.txt", "columns:train.txt,validation=.5", "columns:train", "train.txt"):
        code, out, said = bench("best", "mine", "--by", "gap", "--data", name, "--json")
        assert code == 0 and [t["data"] for t in json.loads(out)["tables"]] == ["columns:train,validation=0.5"], (
            said
        )
    code, _, said = bench("best", "mine", "--data", "columns:train.tx")
    assert code == 2 and "the config has\n  'columns:train,validation=0.5'\n  'toy-points" in said


def test_of_many_data_sets_the_best_alone_is_shown(bench):
    sizes = ", ".join(f'"toy-points:seed={seed}"' for seed in range(11))
    Path("config/many.yaml").write_text(
        f"scale: tiny\nfigures: []\ngrids: [{{name: many, data: [{sizes}], C: [1], algorithms: {{eg: {{}}}}}}]\n"
    )
    for spec in config.read_config("many").specs:
        fake_runs.become(fake_runs.write(results.runs(), C=1.0), spec)
    code, out, _ = bench("best", "many")
    assert code == 0
    assert sum(line.startswith("toy-points") for line in out.splitlines()) == 11
    assert "`--data NAME` shows the others" in out
    assert "toy-points:seed=3, by test error\n" in bench("best", "many", "--data", "toy-points:seed=3")[1]


@pytest.mark.parametrize("words", [(), ("--data", "mnist")])
def test_many_tables_of_one_data_set_are_all_shown(bench, words):
    Cs = [*range(1, 12)]
    grid = f"{{name: many, data: [mnist], C: {Cs}, algorithms: {{eg: {{}}, lbfgs: {{}}}}, passes: 60}}"
    Path("config/many.yaml").write_text(f"scale: tiny\nfigures: []\ngrids: [{grid}]\n")
    for spec in config.read_config("many").specs:
        fake_runs.become(fake_runs.write(results.runs(), C=1.0), spec)
    code, out, _ = bench("best", "many", "--by", "distance", *words)
    assert code == 0 and "shows the others" not in out
    assert sum(line.startswith("L-BFGS ") for line in out.splitlines()) == len(Cs)


@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        ("--data mnits", "--data mnits: did you mean 'mnist'?"),
        ("--by validation_error", "no run here has a validation error: hold out examples, validation: 0.1, or"),
        ("--level 0", "--level must be above 0, not 0"),
        ("", "/results/runs: `make run CONFIG=config/mine.yaml` makes them; for another folder say --results DIR"),
    ],
)
def test_mistakes_in_asking_for_the_best(bench, made, words, said_of_it):
    if "--by" in words:
        made(("mnist", 1.0, "eg"))
    code, _, said = bench("best", "mine", *words.split())
    assert code == 2
    assert said_of_it in said


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("conll2000", "no F1 of chunks: 'N' is no tag such as B-X"),
        ("toy-english:task=brackets", "no run here has a test f1: choose another"),  # their F1 is no F1 of chunks
    ],
)
def test_labels_that_are_no_tags_are_said_to_have_no_f1_of_chunks(bench, data, says):
    grid = {"name": "mine", "data": [data], "C": [1], "algorithms": {"eg": {}}}
    Path("config/mine.yaml").write_text(json.dumps({"scale": "tiny", "figures": [], "grids": [grid]}))
    (spec,) = config.read_config("mine").specs
    fake_runs.become(fake_runs.write(results.runs(), C=1.0), spec)
    (run,) = store.all_runs(results.runs())
    store.amend(run, {"by_label": {"N": {}, "V": {}}, "scheme": "", "test_f1": None})
    code, _, said = bench("best", "mine", "--by", "test_f1")
    assert code == 2 and f"--by test_f1: {says}" in said


def test_a_config_without_a_finished_run_names_none(bench):
    code, _, said = bench("predict", "mine", "new.txt")
    none = f"none of the 5 runs of the config mine is finished under {results.runs().absolute()}"
    assert (code, said) == (2, f"error: {none}: `make run CONFIG=config/mine.yaml` makes them\n")


def test_a_config_names_its_best_runs(bench, made):
    made(("mnist", 1.0, "eg"), ("mnist", 10.0, "lbfgs"))
    _, out, _ = bench("best", "mine", "--data", "mnist", "--json")
    keys = [row["runs"][0] for row in json.loads(out)["tables"][0]["rows"]]
    words = ("mine", "mine:1", "config/mine.yaml", "mine:2")
    assert [named.run_named(word).key for word in words] == [*[keys[0]] * 3, keys[1]]
    code, _, said = bench("show", "mine:3")
    assert code == 2 and "mine:3: finished runs of the config mine are of 2 methods" in said
    assert "there is no run 'min'" in bench("show", "min")[2]
    file = results.runs() / keys[0] / "spec.json"
    assert f"{file} is a file of a run: give its folder, {file.parent}" in bench("show", str(file))[2]
    made(("ocr", 10.0, "eg"))
    assert bench("best", "mine", "--data", "ocrx")[2].endswith("the config has\n  'ocr'\n  'mnist'\n")
    assert "the config mine has several data sets (mnist, ocr): say mine:1 to mine:3" in bench("show", "mine")[2]


def test_the_ranking_says_the_config_by_which_its_model_is_found(bench):
    Path("train.txt").write_text(8 * "a A\nb B\n\n")
    grid = {"name": "own", "data": ["columns:train.txt"], "C": [1], "algorithms": {"lbfgs": {}}, "passes": 3}
    Path("config/own.yaml").write_text(json.dumps({"figures": [], "grids": [grid]}))
    (spec,) = config.read_config("own").specs
    execute.run_one(spec, results.runs() / spec.key, lambda line: None)
    assert "predict own FILE" in bench("best", "own")[1]
    assert bench("predict", "own", "train.txt")[1:] == (8 * "a A\nb B\n\n", "")
    Path("config/folds.yaml").write_text(json.dumps({"figures": [], "grids": [grid | {"cv": 2}]}))
    for fold in config.read_config("folds").specs:
        execute.run_one(fold, results.runs() / fold.key, lambda line: None)
    code, out, said = bench("predict", "folds", "train.txt")
    assert (code, len(out.splitlines())) == (0, 24) and "learned without one of 2 folds: `" in said


def test_where_nothing_is_tested_the_order_is_not_called_one(bench):
    Path("config/mine.yaml").write_text(
        "scale: tiny\nfigures: []\ngrids: [{name: mine, data: [toy-points], algorithms: {perceptron: {}}}]\n"
    )
    (spec,) = config.read_config("mine").specs
    made = fake_runs.become(fake_runs.write(results.runs(), C=1.0), spec)
    store.amend(store.read_run(made), {"test_error": None, "test_f1": None})
    code, _, said = bench("best", "mine")
    assert code == 0 and "the order means nothing: no run here has a test error: choose another" in said
    bench("report", "--config", "mine")
    page = (results.report("mine") / "README.md").read_text()
    assert "has the best test error" not in page and "- %" not in page
