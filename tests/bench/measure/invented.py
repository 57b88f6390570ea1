"""Contests of EG and saga, and invented runs for them."""

from structbench.bench.measure import outcomes
from structbench.bench.workflow import config
from tests.bench import synthetic_curves

GRID = {
    "name": "mine",
    "data": ["mnist"],
    "C": [10],
    "algorithms": {"eg": {"order": ["random", "gap"]}, "sklearn": {"method": ["saga"]}},
    "passes": 20,
    "seeds": [0, 1, 2],
}


def checked(*rows, **changes):
    contests = [{"part": "p", "grid": "mine"} | row for row in rows]
    return config.config_of({"name": "x", "grids": [GRID | changes], "contests": contests})


def outcome(**row):
    (contest,) = checked({"ours": ["eg:order=gap"], "theirs": ["sklearn"]} | row).contests
    return outcomes.outcome_of(contest)


def fill(folder, eg=(0.1, 0.2, 0.4), saga=(0.4, 0.5, 0.8), **more):
    """Runs of EG by gap and of saga, with these seconds a pass of each seed."""
    made = {}
    for spec in checked({"ours": ["eg"], "quantity": "primal"}).specs:
        if "random" not in dict(spec.params).values():
            seconds = (eg if spec.algorithm == "eg" else saga)[spec.seed]
            how = more.get(f"of_{spec.algorithm}", {})
            made[spec] = synthetic_curves.write(folder, spec, second_per_pass=seconds, host="here", **how)
    return made
