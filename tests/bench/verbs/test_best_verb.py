"""``bench best``: what is ranked, said to be missing, and refused."""

import json
from pathlib import Path

import pytest

from structbench.bench.runs import results
from structbench.bench.workflow import config
from tests.bench import fake_runs


def test_the_best_methods_are_shown_and_missing_runs_counted(bench, made):
    made(("mnist", 1.0, "eg"), ("mnist", 10.0, "eg"), ("mnist", 10.0, "lbfgs"))
    code, out, said = bench("best", "mine", "--by", "distance")
    assert code == 0
    assert said == "2 of 5 runs are not finished, and left out (`python -m bench status`)\n"
    titles = [line for line in out.splitlines() if line.startswith("mnist")]
    assert titles == [f"mnist, log loss, C = {C}, by distance" for C in (10, 1)]
    assert [line.split()[0] for line in out.splitlines()[3:5]] == ["EG", "L-BFGS"]
    assert "Within 0.1 % of the optimum after" in out
    optimistic = "CHOSEN ON TEST DATA: each method has the C of its best error on the test split"
    assert bench("best", "mine")[1].count(optimistic) == 1
    assert optimistic not in bench("best", "mine", "--by", "distance")[1]
    code, out, _ = bench("best", "config/mine.yaml", "--data", "ocr")
    assert code == 2


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


@pytest.mark.parametrize(
    ("words", "said_of_it"),
    [
        ("--data mnits", "--data mnits: did you mean 'mnist'?"),
        ("--level 0", "--level must be above 0, not 0"),
        ("", "none of these 5 runs is finished under results/runs: `make run` makes them"),
    ],
)
def test_mistakes_in_asking_for_the_best(bench, words, said_of_it):
    code, _, said = bench("best", "mine", *words.split())
    assert code == 2
    assert said_of_it in said
