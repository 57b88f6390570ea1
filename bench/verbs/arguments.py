"""The arguments of the verbs: a function for each verb adds them to its parser."""

import argparse

Parser = argparse.ArgumentParser
CONFIG, MEASURE = "config/quick.yaml", "config/measure.yaml"
CONFIGS = f"YAML file, or its name in config/ (default: {CONFIG})"
RUN = (
    "a run: its folder, its key (the folder's name in results/runs), the beginning of a key that no other has, "
    "or HOST:KEY of a merged one"
)


# ---- what several verbs take -----------------------------------------------------------------------


def _config(verb: Parser) -> None:
    verb.add_argument("--config", metavar="CONFIG", default=CONFIG, help=CONFIGS)


def _json(verb: Parser) -> None:
    verb.add_argument("--json", action="store_true", help="print one JSON document instead of tables")


def _stale(verb: Parser) -> None:
    verb.add_argument("--stale", action="store_true", help="with runs of other programs, data or settings, marked")


def _objective(verb: Parser, about_C: str) -> None:
    """What to minimise."""
    verb.add_argument("--data", required=True, metavar="NAME|FORMAT:PATH", help="see `list datasets`")
    verb.add_argument("--test", metavar="PATH", help="test file, for data sets that read a file of yours")
    verb.add_argument("--loss", help="see `list losses`; none (the default) for an algorithm that minimises none")
    verb.add_argument("--C", type=float, help=about_C)


def _limits(verb: Parser, passes: float) -> None:
    """How to run it, when to stop, and where to keep it."""
    about = "a parameter of the algorithm"
    verb.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help=about)
    about = f"stop after this many passes (default: {passes:g})"
    verb.add_argument("--passes", type=float, default=passes, help=about)
    about = "stop after this many seconds of the algorithm's own, its set-up included"
    verb.add_argument("--seconds", type=float, help=about)
    verb.add_argument("--seed", type=int, default=0, help="of everything random (default: 0)")
    verb.add_argument("--threads", type=int, default=1, help="for the loops over all examples (default: 1)")
    verb.add_argument("--out", metavar="DIR", help="the run's folder (default: results/runs/ and its key)")
    verb.add_argument("--again", action="store_true", help="make it again, even if DIR holds a finished run")


# ---- run -------------------------------------------------------------------------------------------


def run(verb: Parser) -> None:
    _objective(verb, "strength of the penalty, above 0: C ||w||^2 / 2, or what --penalty says")
    about = "see `list algorithms`; maybe with parameters, as in eg:order=gap,eta=0.25"
    verb.add_argument("--algorithm", required=True, metavar="NAME", help=about)
    verb.add_argument("--gap", type=float, default=1e-6, help="stop at this relative duality gap (default: 1e-6)")
    verb.add_argument(
        "--penalty",
        help="l2 (default, or what the algorithm is for), l1 (C ||w||_1 / 2), l1-ball (||w||_1 <= 1 / C), "
        "l1-squared (C ||w||_1^2 / 2), laplace-LAMBDA, none",
    )
    _limits(verb, passes=100.0)


def path(verb: Parser) -> None:
    _objective(verb, "the last and least C, above 0")
    verb.add_argument("--first", type=float, default=1000.0, help="the first and largest C (default: 1000)")
    verb.add_argument("--ratio", type=float, default=0.7, help="of each C to the one before (default: 0.7)")
    verb.add_argument(
        "--tolerance", type=float, default=1e-3, help="relative duality gap to reach at each C (default: 1e-3)"
    )
    _limits(verb, passes=1000.0)
    _json(verb)


# ---- look ------------------------------------------------------------------------------------------


def show(verb: Parser) -> None:
    verb.add_argument("run", metavar="RUN", help=RUN)
    _json(verb)


def predict(verb: Parser) -> None:
    verb.add_argument("run", metavar="RUN|MODEL", help=f"{RUN}; or the folder of an exported model")
    verb.add_argument("file", metavar="FILE", help="new examples in the format of its data; labels are not read")
    verb.add_argument("--probabilities", action="store_true", help="print the probability of each label, too")
    verb.add_argument("--k-best", type=int, metavar="N", help="print the N best outputs of each example")
    verb.add_argument("--out", metavar="FILE", help="where to (default: print it)")


def compare(verb: Parser) -> None:
    verb.add_argument("runs", nargs=2, metavar="RUN", help=RUN)
    _json(verb)


def best(verb: Parser) -> None:
    verb.add_argument("config", nargs="?", metavar="CONFIG", default=CONFIG, help=CONFIGS)
    verb.add_argument(
        "--by",
        choices=["validation_error", "test_error", "test_f1", "gap", "distance", "primal", "seconds"],
        help="by what; seconds are those to --level (default: validation_error of data with a validation split, "
        "else test_error)",
    )  # fmt: skip
    verb.add_argument(
        "--level", type=float, default=1e-3, help="relative distance to the optimum to reach (default: 1e-3)"
    )
    verb.add_argument("--data", metavar="NAME", help="just this data set, with whatever options")
    _stale(verb)
    _json(verb)


def status(verb: Parser) -> None:
    verb.add_argument("config", nargs="?", metavar="CONFIG", default=CONFIG, help=CONFIGS)
    _json(verb)


def clean(verb: Parser) -> None:
    which = verb.add_mutually_exclusive_group(required=True)
    which.add_argument("--stale", action="store_true", help="runs that are stale or torn")
    which.add_argument("--disturbed", metavar="CONFIG", help="timed runs of this config that something disturbed")
    verb.add_argument("--yes", action="store_true", help="delete them; without it only their sizes are said")


def figures(verb: Parser) -> None:
    _config(verb)
    _stale(verb)
    about = "just this paper's, or grid-NAME's; or just this figure, which needs only its own runs"
    verb.add_argument("--only", metavar="PAPER[/FIGURE]", help=about)
    verb.add_argument("--pdf", action="store_true", help="write PDF, too")
    verb.add_argument("--claims", action="store_true", help="judge the papers' sentences, too")


def plot(verb: Parser) -> None:
    verb.add_argument("runs", nargs="+", metavar="RUN", help=RUN)
    verb.add_argument("--y", required=True, choices=["gap", "error", "objective", "suboptimality"], help="what")
    verb.add_argument(
        "--x", default="passes", choices=["passes", "seconds"], help="against what (default: passes)"
    )
    verb.add_argument("--out", required=True, metavar="FILE", help="the file, which ends in .png, .svg or .pdf")


def claims(verb: Parser) -> None:
    _config(verb)
    _stale(verb)
    verb.add_argument("paper", nargs="?", metavar="PAPER", help="just this one's")
    verb.add_argument("id", nargs="?", metavar="ID", help="just this sentence, with its evidence")
    verb.add_argument("--published", action="store_true", help="those of docs/results")
    _json(verb)


def report(verb: Parser) -> None:
    _config(verb)
    _stale(verb)
    verb.add_argument("--one-file", action="store_true", help="all in index.html but the explorer")


def track(verb: Parser) -> None:
    _config(verb)
    _stale(verb)
    verb.add_argument("--without-figures", action="store_true", help="only the runs")
    verb.add_argument("--model", action="append", default=[], metavar="RUN", help=f"with the model of {RUN}")


# ---- data ------------------------------------------------------------------------------------------


def listing(verb: Parser) -> None:
    verb.add_argument(
        "kind", nargs="?", choices=["algorithms", "losses", "structures", "datasets", "figures"], help="just these"
    )
    verb.add_argument("--structure", metavar="ID", help="just the algorithms that learn it")
    verb.add_argument(
        "--page",
        action="store_true",
        help="write the table of docs/reference/algorithms.md, docs/reference/api.md and docs/answers.md",
    )
    _json(verb)


def new(verb: Parser) -> None:
    verb.add_argument("kind", choices=["algorithm", "data", "structure", "loss", "paper"])
    verb.add_argument("name", metavar="NAME", help="small letters, digits and hyphens, such as my-steps")
    verb.add_argument(
        "--in", dest="folder", metavar="DIR", required=True, help="a folder of yours; made if need be"
    )


def check(verb: Parser) -> None:
    verb.add_argument("folder", metavar="DIR", help="a folder of yours")


def data(verb: Parser) -> None:
    verb.add_argument("action", choices=["list", "show", "fetch", "check"])
    verb.add_argument("names", nargs="*", metavar="NAME|FORMAT:PATH")
    verb.add_argument("--test", metavar="PATH", help="for check: the test file of a file of yours")
    _json(verb)


# ---- share -----------------------------------------------------------------------------------------


def export(verb: Parser) -> None:
    _stale(verb)
    verb.add_argument("--config", metavar="FILE", help="just the runs of this config (default: all)")
    verb.add_argument("--model", metavar="RUN", help=f"instead: the model of {RUN}")
    verb.add_argument(
        "--out",
        metavar="DIR",
        help="a .parquet file (default: results/export.parquet); of a model, a folder (default: results/model)",
    )


def publish(verb: Parser) -> None:
    verb.add_argument("papers", nargs="*", metavar="PAPER", help="just these; of others, what is there stays")
    _config(verb)
    verb.add_argument("--out", metavar="DIR", default="docs/results", help="where to (default: docs/results)")
    verb.add_argument("--second", metavar="DIR", help="another machine's claims folder, or what it published")
    verb.add_argument("--check", action="store_true", help="instead: what is edited, or of older code")


def merge(verb: Parser) -> None:
    verb.add_argument("source", metavar="DIR", help="the results of another checkout, or its runs")
    verb.add_argument("--replace", action="store_true", help="let a newer run replace an older one of its host")


# ---- measure ---------------------------------------------------------------------------------------


def measure(verb: Parser) -> None:
    verb.add_argument("parts", nargs="*", metavar="PART", help="contests of the config (default: all of them)")
    verb.add_argument("--config", metavar="CONFIG", default=MEASURE, help=f"with contests (default: {MEASURE})")
    verb.add_argument(
        "--page",
        action="store_true",
        help="write docs/reference/performance.md, docs/results/contests.json and docs/answers.md, too",
    )
    _json(verb)


# ---- jobs of the workflow --------------------------------------------------------------------------


def problem(verb: Parser) -> None:
    verb.add_argument("data")
    verb.add_argument("--test")


def breakdown(verb: Parser) -> None:
    verb.add_argument("data")
    verb.add_argument("--out", required=True)


def batch(verb: Parser) -> None:
    verb.add_argument("--out", required=True)
    verb.add_argument("--alone", action="store_true", help="its seconds are read: it has the machine to itself")
    verb.add_argument("--memory", action="store_true", help="peak memory is measured, too, in runs of its own")
    verb.add_argument("--path", action="append", default=[], metavar="NAME=PATH", help="of a file in a key")
    verb.add_argument("keys", nargs="+")


def addresses(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("server", help="the address of MLflow's server")


def outcome(verb: Parser) -> None:
    _config(verb)
    verb.add_argument("--out", required=True)


def start(verb: Parser) -> None:
    verb.add_argument("words", nargs="*", metavar="-- ARGUMENT", help="those that snakemake is called with")
