"""A report's page of runs, in Markdown."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from structbench.algorithms.runtime.names import plural
from structbench.bench.drawing.method_looks import problems
from structbench.bench.drawing.refuted import refutations
from structbench.bench.report import explorer
from structbench.bench.report.gathered import of_key
from structbench.bench.report.markdown import bullets, cell, code, document, prose, sentence, table
from structbench.bench.runs.store import Run
from structbench.datasets import describe

RUNS = "runs.md"
MISSING = "missing"
MEANING = {  # of a run's status
    "converged": "reached the relative gap asked for",
    "unverified": "reached the gap by its own sums, which nothing recomputes",
    "passes": "made all passes without reaching the gap",
    "timeout": "used up its seconds without reaching the gap",
    "finished": "a program of others, or an algorithm without an objective, ended by itself",
    "stalled": "found no further step before reaching the gap",
    "diverged": "met a value that is not finite",
    MISSING: "is asked for by a figure or claim, but not finished",
}
OUTDATED = "a figure or claim was made of it, and it does not count today: draw and judge again"
ENVIRONMENT = (
    "host", "cpu", "os", "cores", "affinity", "cpu_limit", "threads", "python", "numba", "numpy", "scipy",
    "lock_sha256", "git_commit", "code_sha256",
)  # fmt: skip
HEADS = (
    "status", "data", "loss", "C", "algorithm", "options", "passes", "CPU s", "wall s", "primal",
    "relative gap", "test error %", "test F1 %", "run",
)  # fmt: skip
NUMBERS = {  # digits
    "passes": 4, "cpu_seconds": 4, "wall_seconds": 4, "primal": 8, "relative_gap": 3, "test_error": 4,
    "test_f1": 4,
}  # fmt: skip
READING = """\
Every word of the filter must occur in a row; a heading sorts. A run's name leads to its problem in the explorer; \
`python -m bench show RUN` prints its specification and curve."""
NONE_FINISHED = "No run is finished yet: `make run` makes them."


def runs_page(
    runs: Sequence[Run], missing: Mapping[str, str], versions: explorer.Versions, grids: Mapping[str, str]
) -> str:
    """The page of all runs, their data sets and where they were made.

    Args:
        missing: Why other runs are not there, by key.
        versions: Of the data of all runs.
        grids: The names of the grids of runs, by their keys.
    """
    statuses = Counter([run.summary["status"] for run in runs] + [MISSING] * len(missing))
    meanings = {status: f": {meaning}" for status, meaning in MEANING.items()}
    known = [status for status in dict.fromkeys([*MEANING, *sorted(statuses)]) if statuses[status]]
    diverged = [run for run in runs if run.summary["status"] == "diverged"]
    refuted = {each.run.key for each in refutations(runs)}
    of_grid = defaultdict(set)
    for run in runs:
        if run.key in grids:
            of_grid[grids[run.key]].add((run.spec.data.whole, run.spec.test))
    named = {key: grid for key, grid in grids.items() if len(of_grid[grid]) == 1}
    rows = [_row(run, versions, run.key in refuted, named.get(run.key, "")) for run in runs]
    rows += [(f"**{MISSING}**", *_named(key), *["-"] * len(NUMBERS), code(key)) for key in sorted(missing)]
    heads = ("data set", "training examples", "features", "licence", "SHA-256", "runs")
    shaken = sum(bool(run.disturbance) for run in runs)
    said = [f"{shaken} of {plural(len(runs), 'run')} were not timed alone, or were disturbed."] * bool(shaken)
    said += [f"**{plural(len(diverged), 'run')} diverged**"] * bool(diverged)
    said.append(bullets(f"{code(run.key)} {cell(run.summary['message'])}" for run in diverged))
    environment = [
        "As the runs recorded it; where they differ, each value with the number of its runs.",
        table(("what", "value"), [_environment(name, runs) for name in ENVIRONMENT]),
    ]
    return prose(
        "runs",
        statuses=bullets(f"**{statuses[word]} {cell(word)}**{meanings.get(word, '')}" for word in known),
        diverged=document(*said),
        runs=f"{READING}\n\n{table(HEADS, rows)}" if rows else NONE_FINISHED,
        data=table(heads, _data_sets(runs, grids)) if runs else "No run has used a data set yet.",
        environment=document(*environment) if runs else "",
    )


def _row(run: Run, versions: explorer.Versions, refuted: bool, grid: str) -> tuple[str, ...]:
    said, status = [], f"**{cell('refuted' if refuted else run.summary['status'])}**"
    for name, digits in NUMBERS.items():
        value, scale = run.summary.get(name), 100 if name.startswith("test_") else 1
        said.append("-" if value is None else number(value * scale, digits))
    view = urlencode(explorer.view(run, versions))
    named = cell(_called(run, grid)), *_named(run.key)[1:]
    return status, *named, *said, f"[{code(run.key)}](explorer.html#{view})"


def _named(key: str) -> tuple[str, ...]:
    found = of_key(key)
    strength = "-" if found.C is None else number(found.C)
    options = " ".join(each for each in found.options if not each.startswith("test="))
    return cell(found.data), cell(found.loss), strength, cell(found.algorithm), cell(options)


def _called(run: Run, grid: str) -> str:
    """The user's files by the name of their grid if it has no others, and the fold; other data by their name."""
    if not grid or not run.spec.data.paths:
        return of_key(run.key).data
    return ", ".join(filter(None, [grid, problems([run.spec])[0][0].fold]))


def _data_sets(runs: Sequence[Run], grids: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Each data set with its size and hash, and how many runs were trained on it."""
    by_data = defaultdict(list)
    for run in runs:
        by_data[run.spec.data, run.spec.test, run.summary["provenance"]["data_sha256"]].append(run)
    for (data, test, sha), users in sorted(by_data.items(), key=lambda pair: [str(part) for part in pair[0]]):
        first = users[0].summary
        grid = grids.get(users[0].key, "")
        title = problems([users[0].spec])[0][0].title
        called = f"{grid}: {title}" if grid and data.paths else title
        whole = code(f"{data}, test {test}" if test else data)
        name = f"**{cell(called)}** {sentence(describe(data.name))} {whole}"
        sizes = f"{first['num_examples']:,}", f"{first['num_weights']:,}"
        yield name, *sizes, cell(data.module.LICENCE), code(sha), str(len(users))


def _environment(name: str, runs: Sequence[Run]) -> tuple[str, str]:
    values = made_on(name, runs)
    counts = [f" ({plural(n, 'run')})" if len(values) > 1 else "" for _, n in values]
    return name, ", ".join(f"{code(value)}{count}" for (value, _), count in zip(values, counts, strict=True))


def made_on(name: str, runs: Sequence[Run]) -> list[tuple[str, int]]:
    """The values of a part of the environment, each with the number of its runs, the most common first."""
    values = Counter(str(run.summary["provenance"].get(name, "unknown")) for run in runs)
    return sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))


def number(value: float, digits: int = 4) -> str:
    """Format a number with this many significant digits, and all of its whole part."""
    whole = len(str(round(abs(value)))) if abs(value) < 1e9 else 0
    return f"{value:,.{max(digits, whole)}g}"


def short(commit: str) -> str:
    """The start of a hash, and the + of a checkout with changes."""
    return commit[:10] + "+" * commit.endswith("+")
