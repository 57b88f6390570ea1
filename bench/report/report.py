"""The report: one HTML page that needs no other file and no network, for a reader in a hurry.

It opens with what ran and which claims hold, says which runs are missing or diverged, then shows claims,
figures, runs, data sets and the environment. The same results give the same page, its date apart.
"""

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import datasets
from algorithms.runtime.errors import UserError
from algorithms.runtime.files import atomic_file
from bench.papers.judging import VERDICTS, by_setting, tally
from bench.runs import catalogue
from bench.runs.spec import fields_of
from bench.runs.store import Run

TEMPLATES = Path(__file__).with_name("templates")
LARGEST_SVG = 300_000  # bytes; of a larger one the PNG is shown

STATUSES = ("converged", "passes", "timeout", "stalled", "diverged", "missing")
MEANING = {
    "converged": "reached the relative gap asked for",
    "passes": "made all passes without reaching the gap",
    "timeout": "used up its seconds without reaching the gap",
    "stalled": "found no further step before reaching the gap",
    "diverged": "met a value that is not finite",
    "missing": "is asked for by a figure or claim, but not finished",
}
ENVIRONMENT = ("host", "cpu", "cores", "threads", "python", "numba", "numpy", "scipy", "git_commit", "code_sha256")


def write(
    out: Path,
    runs: Iterable[Run],
    figures_folder: Path,
    claims_folder: Path,
    papers: Collection[str] | None = None,
) -> Path:
    """Write the report of finished runs, drawn figures and judged claims to the HTML file ``out``.

    Images are read one at a time and curves not at all, so that its size does not matter for memory.

    Args:
        figures_folder: holds a folder per paper with, for each figure, a sidecar and its images.
        claims_folder: holds one JSON file per paper.
        papers: those to show, and grids as ``grid-NAME``; by default all that have figures or claims.

    Returns:
        ``out``.

    Raises:
        UserError: a sidecar or a claims file is broken, an image is missing, or ``out`` cannot be written.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": _number,
        "duration": _duration,
        "utc": _utc,
        "plural": _plural,
        "by_setting": by_setting,
        "tally": tally,
        "short": _short,
    }
    environment.globals |= {"image": _image, "meaning": MEANING, "verdicts": VERDICTS, "statuses": STATUSES}
    page = environment.get_template("report.html.j2").generate(
        _contents(list(runs), figures_folder, claims_folder, papers)
    )
    out = Path(out)
    try:
        with atomic_file(out) as partial, partial.open("w", encoding="utf-8") as file:
            file.writelines(page)
    except OSError as error:
        raise UserError(f"cannot write the report to {out} ({error.strerror}): make room there") from error
    return out


def _contents(
    runs: list[Run], figures_folder: Path, claims_folder: Path, wanted: Collection[str] | None
) -> dict[str, Any]:
    rows = [_row(run) for run in sorted(runs, key=lambda run: run.key)]
    keys = {row["key"] for row in rows}
    papers = _papers(Path(figures_folder), Path(claims_folder))
    papers = [paper for paper in papers if wanted is None or paper["id"] in wanted]
    asked = {key for paper in papers for user in paper["figures"] + paper["claims"] for key in user["uses"]}
    rows += [_missing_row(key) for key in sorted(asked - keys)]
    numbers = {row["key"]: number for number, row in enumerate(rows)}
    for paper in papers:
        for user in paper["figures"] + paper["claims"]:
            user["rows"] = [numbers[key] for key in user["uses"]]
    claims = [claim for paper in papers for claim in paper["claims"]]
    started = [run.started for run in runs]
    environments = _environment(runs)
    return {
        "written": datetime.now(UTC).timestamp(),
        "began": min(started, default=None),
        "ended": max(started, default=None),
        "solver_seconds": sum(row["wall_seconds"] or 0 for row in rows),
        "finished": len(runs),
        "rows": rows,
        "counts": Counter(row["status"] for row in rows),
        "judged": Counter(claim["verdict"] for claim in claims),
        "claims": len(claims),
        "figures": sum(len(paper["figures"]) for paper in papers),
        "papers": papers,
        "data": _data_sets(runs),
        "environment": environments,
        "machines": [value for value, _ in environments.get("cpu", [])],
        "commits": [value for value, _ in environments.get("git_commit", [])],
    }


def _row(run: Run) -> dict[str, Any]:
    summary = run.summary
    columns = ("passes", "wall_seconds", "primal", "relative_gap", "test_error", "test_f1", "status", "message")
    return _named(run.key) | {name: summary.get(name) for name in columns}


def _missing_row(key: str) -> dict[str, Any]:
    columns = ("passes", "wall_seconds", "primal", "relative_gap", "test_error", "test_f1")
    return _named(key) | dict.fromkeys(columns) | {"status": "missing", "message": MEANING["missing"]}


def _named(key: str) -> dict[str, Any]:
    """What a run's name says, in columns."""
    data, loss, c, algorithm, *rest = fields_of(key)
    name, _, given = algorithm.partition(":")
    options = [unquote(word) for word in (*filter(None, given.split(",")), *rest)]
    return {
        "key": key,
        "data": unquote(data),
        "loss": loss,
        "C": None if c is None else float(c.removeprefix("C=")),
        "algorithm": name,
        "options": options,
    }


def _papers(figures_folder: Path, claims_folder: Path) -> list[dict[str, Any]]:
    """Each paper's claims and figures; ``uses`` are the keys of the runs that a claim or figure asks for."""
    about = catalogue.papers()
    found: dict[str, dict[str, Any]] = defaultdict(lambda: {"scale": "", "claims": [], "figures": []})
    for file in sorted(claims_folder.glob("*.json")):
        judged = _json(file, "claims", "scale")
        claims = [claim | {"uses": claim["runs"]} for claim in judged["claims"]]
        found[file.stem] |= {"scale": judged["scale"], "claims": claims}
    for file in sorted(figures_folder.glob("*/*.json")):
        said = _json(file, "title", "caption", "runs", "missing", "commit", "data_sha256")
        said |= {"stem": file.stem, "file": file, "uses": said["runs"] + said["missing"]}
        found[file.parent.name]["figures"].append(said)
    return [{"id": name, "about": about.get(name, "")} | paper for name, paper in sorted(found.items())]


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
                "features": first["num_features"],
                "runs": len(users),
            }
        )
    return described


def _environment(runs: list[Run]) -> dict[str, list[tuple[str, int]]]:
    """Of each part of the environment its values, each with the number of its runs, the most common first."""
    found = {}
    for name in ENVIRONMENT:
        values = Counter(str(run.summary["provenance"].get(name) or "unknown") for run in runs)
        found[name] = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    return found


def _image(sidecar: Path) -> str:
    """The figure beside its sidecar as a data address: its SVG, or its PNG if that is large."""
    svg, png = sidecar.with_suffix(".svg"), sidecar.with_suffix(".png")
    try:
        vector = svg.stat().st_size <= LARGEST_SVG
        content = (svg if vector else png).read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {error.filename} ({error.strerror}): draw {sidecar.stem} again") from error
    return f"data:image/{'svg+xml' if vector else 'png'};base64,{base64.b64encode(content).decode()}"


def _json(file: Path, *fields: str) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
        missing = [name for name in fields if name not in value]
    except (OSError, ValueError, TypeError) as error:
        raise UserError(
            f"{file} is broken ({str(error).partition(chr(10))[0]}): delete it and make it again"
        ) from error
    if missing:
        raise UserError(f"{file} is broken (no {missing[0]!r}): delete it and make it again")
    return value


def _number(value: float | None, digits: int = 4) -> str:
    """A number with so many significant digits, or a dash."""
    if value is None:
        return "-"
    if 1 <= abs(value) < 1e9:
        whole, point, rest = f"{value:,.{max(0, digits - len(str(int(abs(value)))))}f}".partition(".")
        return (whole + point + rest.rstrip("0")).rstrip(".")
    return f"{value:.{digits}g}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _short(commit: str) -> str:
    """The start of a hash, and the + of a checkout with changes."""
    return commit[:10] + ("+" if commit.endswith("+") else "")


def _plural(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
