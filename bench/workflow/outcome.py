"""What came of a workflow: where its results are, and which runs and figures it has not made, and why."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import plural
from structbench.bench.drawing import draw
from structbench.bench.papers import judged
from structbench.bench.papers.verdicts import NOT_RUN, UNDECIDED, tally
from structbench.bench.runs import odd_labels, problem_store, results
from structbench.bench.runs.finished import Runs
from structbench.bench.workflow import batches
from structbench.bench.workflow.config import Config
from structbench.bench.workflow.config_files import config_file, unless_usual
from structbench.bench.workflow.paper_modules import title

SHOWN = 10  # missing runs, or figures, that are named
ANSWERS = 3  # of a paper
MISSING = "missing; figures, claims, MLflow and the report are made of the others. The same command tries again"
NOT_DRAWN = "not drawn; all else is made. The same command tries again once their runs or the programs change"


def missing(config: Config) -> dict[str, str]:
    """Run -> why it is not there, for all that the config asks for."""
    gone = [spec for spec in config.specs if spec not in config.finished]
    failed = batches.failures() if gone else {}
    found = {spec.key: config.found(spec).reason for spec in gone}
    return {key: failed.get(key, why) for key, why in found.items()}


def undrawn(config: Config) -> dict[str, str]:
    """Figure -> why it cannot be drawn, for all that the config asks for."""
    names = (Path(paper, stem) for paper, members in config.figures.items() for stem in members)
    files = {str(name): results.figures(config.name) / f"{name}.json" for name in names}
    found = {name: draw.read_sidecar(file).failed for name, file in files.items() if file.is_file()}
    return {name: why for name, why in found.items() if why}


def complaint(gone: dict[str, str], failed: dict[str, str]) -> str:
    """A sentence on the runs that are missing, one on the figures that are not drawn, and a line on each."""
    lines: list[str] = []
    for found, what, said in ((gone, "run", MISSING), (failed, "figure", NOT_DRAWN)):
        if found:
            named = [f"  {name}: {why}" for name, why in sorted(found.items())[:SHOWN]]
            more = [f"  and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            count = f"{len(found)} {what}{' is' if len(found) == 1 else 's are'}"
            lines += [f"error: {count} {said}:", *named, *more]
    return "\n".join(lines)


def show_best(config: Config) -> None:
    """Print the best methods of a config without papers: by seconds if all solve one problem, else by error."""
    from structbench.bench.drawing import best, ranking

    if not config.papers:
        called = config.name if config_file(config.name) != config.name else ""
        ranking.show(best.best(config.specs, Runs(), best.headline(config.specs)), called=called)


def where(config: Config, mlflow: str) -> str:
    """Where the results are, of those that are there, and what is said of the papers.

    Args:
        mlflow: Where MLflow has them.
    """
    figures = sum(map(len, config.figures.values()))
    report = results.report(config.name)
    places = [
        ("figures", results.figures(config.name), f"/ ({figures}, each as PNG and SVG)"),
        ("claims", results.claims(config.name), "/"),
        ("report", report / "index.html", ""),
        ("explorer", report / "explorer.html", ""),
    ]
    lines = []
    for name, place, more in places:
        if place.exists():
            lines.append(f"{name:8} {place}{more}")
            lines += [f"         {said}" for said in _verdicts(config)] if name == "claims" else []
    lines += [f"data     {said}" for said in _odd_labels(config)]
    lines += [f"timed    {said}" for said in timed(config)]
    if config.grids and config_file(config.name) != config.name:
        best = command("best", config.name, *results.words())
        lines.append(f"best     {best} (--help: by error, F1, gap or seconds)")
    return "\n".join([*lines, f"MLflow   {mlflow}"])


def _odd_labels(config: Config) -> Iterator[str]:
    """What is odd about the labels of the user's files; of folds, about those of the first."""
    specs = [spec for grid in config.grids for spec in grid.specs if spec.data.path]
    for test, data in {(spec.data.whole, spec.test): (spec.test, spec.data) for spec in reversed(specs)}.values():
        if problem_store.note(data, test).is_file():
            with suppress(UserError):
                for sentence in odd_labels.odd_labels(problem_store.obtain(data, test)[0], data):
                    yield f"{data.shown}: {sentence}"


def timed(config: Config, with_stale: bool = False, file: str = "") -> list[str]:
    """Sentences on the timed runs that something disturbed, and on runs of grids that were not timed alone.

    Args:
        file: As the user named the config; without it, its name, by which a workflow's config is found.
    """
    runs = Runs(with_stale=with_stale)
    untimed = {spec for grid in config.grids for spec in grid.specs}.difference(config.timed)
    shaken, beside = (
        sum((run := runs[spec]) is not None and bool(run.disturbance) for spec in some)
        for some in (config.timed, untimed)
    )
    said = [
        f"{shaken} of {len(config.timed)} timed runs were disturbed: their seconds mean little "
        f"(`{command('status', *unless_usual(file or config.name), *results.words())}` says why)."
    ]
    others = [
        f"{plural(beside, 'run')} shared the machine with others: their seconds mean little. `timed: true` "
        "in the grid gives each the machine to itself."
    ]
    return said * bool(shaken) + others * bool(beside)


def _verdicts(config: Config) -> Iterator[str]:
    """How many sentences of each paper have which verdict, and the first answers."""
    some = False
    for paper in config.papers:
        file = results.claims(config.name) / f"{paper}.json"
        claims = judged.read_judged(file).claims if file.is_file() else []
        if claims:
            yield f"{title(paper)}: {tally(claim.verdict for claim in claims)}"
        decided = [claim for claim in claims if claim.verdict not in (NOT_RUN, UNDECIDED)]
        yield from (f"  {claim.name}: {claim.answer}" for claim in decided[:ANSWERS])
        if len(decided) > ANSWERS:
            lists = command("claims", paper, *unless_usual(config.name, "--config"), *results.words())
            yield f"  and {len(decided) - ANSWERS} more: {lists}"
        some |= bool(claims)
    if some and config.scale != "paper":
        yield "For the papers' own sizes: python -m bench claims --published"
