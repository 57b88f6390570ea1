"""The report: one HTML page for a reader in a hurry. It needs no other file and no network.

It begins with what could not be made. Then it says what was reproduced on the papers' own data, apart from
substitute and generated data. If a config has only grids, the best methods come first. Claims, figures, runs, data
sets and the environment follow. The explorer of all curves lies in the same folder. The same results give the same
pages, except for their date.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from structbench import datasets
from structbench.bench.drawing.best import Best, texts
from structbench.bench.papers import shown
from structbench.bench.papers.verdicts import VERDICTS
from structbench.bench.report import explorer, gathered, images, origin, pages
from structbench.bench.report.gathered import named
from structbench.bench.runs.store import Run

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
    out: Path,
    runs: Iterable[Run],
    figures_folder: Path,
    claims_folder: Path,
    papers: Mapping[str, Collection[str]] | None = None,
    missing: Mapping[str, str] | None = None,
    left_out: Iterable[str] = (),
    elsewhere: Iterable[Run] = (),
    name: str = "",
    grids: Mapping[str, Best] | None = None,
) -> Path:
    """Write the report of finished runs, drawn figures and judged claims to ``out``, and the explorer next to it.

    Images and curves are read one at a time, so their number hardly matters for memory. A run whose curve cannot
    be read is said to be missing.

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

    Returns:
        ``out``.

    Raises:
        UserError: A sidecar or a claims file is broken, an image is missing, or a page cannot be written.
    """
    out, runs = Path(out), sorted(runs, key=lambda run: run.key)
    everywhere = [*runs, *elsewhere]
    contents, unreadable = explorer.contents(everywhere)
    missing = dict(missing or {}) | {run.key: reason for run, reason in unreadable if run in runs}
    shown = _papers(Path(figures_folder), Path(claims_folder), papers, grids or {})
    said = _contents(runs, shown, missing, explorer.data_versions(everywhere)) | {
        "name": name,
        "grids": grids or {},
        "only_grids": bool(grids) and all(paper["id"] in grids for paper in shown),
        "texts": texts,
    }
    pages.write(out.with_name(explorer.NAME), "explorer.html.j2", contents | {"report": out.name})
    return pages.write(out, "report.html.j2", said | {"left_out": list(left_out), "explorer": explorer.NAME})


def _papers(
    figures: Path, claims: Path, wanted: Mapping[str, Collection[str]] | None, grids: Iterable[str]
) -> list[dict[str, Any]]:
    """Papers and grids with their claims and figures: of those that are wanted, the figures that are."""
    found = gathered.papers(figures, claims)
    if wanted is not None:
        found = [paper for paper in found if paper["id"] in wanted]
        for paper in found:
            paper["figures"] = [each for each in paper["figures"] if each["stem"] in wanted[paper["id"]]]
    undrawn = [grid for grid in grids if all(paper["id"] != grid for paper in found)]
    return [*found, *({"id": grid, "about": "", "scale": "", "claims": [], "figures": []} for grid in undrawn)]


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
        "reproduced": sum(claim["verdict"] == VERDICTS[0] for claim in judged),
        "origins": origin.ORIGINS,
        "answers": _answers(papers),
        "claims": _by_origin(judged),
        "choices": {
            "verdict": [verdict for verdict in verdicts if any(claim["verdict"] == verdict for claim in judged)],
            "origin": [kind for kind in origin.ORIGINS if any(claim["origin"] == kind for claim in judged)],
            "paper": [paper["id"] for paper in papers if paper["claims"]],
        },
        "shelves": [(kind, list(some)) for kind, some in groupby(_by_origin(drawn), itemgetter("origin"))],
        "drawn": {(figure["paper"], figure["stem"]) for figure in drawn},
        "papers": papers,
        "data": _data_sets(runs),
        "environment": environment,
        "machines": [value for value, _ in environment.get("cpu", [])],
        "commits": [value for value, _ in environment.get("git_commit", [])],
        "full": images.full,
        "small": images.small,
    }


def _ordered(known: Iterable[str], found: Iterable[str]) -> list[str]:
    """The known words, then others that were found, each once."""
    return list(dict.fromkeys([*known, *sorted(set(found))]))


def _by_origin(users: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Figures or claims, those on the papers' own data first; within an origin in the order given."""
    places = list(origin.ORIGINS)
    return sorted(users, key=lambda user: places.index(user["origin"]))


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
        counts = {
            paper["id"]: Counter(claim["verdict"] for claim in paper["claims"] if claim["origin"] == kind)
            for paper in papers
        }
        counts = {name: verdicts for name, verdicts in counts.items() if verdicts}
        if counts:
            answers.append({"origin": kind, "all": sum(counts.values(), Counter()), "papers": counts})
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
