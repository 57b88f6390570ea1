"""The report: pages for a reader in a hurry. They need no other file and no network.

The index says what could not be made, what the papers' sentences came to on the papers' own data, apart from
substitute and generated data, and which methods are best in each grid. Each paper and each grid has a page: its
claims, each with the figures that it reads. Another page lists runs, data sets and the environment. The explorer
of all curves lies in the same folder. The same results give the same pages, except for their date.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_folder
from structbench.bench.drawing.best import Best, texts
from structbench.bench.papers import shown
from structbench.bench.papers.verdicts import IN_PART, NOT_REPRODUCED, REPRODUCED, VERDICTS
from structbench.bench.report import explorer, gathered, images, origin, pages, sections
from structbench.bench.report.gathered import named
from structbench.bench.runs.store import Run

INDEX = "index"
MEANING = {  # of a run's status
    "converged": "reached the relative gap asked for",
    "passes": "made all passes without reaching the gap",
    "timeout": "used up its seconds without reaching the gap",
    "stalled": "found no further step before reaching the gap",
    "diverged": "met a value that is not finite",
    "missing": "is asked for by a figure or claim, but not finished",
}
COLUMNS = ("passes", "wall_seconds", "primal", "relative_gap", "test_error", "test_f1")
ENVIRONMENT = (
    "host", "cpu", "os", "cores", "affinity", "cpu_limit", "threads", "alone", "python", "numba", "numpy", "scipy",
    "lock_sha256", "git_commit", "code_sha256",
)  # fmt: skip


def write(
    folder: Path,
    runs: Iterable[Run],
    figures_folder: Path,
    claims_folder: Path,
    papers: Mapping[str, Collection[str]] | None = None,
    missing: Mapping[str, str] | None = None,
    left_out: Iterable[str] = (),
    elsewhere: Iterable[Run] = (),
    name: str = "",
    grids: Mapping[str, Best] | None = None,
    one_file: bool = False,
) -> Path:
    """Write the pages of finished runs, drawn figures and judged claims to ``folder``, in place of what it held.

    Curves are read one at a time, so their number hardly matters for memory. A run whose curve cannot be read is
    said to be missing.

    Args:
        figures_folder: Holds a folder per paper with, for each figure, a sidecar and its images.
        claims_folder: Holds one JSON file per paper.
        papers: What to show: papers, and grids as ``grid-NAME``, each with the stems of its figures. By default,
            all that have figures or claims.
        missing: Runs that could not be made, by key, each with the reason as a sentence.
        left_out: Sentences on what else is not shown, and what would change that.
        elsewhere: Runs of other machines. Only the explorer shows them.
        name: Of the config.
        grids: ``grid-NAME`` -> which methods are best. If there are no papers, the report begins with them.
        one_file: Whether one page holds all of them, with the images, except for the explorer.

    Returns:
        The page to begin with.

    Raises:
        UserError: A sidecar or a claims file is broken, an image is missing, or the pages cannot be written.
    """
    runs, grids = sorted(runs, key=lambda run: run.key), grids or {}
    everywhere = [*runs, *elsewhere]
    made_of = _papers(Path(figures_folder), Path(claims_folder), papers, grids)
    figures = [figure for paper in made_of for figure in paper["figures"]]
    curves, unreadable = explorer.contents(everywhere, figures)
    missing = dict(missing or {}) | {run.key: reason for run, reason in unreadable if run in runs}
    contents = _contents(runs, made_of, missing, explorer.data_versions(everywhere)) | {
        "name": name,
        "grids": grids,
        "only_grids": bool(grids) and all(paper["id"] in grids for paper in made_of),
        "texts": texts,
        "left_out": list(left_out),
    }
    parts = [{"id": INDEX, "title": "Overview"}]
    parts += [{"id": paper["id"], "title": paper["title"], "paper": paper} for paper in made_of]
    parts += [{"id": "runs", "title": "Runs and data"}]
    try:
        with atomic_folder(Path(folder)) as made:
            beside = (None, None) if one_file else (made / "images", Path(folder) / "images")
            contents |= {"contents": parts, "images": images.Images(*beside)}
            pages.write(made / explorer.NAME, "explorer.html.j2", curves)
            for name, some in [(INDEX, parts)] if one_file else [(part["id"], [part]) for part in parts]:
                own = {"parts": some, "to": partial(_address, "" if one_file else name)}
                pages.write(made / f"{name}.html", "page.html.j2", contents | own)
    except OSError as error:
        raise UserError(f"cannot write the report to {folder} ({error.strerror}): make room there") from error
    return Path(folder) / f"{INDEX}.html"


def _address(here: str, page: str, anchor: str = "") -> str:
    """Where a link from the page ``here`` leads; from "", which holds all pages, to an anchor in it."""
    if page == explorer.ID:
        return explorer.NAME + (anchor and f"#{anchor}")
    if here in ("", page):
        return f"#{anchor or page}"
    return f"{page}.html" + (anchor and f"#{anchor}")


def _papers(
    figures: Path, claims: Path, wanted: Mapping[str, Collection[str]] | None, grids: Iterable[str]
) -> list[dict[str, Any]]:
    """Papers and grids with their claims and figures: of those that are wanted, the figures that are."""
    found = gathered.papers(figures, claims)
    if wanted is not None:
        found = [paper for paper in found if paper["id"] in wanted]
        for paper in found:
            paper["figures"] = [each for each in paper["figures"] if each["stem"] in wanted[paper["id"]]]
    for figure in (figure for paper in found for figure in paper["figures"]):
        figure["title"] = gathered.short_title(figure)
    undrawn = [grid for grid in grids if all(paper["id"] != grid for paper in found)]
    return [*found, *(gathered.nothing(grid) for grid in undrawn)]


def _contents(
    runs: list[Run],
    papers: list[dict[str, Any]],
    missing: dict[str, str],
    versions: Mapping[explorer.Data, set[str]],
) -> dict[str, Any]:
    drawn = [figure for paper in papers for figure in paper["figures"]]
    judged = [claim for paper in papers for claim in paper["claims"]]
    shows = {run.key: urlencode(explorer.view(run, versions)) for run in runs if run.key not in missing}
    rows = [_row(run.key, run.summary, shows[run.key]) for run in runs if run.key in shows]
    done = {row["key"] for row in rows}
    for figure in drawn:
        if old := [key for key in figure["runs"] if key not in done]:
            figure["caption"] = f"Out of date: {len(old)} of its runs are no longer current. {figure['caption']}"
    asked = {key for user in (*drawn, *judged) for key in user["uses"]} - done
    why = {key: missing.get(key) or MEANING["missing"] for key in sorted(asked | missing.keys() - done)}
    rows += [_row(key, {"status": "missing", "message": reason}) for key, reason in why.items()]
    numbers = {row["key"]: place for place, row in enumerate(rows)}
    for user in (*drawn, *judged):
        user["rows"] = [numbers[key] for key in user["uses"]]
    for claim in judged:
        claim["evidence"] = shown.rows(claim)
    for paper in papers:
        paper["asked"] = [claim for claim in paper["claims"] if claim.get("asks")]
        paper["asked"].sort(key=lambda claim: sections.ORDER.index(claim["origin"]))
        paper["counts"] = Counter(claim["verdict"] for claim in paper["claims"])
        paper["sections"] = sections.of(paper)
    verdicts = _ordered(VERDICTS, (claim["verdict"] for claim in judged))
    started = [run.started for run in runs]
    environment = _environment(runs)
    return {
        "written": datetime.now(UTC).timestamp(),
        "began": min(started, default=None),
        "ended": max(started, default=None),
        "solver_seconds": sum(row["wall_seconds"] or 0 for row in rows),
        "finished": len(done),
        "missing": _by_reason(rows),
        "rows": rows,
        "meaning": MEANING,
        "statuses": _ordered(MEANING, (row["status"] for row in rows)),
        "counts": Counter(row["status"] for row in rows),
        "verdicts": verdicts,
        "scales": sorted({paper["scale"] for paper in papers} - {""}),
        "decided": sum(claim["verdict"] in (REPRODUCED, IN_PART, NOT_REPRODUCED) for claim in judged),
        "claims": Counter(claim["verdict"] for claim in judged),
        "users": {user["id"]: user["rows"] for user in (*drawn, *judged)},
        "origins": origin.ORIGINS,
        "answers": _answers(papers),
        "drawn": {(figure["paper"], figure["stem"]) for figure in drawn},
        "papers": papers,
        "data": _data_sets(runs),
        "environment": environment,
        "machines": [value for value, _ in environment.get("cpu", [])],
        "commits": [value for value, _ in environment.get("git_commit", [])],
    }


def _ordered(known: Iterable[str], found: Iterable[str]) -> list[str]:
    """The known words, then others that were found, each once."""
    return list(dict.fromkeys([*known, *sorted(set(found))]))


def _by_reason(rows: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """The reasons why runs are missing, each with the runs' keys."""
    found = defaultdict(list)
    for row in rows:
        if row["status"] == "missing":
            found[row["message"]].append(row["key"])
    return list(found.items())


def _answers(papers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each origin that claims are judged on, how many have which verdict, in all and in each paper."""
    answers = []
    for kind in origin.ORIGINS:
        found = [
            (paper, Counter(claim["verdict"] for claim in paper["claims"] if claim["origin"] == kind))
            for paper in papers
        ]
        found = [(paper, counts) for paper, counts in found if counts]
        if found:
            counts = sum((counts for _, counts in found), Counter())
            answers.append({"origin": kind, "all": counts, "papers": found})
    return answers


def _row(key: str, summary: Mapping[str, Any], view: str = "") -> dict[str, Any]:
    return named(key) | {name: summary.get(name) for name in (*COLUMNS, "status", "message")} | {"view": view}


def _data_sets(runs: list[Run]) -> list[dict[str, Any]]:
    """Each data set with its size, hash, licence and number of runs."""
    by_data = defaultdict(list)
    for run in runs:
        by_data[run.spec["data"], run.spec["test"], run.summary["provenance"]["data_sha256"]].append(run)
    described = []
    for (data, test, sha), users in sorted(by_data.items(), key=lambda pair: [str(part) for part in pair[0]]):
        name = data.partition(":")[0]
        first = users[0].summary
        described.append(
            {
                "name": f"{data}, test {test}" if test else data,
                "about": datasets.describe(name),
                "licence": getattr(datasets.module(name), "LICENCE", "your own file"),
                "sha256": sha,
                "examples": first["num_examples"],
                "features": first["num_weights"],
                "runs": len(users),
            }
        )
    return described


def _environment(runs: list[Run]) -> dict[str, list[tuple[str, int]]]:
    """Of each part of the environment its values, each with the number of its runs, the most common first."""
    found = {}
    for name in ENVIRONMENT:
        values = Counter(str(run.summary["provenance"].get(name, "unknown")) for run in runs)
        found[name] = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    return found
