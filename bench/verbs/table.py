"""The table of the verbs: group, what each does, examples, arguments, and the module that does it."""

import argparse
from collections.abc import Callable
from typing import NamedTuple

from structbench.bench.verbs import arguments

JOBS = "jobs of the workflow"
GROUPS = ("run", "look", "use", "data", "share", "measure", JOBS)


class Verb(NamedTuple):
    """A verb. ``module``, of ``bench.verbs``, has a function ``do_VERB`` and is imported when it is called.

    ``examples`` stand after ``python -m bench``. The first is in the list of all verbs.
    """

    group: str
    module: str
    about: str
    arguments: Callable[[argparse.ArgumentParser], None]
    examples: tuple[str, ...] = ()


VERBS = {
    "run": Verb(
        "run", "running", "run one algorithm on one data set, and print the outcome as a JSON object",
        arguments.run,
        (
            "run --data mnist --loss log --C 10 --algorithm eg --passes 20",
            "run --data crfsuite:train.txt --test test.txt --loss log --C 2 --algorithm lbfgs --out runs/mine",
            "run --data ocr --loss hinge --C 10 --algorithm eg --set mode=batch --set eta=1 --seconds 60",
        ),
    ),
    "path": Verb(
        "run", "running",
        "optimise falling values of C, warm-started, and print a table of them, then the outcome", arguments.path,
        (
            "path --data mnist --loss log --first 1000 --ratio 0.7 --C 0.2737 --tolerance 1e-3",
            "path --data svmlight:train.txt --test test.txt --loss log --C 1 --out runs/path",
        ),
    ),
    "show": Verb(
        "look", "running", "show a run's spec, curve and summary", arguments.show,
        ("show mnist__log__C=10__eg", "show results/runs/mnist__log__C=10__eg --json"),
    ),
    "compare": Verb(
        "look", "sharing", "say what differs between two runs: spec, outcome, curve, provenance",
        arguments.compare,
        (
            "compare mnist__log__C=10__eg mnist__log__C=10__lbfgs",
            "compare mnist__log__C=10__eg my-host:mnist__log__C=10__eg --json",
        ),
    ),
    "status": Verb(
        "look", "states", "say which runs of a config are finished, stale, torn, missing or disturbed, and why",
        arguments.status,
        ("status config/mine.yaml", "status --json", "status"),
    ),
    "best": Verb(
        "look", "best", "rank the methods of a config's finished runs, each at the C that suits it",
        arguments.best,
        (
            "best config/mine.yaml --by test_f1",
            "best mine --data mnist --by seconds --level 1e-4 --json",
            "best",
        ),
    ),
    "figures": Verb(
        "look", "views", "draw the figures of a config from finished runs", arguments.figures,
        ("figures --only eg2008/fig10-mnist", "figures --only eg2008 --config config/paper.yaml", "figures"),
    ),
    "plot": Verb(
        "look", "plotting", "draw the gap, error, objective or suboptimality of runs to a file", arguments.plot,
        (
            "plot mnist__log__C=10__eg mnist__log__C=10__lbfgs --y gap --x passes --out a.svg",
            "plot results/runs/mine results/runs/other --y error --x seconds --out errors.png",
        ),
    ),
    "claims": Verb(
        "look", "claims", "answer the papers' sentences by finished runs, or show the evidence of one",
        arguments.claims,
        ("claims eg2008", "claims eg2008 beats-lbfgs-mnist --published", "claims --config mine.yaml --json"),
    ),
    "report": Verb(
        "look", "views", "write the report of a config, results/CONFIG/report/index.html", arguments.report,
        ("report --config config/mine.yaml",),
    ),
    "track": Verb(
        "look", "views", "log finished runs and drawn figures to MLflow", arguments.track,
        ("track", "track --config config/mine.yaml --without-figures"),
    ),
    "predict": Verb(
        "use", "predicting", "label a file of new examples with the model of a run", arguments.predict,
        (
            "predict results/runs/mine new.txt",
            "predict model new.txt --probabilities --out labelled.txt",
            "predict model new.txt --k-best 3",
        ),
    ),
    "clean": Verb(
        "data", "states", "say what stale, torn or disturbed runs take on the disk, and delete them",
        arguments.clean,
        ("clean --stale", "clean --stale --yes", "clean --disturbed paper --yes"),
    ),
    "list": Verb(
        "data", "listed", "list algorithms, losses, structures, data sets and figures", arguments.listing,
        ("list algorithms", "list algorithms --structure chain", "list --json"),
    ),
    "new": Verb(
        "data", "making", "write a skeleton of your own into a folder of yours: it works, and you change it",
        arguments.new,
        ("new algorithm my-steps --in mine", "new data my-points --in mine", "new paper mine2026 --in mine"),
    ),
    "check": Verb(
        "data", "making", "test what lies in a folder of yours on small problems, and say what is wrong",
        arguments.check, ("check mine",),
    ),
    "data": Verb(
        "data", "listing", "list, show, fetch or check data sets", arguments.data,
        ("data show conll2000", "data list", "data fetch mnist", "data check columns:train.txt --test test.txt"),
    ),
    "export": Verb(
        "share", "sharing", "write the checkpoints of all runs as one Parquet file, or the model of a run",
        arguments.export,
        ("export --config mine --out mine.parquet", "export --model results/runs/mine --out m", "export"),
    ),
    "publish": Verb(
        "share", "sharing", "write what came of a config's runs into docs/results", arguments.publish,
        ("publish --config config/paper.yaml", "publish laso2005 --config config/paper.yaml", "publish --check"),
    ),
    "merge": Verb(
        "share", "sharing", "bring the runs of another machine in, checked, under results/hosts",
        arguments.merge,
        ("merge /mnt/other/structbench/results", "merge copied-runs --replace"),
    ),
    "measure": Verb(
        "measure", "measuring",
        "compare ours with peers: time, memory, quality, by finished runs of config/measure.yaml",
        arguments.measure,
        ("measure", "measure peers passes --json", "measure --page"),
    ),
    "problem": Verb(JOBS, "jobs", "build a problem", arguments.problem),
    "batch": Verb(JOBS, "jobs", "make several runs", arguments.batch),
    "breakdown": Verb(JOBS, "jobs", "time the steps of one update", arguments.breakdown),
    "outcome": Verb(JOBS, "jobs", "fail if a run of a config is missing", arguments.outcome),
    "addresses": Verb(JOBS, "jobs", "print the addresses of MLflow's pages", arguments.addresses),
    "start": Verb(JOBS, "starting", "call snakemake, once its config can be read", arguments.start),
}  # fmt: skip
GONE = {
    "unlock": "call the same command again: it takes away what a killed workflow left"
}  # and what to do instead
