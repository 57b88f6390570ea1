"""What a workflow has to make again goes when it starts."""

import json

from structbench.bench.runs import problem_store, programs, update_costs
from structbench.bench.workflow import breakdown, config, view_inputs
from structbench.datasets import data_ref


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
