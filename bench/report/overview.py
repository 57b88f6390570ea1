"""A report's first page and its page of runs, in Markdown."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from structbench.bench.drawing.best import Best
from structbench.bench.drawing.draw import plural
from structbench.bench.drawing.ranking import texts
from structbench.bench.drawing.refuted import refutations
from structbench.bench.papers.verdicts import IN_PART, LESS, NOT_REPRODUCED, REPRODUCED, VERDICTS
from structbench.bench.report import explorer, origin
from structbench.bench.report.gathered import Paper, of_key
from structbench.bench.report.markdown import bullets, cell, code, document, prose, quoted, slug, table
from structbench.bench.report.paper_pages import LISTED, anchor
from structbench.bench.report.published import INDEX
from structbench.bench.runs.store import Run
from structbench.datasets import describe

RUNS = "runs.md"
SHOWN = 20  # missing runs of one reason that the first page names
BEST = 3  # methods of a grid that the first page of papers shows
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
ENVIRONMENT = (
    "host", "cpu", "os", "cores", "affinity", "cpu_limit", "threads", "alone", "python", "numba", "numpy", "scipy",
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


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a report shows."""

    name: str
    runs: Sequence[Run]  # the finished ones
    missing: Mapping[str, str]  # why other runs are not there, by key
    versions: explorer.Versions  # of the data of all runs
    papers: Sequence[Paper]
    listed: Sequence[Sequence[str]]  # a row of a table for each paper
    grids: Mapping[str, Best]  # which methods are best in each
    left_out: Sequence[str]  # sentences on what else is not shown

    @property
    def only_grids(self) -> bool:
        """Whether there are no papers, but grids."""
        return bool(self.grids) and all(paper.id in self.grids for paper in self.papers)

    @property
    def verdicts(self) -> Counter[str]:
        """How many claims have which verdict."""
        return Counter(claim.verdict for paper in self.papers for claim in paper.claims)

    @property
    def title(self) -> str:
        """The first page's title."""
        runs = plural(len(self.runs), "run")
        if self.only_grids:
            return f"results of {self.name}, {runs}"
        return f"{runs}, {self.verdicts[REPRODUCED]} of {plural(self.verdicts.total(), 'claim')} reproduced"


def overview(report: Contents) -> str:
    """The first page: warnings, what is decided, all papers, and the best of each grid."""
    decided, origins = "", "" if report.only_grids else "No claim has been judged yet."
    if total := report.verdicts.total():
        decisive = (REPRODUCED, LESS, IN_PART, NOT_REPRODUCED)
        holds, less, partly, fails = (report.verdicts[verdict] for verdict in decisive)
        decided = f"{holds + less + partly + fails} of {plural(total, 'sentence')} of the papers: {holds} hold"
        decided += f", {less} hold with a lesser effect, {partly} in part, {fails} do not."
        decided += " The others are open or not run."
        origins = _by_origin(report.papers)
    best, most = [NONE_FINISHED] * (not report.runs), None if report.only_grids else BEST
    for paper in (each for each in report.papers if each.id in report.grids):
        best += [] if report.only_grids else [f"## [The best of {cell(paper.title)}]({paper.id}/{INDEX})"]
        best.append(standing(report.grids[paper.id], "###", most))
    answers = [block for paper in report.papers if paper.claims for block in _answers(paper)]
    answers += [] if any(paper.figures for paper in report.papers) else ["No figure has been drawn yet."]
    return prose(
        "overview",
        warnings=document(_missing(report.missing), _failed(report.papers), _refuted(report.runs)),
        title=f"Results of {cell(report.name)}" if report.only_grids else "What this run decides",
        decided=decided,
        written=_utc(datetime.now(UTC).timestamp()) + _made_of(report),
        origins=origins,
        papers="" if report.only_grids or not report.listed else table(LISTED, report.listed),
        grids=document(*best),
        answers=document(*answers),
        left_out=f"## What is left out\n\n{bullets(map(cell, report.left_out))}" if report.left_out else "",
    )


def _answers(paper: Paper) -> Sequence[str]:
    """The questions that a paper's claims answer."""
    rows = []
    for claim in paper.asked:
        question = f"[{cell(claim.asks)}]({paper.id}/{anchor(claim)}) {cell(claim.setting)}"
        rows.append((f"**{cell(claim.verdict)}**", question, cell(claim.answer)))
    answered = table(("verdict", "question", "answer"), rows) if rows else ""
    return f"## [{cell(paper.title)}]({paper.id}/{INDEX})", cell(paper.about), answered


def _missing(missing: Mapping[str, str]) -> str:
    """A warning that runs are missing, with the reasons."""
    if not missing:
        return ""
    why: dict[str, list[str]] = defaultdict(list)
    for key, reason in missing.items():
        why[reason].append(key)
    blocks = [f"**{plural(len(missing), 'run')} missing: what follows is from the rest**"]
    for reason, keys in why.items():
        more = [f"and {len(keys) - SHOWN} more: [all runs]({RUNS})"] if len(keys) > SHOWN else []
        many = f"{plural(len(keys), 'run')}: " if len(keys) > 1 else ""
        blocks += [f"{many}{cell(reason)}", bullets([*map(code, keys[:SHOWN]), *more])]
    return quoted(*blocks)


def _failed(papers: Sequence[Paper]) -> str:
    """A warning that figures could not be drawn, with the reasons."""
    failed = [figure for paper in papers for figure in paper.figures if figure.failed]
    lines = [f"[{cell(one.id)}]({one.paper}/figures.md#{slug(one.stem)}): {cell(one.failed)}" for one in failed]
    return quoted(f"**{plural(len(failed), 'figure')} not drawn**", bullets(lines)) if failed else ""


def _refuted(runs: Sequence[Run]) -> str:
    """A warning that certificates are false, with the runs that show it."""
    found = [cell(str(one)) for one in refutations(runs)]
    return quoted(f"**{plural(len(found), 'certificate')} refuted**", bullets(found)) if found else ""


def _made_of(report: Contents) -> str:
    """When, at which scale, of what and where the runs were made."""
    said = ""
    if report.runs:
        began, *_, ended = [*sorted({_utc(run.started) for run in report.runs})] * 2
        seconds = duration(sum(run.summary["cpu_seconds"] or 0.0 for run in report.runs))
        until = f" to {ended}" if ended != began else ""
        said += f", from {plural(len(report.runs), 'run')} of {began}{until}, {seconds} of CPU time in solvers"
    scales = sorted({paper.scale for paper in report.papers} - {""})
    said += f", scale {' and '.join(map(cell, scales))}" if scales else ""
    if report.runs:
        cpus = " and ".join(cell(cpu) for cpu, _ in _values("cpu", report.runs))
        commits = ", ".join(code(short(commit)) for commit, _ in _values("git_commit", report.runs))
        said += f", on {cpus}, commit {commits}"
    return said


def _by_origin(papers: Sequence[Paper]) -> str:
    """A table of how many claims on data of each origin have which verdict."""
    claims = [claim for paper in papers for claim in paper.claims]
    verdicts = [*dict.fromkeys([*VERDICTS, *sorted({claim.verdict for claim in claims})])]
    rows = []
    for kind, name in origin.ORIGINS.items():
        counts = Counter(claim.verdict for claim in claims if claim.origin == kind)
        if counts:
            rows.append((name, counts.total(), *(counts[verdict] or "-" for verdict in verdicts)))
    return table(("data", "claims", *map(cell, verdicts)), rows)


def standing(best: Best, level: str, most: int | None = None) -> str:
    """Which methods of a grid are best: a table for each data set, or each problem.

    Args:
        level: Of the headings: ``##`` or ``###``.
        most: Rows of a table that are shown.
    """
    blocks = []
    for each in best.tables:
        if not each.rows:
            continue
        rows = texts(each)
        answers = [
            f"**{cell(one.problem.objective)}** {cell(one.text)}" if len(each.answers) > 1 else cell(one.text)
            for one in each.answers
        ]
        blocks += [f"{level} {cell(each.title)}", bullets(answers)]
        blocks.append(table(map(cell, rows[0]), [[*map(cell, row.values())] for row in rows[:most]]))
        blocks.append(f"The best {most} of {len(rows)}." if most and len(rows) > most else "")
    return document(*blocks, "**How to read these tables**", bullets(map(cell, best.notes)))


def runs_page(report: Contents) -> str:
    """The page of all runs, their data sets and where they were made."""
    statuses = Counter([run.summary["status"] for run in report.runs] + [MISSING] * len(report.missing))
    meanings = {status: f": {meaning}" for status, meaning in MEANING.items()}
    known = [status for status in dict.fromkeys([*MEANING, *sorted(statuses)]) if statuses[status]]
    diverged = [run for run in report.runs if run.summary["status"] == "diverged"]
    refuted = {each.run.key for each in refutations(report.runs)}
    rows = [_row(run, report.versions, run.key in refuted) for run in report.runs]
    rows += [(f"**{MISSING}**", *_named(key), *["-"] * len(NUMBERS), code(key)) for key in sorted(report.missing)]
    heads = ("data set", "training examples", "features", "licence", "SHA-256", "runs")
    said = [f"**{plural(len(diverged), 'run')} diverged**"] * bool(diverged)
    said.append(bullets(f"{code(run.key)} {cell(run.summary['message'])}" for run in diverged))
    environment = [
        "As the runs recorded it; where they differ, each value with the number of its runs.",
        table(("what", "value"), [_environment(name, report.runs) for name in ENVIRONMENT]),
    ]
    return prose(
        "runs",
        statuses=bullets(f"**{statuses[word]} {cell(word)}**{meanings.get(word, '')}" for word in known),
        diverged=document(*said),
        runs=f"{READING}\n\n{table(HEADS, rows)}" if rows else NONE_FINISHED,
        data=table(heads, _data_sets(report.runs)) if report.runs else "No run has used a data set yet.",
        environment=document(*environment) if report.runs else "",
    )


def _row(run: Run, versions: explorer.Versions, refuted: bool) -> tuple[str, ...]:
    said, status = [], f"**{cell('refuted' if refuted else run.summary['status'])}**"
    for name, digits in NUMBERS.items():
        value, scale = run.summary.get(name), 100 if name.startswith("test_") else 1
        said.append("-" if value is None else number(value * scale, digits))
    view = urlencode(explorer.view(run, versions))
    return status, *_named(run.key), *said, f"[{code(run.key)}](explorer.html#{view})"


def _named(key: str) -> tuple[str, ...]:
    found = of_key(key)
    strength = "-" if found.C is None else number(found.C)
    return cell(found.data), cell(found.loss), strength, cell(found.algorithm), cell(" ".join(found.options))


def _data_sets(runs: Sequence[Run]) -> list[tuple[str, ...]]:
    """Each data set with its size and hash, and how many runs were trained on it."""
    by_data = defaultdict(list)
    for run in runs:
        by_data[run.spec.data, run.spec.test, run.summary["provenance"]["data_sha256"]].append(run)
    found = []
    for (data, test, sha), users in sorted(by_data.items(), key=lambda pair: [str(part) for part in pair[0]]):
        first = users[0].summary
        name = f"**{cell(f'{data}, test {test}' if test else data)}** {cell(describe(data.name))}"
        sizes = f"{first['num_examples']:,}", f"{first['num_weights']:,}"
        found.append((name, *sizes, cell(data.module.LICENCE), code(sha), str(len(users))))
    return found


def _environment(name: str, runs: Sequence[Run]) -> tuple[str, str]:
    values = _values(name, runs)
    counts = [f" ({plural(n, 'run')})" if len(values) > 1 else "" for _, n in values]
    return name, ", ".join(f"{code(value)}{count}" for (value, _), count in zip(values, counts, strict=True))


def _values(name: str, runs: Sequence[Run]) -> list[tuple[str, int]]:
    """The values of a part of the environment, each with the number of its runs, the most common first."""
    values = Counter(str(run.summary["provenance"].get(name, "unknown")) for run in runs)
    return sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))


def number(value: float, digits: int = 4) -> str:
    """A number with so many significant digits, and all of its whole part."""
    whole = len(str(int(abs(value)))) if abs(value) < 1e9 else 0
    return f"{value:,.{max(digits, whole)}g}"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, whichever can be grasped."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _utc(seconds: float) -> str:
    """The date and minute of seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def short(commit: str, digits: int = 10) -> str:
    """The start of a hash, and the + of a checkout with changes."""
    return commit[:digits] + "+" * commit.endswith("+")
