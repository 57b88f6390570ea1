"""Former names of parameters load wherever a user may have written them."""

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import aliases, catalogue, documents, grids, seals, state, store
from structbench.bench.runs.spec import make, parse
from tests.bench import fake_runs

TOY = "toy-english:sentences=30"


def test_every_alias_stands_for_a_parameter_that_there_is():
    there = {name for each in catalogue.algorithms() for name in catalogue.parameters(each)}
    assert set(aliases.PARAMETERS.values()) <= there and not set(aliases.PARAMETERS) & there
    for (name, _), value in aliases.VALUES.items():
        assert any(catalogue.parameters(each).get(name) == value for each in catalogue.algorithms())


@pytest.mark.parametrize(
    ("algorithm", "loss", "before", "today"),
    [
        ("smo", "hinge", {"rest": "false"}, {"shrinking": False}),
        ("laso", None, {"rows": "steps"}, {"compare_at": "steps"}),
        ("perceptron", None, {"rows": "outputs"}, {"compare_at": "decisions"}),
        ("frank-wolfe", "hinge", {"refresh": "1.5"}, {}),
        ("minimum-error", None, {"directions": "coordinates"}, {}),
    ],
)
def test_keys_options_and_grids_with_former_names_are_todays(algorithm, loss, before, today):
    C = 1.0 if loss else None
    wanted = make(TOY, loss, C, algorithm, today)
    assert make(TOY, loss, C, algorithm, before) == wanted
    (name, value), *_ = before.items()
    strength = f"{loss}__C=1" if loss else "none"
    assert parse(f"{TOY}__{strength}__{algorithm}:{name}={value}") == wanted
    lists = {name: [value] for name, value in before.items()}
    given = {"name": "mine", "data": [TOY], "C": [1.0], "algorithms": {algorithm: lists}}
    grid = grids.expand(given | ({"loss": [loss]} if loss else {}))
    assert [dict(spec.params) for spec in grid.specs] == [dict(wanted.params)]


def test_a_parameter_that_is_gone_is_refused_with_those_that_there_are():
    with pytest.raises(UserError, match="has no option 'refresh': it has mode, sampling, steps"):
        make(TOY, "hinge", 1.0, "frank-wolfe", {"refresh": "2"})
    there = {name: {*catalogue.parameters(name)} for name in catalogue.algorithms()}
    for (algorithm, name), value in aliases.GONE.items():
        assert name not in there[algorithm]
        assert aliases.today(algorithm, {name: value}, dict.fromkeys(there[algorithm])) == {}


def test_what_one_algorithm_had_is_refused_of_another():
    with pytest.raises(UserError, match="has no option 'rounds': it has"):
        make(TOY, "log", 1.0, "lbfgs", {"rounds": "0"})
    given = {
        "name": "mine",
        "data": [TOY],
        "C": [1.0],
        "loss": ["log"],
        "algorithms": {"cocoa": {"rounds": [0, 1]}},
    }
    with pytest.raises(UserError, match="has no option 'rounds': it has"):
        grids.expand(given)


def test_a_stored_run_with_a_former_name_is_known(tmp_path):
    run = fake_runs.write(tmp_path)
    spec = make("mnist", "hinge", 10.0, "smo", passes=60)
    folder = fake_runs.become(run, spec)
    written = documents.to_jsonable(spec.as_dict())
    written["params"]["rest"] = written["params"].pop("shrinking")
    (folder / "spec.json").write_text(documents.to_json(written))
    (folder / "summary.json").write_text(documents.to_json(seals.sealed(folder, store.read_run(folder).summary)))
    found = state.of_folder(folder)
    assert found.run is not None and "do not know it" not in found.reason
