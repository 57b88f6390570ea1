"""``python -m bench``: the one command-line door."""

import argparse
import importlib
import os
import signal
import sys

from algorithms.runtime.errors import Fault, UserError

# verb -> the module of bench.verbs that does it, imported when it is called
VERBS = {
    **dict.fromkeys(("run", "path", "show"), "running"),
    **dict.fromkeys(("data", "list"), "listing"),
    "best": "best",
    **dict.fromkeys(("figures", "claims", "track", "report"), "views"),
    **dict.fromkeys(("problem", "breakdown", "batch", "unlock", "outcome"), "jobs"),
    **dict.fromkeys(("compare", "export", "merge", "publish"), "sharing"),
    "measure": "measuring",
}
EXAMPLES = {
    "run": """examples:
  python -m bench run --data mnist --loss log --C 10 --algorithm eg --passes 20
  python -m bench run --data crfsuite:train.txt --test test.txt --loss log --C 2 --algorithm lbfgs --out runs/mine
  python -m bench run --data ocr --loss hinge --C 10 --algorithm eg --set mode=batch --set eta=1 --seconds 60""",
    "path": """examples:
  python -m bench path --data mnist --loss log --first 1000 --ratio 0.7 --C 0.2737 --tolerance 1e-3
  python -m bench path --data svmlight:train.txt --test test.txt --loss log --C 1 --out runs/path""",
    "data": """examples:
  python -m bench data list
  python -m bench data show conll2000
  python -m bench data fetch mnist""",
    "list": """examples:
  python -m bench list
  python -m bench list algorithms""",
    "show": """examples:
  python -m bench show results/runs/mnist__log__C=10__eg
  python -m bench show mnist__log__C=10__eg""",
    "best": """examples:
  python -m bench best
  python -m bench best config/mine.yaml --by test_f1
  python -m bench best mine --data mnist --by seconds --level 1e-4 --json""",
    "figures": """examples:
  python -m bench figures
  python -m bench figures --only eg2008/fig10-mnist
  python -m bench figures --only eg2008 --config config/paper.yaml""",
    "claims": """examples:
  python -m bench claims
  python -m bench claims --config config/paper.yaml""",
    "track": """examples:
  python -m bench track
  MLFLOW_TRACKING_URI=http://127.0.0.1:5000 python -m bench track""",
    "report": """examples:
  python -m bench report""",
    "compare": """examples:
  python -m bench compare mnist__log__C=10__eg mnist__log__C=10__lbfgs
  python -m bench compare mnist__log__C=10__eg my-host:mnist__log__C=10__eg --json""",
    "export": """examples:
  python -m bench export
  python -m bench export --config config/quick.yaml --out tables""",
    "merge": """examples:
  python -m bench merge /mnt/other/structbench/results
  python -m bench merge copied-runs --replace""",
    "publish": """examples:
  python -m bench publish --config config/paper.yaml
  python -m bench publish laso2005 --config config/paper.yaml
  python -m bench publish --check""",
    "measure": """examples:
  python -m bench measure
  python -m bench measure agreement tracking""",
}


def parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    top = argparse.ArgumentParser(
        prog="python -m bench",
        description="Compare the algorithms that learn structured predictors. `snakemake --cores N` runs a whole "
        "config; these verbs do one thing each.",
        epilog="python -m bench VERB --help shows examples.",
    )
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)

    def verb(name: str, about: str) -> argparse.ArgumentParser:
        made = verbs.add_parser(
            name,
            help=about,
            description=about[0].upper() + about[1:] + ".",
            epilog=EXAMPLES.get(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.add_argument("--results", metavar="DIR", help="the folder of all results (default: results)")
        return made

    run = verb(
        "run", "run one algorithm on one data set, and print a JSON object with the outcome as the last line"
    )
    _add_what(run, "strength of the penalty, above 0: C ||w||^2 / 2, or what --penalty says")
    run.add_argument("--algorithm", required=True, metavar="NAME", help="see `list algorithms`")
    run.add_argument("--gap", type=float, default=1e-6, help="stop at this relative duality gap (default: 1e-6)")
    run.add_argument(
        "--penalty",
        help="l2 (default, or what the algorithm is for), l1 (C ||w||_1 / 2), l1-ball (||w||_1 <= 1 / C), "
        "l1-squared (C ||w||_1^2 / 2), laplace-LAMBDA, none",
    )
    _add_how(run, passes=100.0)

    path = verb("path", "optimise falling values of C, warm-started, and print a table of them, then the outcome")
    _add_what(path, "the last and least C, above 0")
    path.add_argument("--first", type=float, default=1000.0, help="the first and largest C (default: 1000)")
    path.add_argument("--ratio", type=float, default=0.7, help="of each C to the one before (default: 0.7)")
    path.add_argument(
        "--tolerance", type=float, default=1e-3, help="relative duality gap to reach at each C (default: 1e-3)"
    )
    _add_how(path, passes=1000.0)

    data = verb("data", "list, show or fetch data sets")
    data.add_argument("action", choices=["list", "show", "fetch"])
    data.add_argument("names", nargs="*", metavar="NAME")

    listing = verb("list", "list algorithms, structures, data sets and figures")
    listing.add_argument("kind", nargs="?", choices=["algorithms", "structures", "datasets", "figures"])

    show = verb("show", "show a run's spec, curve and summary")
    show.add_argument("run", metavar="RUN", help="its folder, or its name under results/runs")

    for name, about in (
        ("figures", "draw the figures of a config from finished runs"),
        ("claims", "judge the claims of a config's papers on finished runs"),
        ("track", "log finished runs and drawn figures to MLflow"),
        ("report", "write the report, results/CONFIG/report/index.html"),
    ):
        made = verb(name, about)
        made.add_argument("--config", default="config/quick.yaml", help="YAML file (default: config/quick.yaml)")
        if name == "figures":
            about = "just this paper's, or grid-NAME's; or just this figure, which needs only its own runs"
            made.add_argument("--only", metavar="PAPER[/FIGURE]", help=about)
        if name == "claims":
            made.add_argument("--only", metavar="PAPER", help="just this one")
        if name == "track":
            made.add_argument("--without-figures", action="store_true", help="only the runs")

    best = verb("best", "rank the methods of a config's finished runs, each at the C that suits it")
    best.add_argument(
        "config", nargs="?", default="config/quick.yaml", metavar="CONFIG",
        help="YAML file, or its name in config/ (default: config/quick.yaml)",
    )  # fmt: skip
    best.add_argument(
        "--by", default="test_error", choices=["test_error", "test_f1", "gap", "distance", "primal", "seconds"],
        help="by what; seconds are those to --level (default: test_error)",
    )  # fmt: skip
    best.add_argument(
        "--level", type=float, default=1e-3, help="relative distance to the optimum to reach (default: 1e-3)"
    )
    best.add_argument("--data", metavar="NAME", help="only this data set, with whatever options")
    best.add_argument("--json", action="store_true", help="print a JSON object instead of tables")

    compare = verb("compare", "say what differs between two runs: spec, outcome, curve, provenance")
    compare.add_argument("runs", nargs=2, metavar="RUN", help="its folder, its key, or HOST:KEY of a merged one")
    compare.add_argument("--json", action="store_true", help="print a JSON object instead of tables")

    export = verb("export", "write all checkpoints, all runs and the figures' numbers as tables")
    export.add_argument("--out", metavar="DIR", help="where to (default: results/export)")
    export.add_argument("--config", metavar="FILE", help="only the runs and figures of this config (default: all)")

    publish = verb("publish", "write what came of a config's runs into docs/results")
    publish.add_argument("papers", nargs="*", metavar="PAPER", help="only these; of others, what is there stays")
    publish.add_argument("--config", default="config/quick.yaml", help="YAML file (default: config/quick.yaml)")
    publish.add_argument("--out", metavar="DIR", default="docs/results", help="where to (default: docs/results)")
    publish.add_argument("--second", metavar="DIR", help="another machine's claims folder, or what it published")
    publish.add_argument("--check", action="store_true", help="instead: what is edited, or of older code")

    merge = verb("merge", "bring the runs of another machine in, checked, under results/hosts")
    merge.add_argument("source", metavar="DIR", help="the results of another checkout, or its runs")
    merge.add_argument("--replace", action="store_true", help="let a newer run replace an older one of its host")

    measure = verb("measure", "measure ours and its peers side by side: agreement, time, memory")
    measure.add_argument("parts", nargs="*", metavar="PART", help="which measurements (default: all)")

    # the workflow's own jobs
    problem = verbs.add_parser("problem", description="Build a problem (a job of the workflow).")
    problem.add_argument("data")
    problem.add_argument("--test")
    breakdown = verbs.add_parser("breakdown", description="Time the steps of one update (a job of the workflow).")
    breakdown.add_argument("data")
    breakdown.add_argument("--out", required=True)
    batch = verbs.add_parser("batch", description="Make several runs (a job of the workflow).")
    batch.add_argument("--out", required=True)
    batch.add_argument("--alone", action="store_true", help="its seconds are read: it has the machine to itself")
    batch.add_argument("--memory", action="store_true", help="peak memory is measured, too, in runs of its own")
    batch.add_argument("keys", nargs="+")
    verbs.add_parser("unlock", description="Take away the lock of a workflow that was killed.")
    outcome = verbs.add_parser("outcome", description="Fail if a run of a config is missing.")
    outcome.add_argument("--config", required=True)
    outcome.add_argument("--out", required=True)
    return top


def _add_what(verb: argparse.ArgumentParser, about_C: str) -> None:
    """What to minimise."""
    verb.add_argument("--data", required=True, metavar="NAME|svmlight:PATH|crfsuite:PATH", help="see `data list`")
    verb.add_argument("--test", metavar="PATH", help="test file, for svmlight and crfsuite data")
    verb.add_argument("--loss", help="log or hinge; none for an algorithm that minimises none (the default then)")
    verb.add_argument("--C", type=float, help=about_C)


def _add_how(verb: argparse.ArgumentParser, passes: float) -> None:
    """How to run it, when to stop, and where to keep it."""
    verb.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the algorithm"
    )
    verb.add_argument(
        "--passes", type=float, default=passes, help=f"stop after so many effective passes (default: {passes:g})"
    )
    verb.add_argument(
        "--seconds", type=float, help="stop after so many seconds of the algorithm's own, its set-up included"
    )
    verb.add_argument("--seed", type=int, default=0, help="of everything random (default: 0)")
    verb.add_argument("--threads", type=int, default=1, help="for the loops over all examples (default: 1)")
    verb.add_argument("--out", metavar="DIR", help="the run's folder (default: results/runs/ and its name)")
    verb.add_argument("--again", action="store_true", help="make it anew, even if DIR holds a finished run")


def main(arguments: list[str] | None = None) -> int:
    """Run a verb; returns the exit code: 0, 2 for a user's mistake, 1 for what else went wrong, 130 for Ctrl-C."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    given = parser().parse_args(arguments)
    if getattr(given, "results", None):
        os.environ["STRUCTBENCH_RESULTS"] = given.results
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        family = importlib.import_module(f"bench.verbs.{VERBS[given.verb]}")
        return getattr(family, f"do_{given.verb}")(given)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Fault as error:  # an algorithm's, not the user's
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        print(
            f"error: the package {error.name} is not installed for {sys.executable}: "
            "`make setup`, then use .venv/bin/python",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print("interrupted: what is finished is kept", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
