"""``docs/results``: what came of a config's runs, for a reader of the repository who runs nothing.

A page for each paper holds every table, figure and claim; ``runs.csv`` every run; ``published.json`` which runs a
figure or claim is of, the code they were made with, and the SHA-256 of every file here. This program alone writes
them: ``altered`` finds what was edited by hand, ``of_older_code`` the runs that today's code would make anew.
"""

import csv
import hashlib
import io
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from algorithms.runtime.errors import UserError
from algorithms.runtime.files import write_atomically
from bench.papers.judging import VERDICTS
from bench.report import gathered, origin
from bench.runs import provenance
from bench.runs.spec import parse
from bench.runs.store import Run

INDEX, RECORD, RUNS = "README.md", "published.json", "runs.csv"
LARGEST = 15_000_000  # bytes of all files
LARGEST_SVG = 200_000  # of a larger one the PNG is shown
COLUMNS = (
    "status", "primal", "dual", "relative_gap", "passes", "cpu_seconds", "test_error", "test_f1", "num_features",
)  # fmt: skip
MADE = ("host", "cpu", "git_commit", "code_sha256", "data_sha256", "started")
TEMPLATES = Path(__file__).with_name("templates")


def publish(
    out: Path, runs: Iterable[Run], figures: Path, claims: Path, wanted: Collection[str], missing: Collection[str]
) -> Path:
    """Put the pages of these papers, with their figures and runs, in place of what ``out`` holds.

    Args:
        figures, claims: the folders that hold what was drawn and judged.
        wanted: papers, and grids as ``grid-NAME``.
        missing: keys of runs that are not finished: figures and claims that use them are there, and say so.

    Raises:
        UserError: a figure or claim is broken or of runs that are not there, all is too large, ``out`` holds other
            things, or cannot be written.
    """
    known = {run.key: run for run in runs}
    papers = [paper for paper in gathered.papers(figures, claims) if paper["id"] in wanted]
    users = [user for paper in papers for user in (*paper["figures"], *paper["claims"])]
    used = sorted({key for user in users for key in user["uses"]} - set(missing))
    gone = [key for key in used if key not in known]
    if gone:
        raise UserError(f"cannot publish: the run {gone[0]} of a figure or claim is gone: make it again, and draw")
    if out.exists() and not (out / RECORD).exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} holds other things than published results: choose another --out, or empty it")
    made = [known[key] for key in used]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for paper in papers:
            _write_paper(folder, paper)
        contents = {"papers": papers, "origins": origin.ORIGINS, "verdicts": VERDICTS} | _machines(made)
        write_atomically(folder / INDEX, _filled_in("results.md.j2", contents | {"count": count}))
        write_atomically(folder / RUNS, _table(made))
        place = {run.key: k for k, run in enumerate(made)}  # of the code's runs; one that is missing has its name

        def uses(user: dict[str, Any]) -> list[int | str]:
            return [place.get(key, key) for key in user["uses"]]

        record = {
            "figures": {f"{user['paper']}/{user['stem']}": uses(user) for p in papers for user in p["figures"]},
            "claims": {claim["id"]: uses(claim) for paper in papers for claim in paper["claims"]},
            "missing": sorted(missing),
            "code": {run.key: run.summary["provenance"]["code_sha256"] for run in made},
            "files": hashes(folder),
        }
        write_atomically(folder / RECORD, json.dumps(record) + "\n")
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        if size > LARGEST:
            raise UserError(f"cannot publish: {size:,} bytes, expected at most {LARGEST:,}: publish fewer papers")
        try:
            if out.exists():
                shutil.rmtree(out)
            shutil.copytree(folder, out)
        except OSError as error:
            raise UserError(f"cannot write {out} ({error.strerror}): make room and its folder writable") from error
    return out / INDEX


def count(paper: dict[str, Any], kind: str) -> Counter[str]:
    """How many claims on data of an origin have which verdict."""
    return Counter(claim["verdict"] for claim in paper["claims"] if claim["origin"] == kind)


def _write_paper(folder: Path, paper: dict[str, Any]) -> None:
    """The page of a paper, and its images beside it; tables are written out."""
    for figure in paper["figures"]:
        if "table" in figure:
            continue
        source = figure["file"].with_suffix(".svg")
        if not source.exists() or source.stat().st_size > LARGEST_SVG:
            source = source.with_suffix(".png")
        figure["image"] = f"{paper['id']}/{source.name}"
        (folder / paper["id"]).mkdir(exist_ok=True)
        try:
            shutil.copyfile(source, folder / figure["image"])
        except OSError as error:
            raise UserError(f"cannot read {source} ({error.strerror}): draw the figures again") from error
    page = _filled_in("paper.md.j2", {"paper": paper, "origins": origin.ORIGINS})
    write_atomically(folder / f"{paper['id']}.md", page)


def _machines(runs: list[Run]) -> dict[str, Any]:
    """Which machines and commits the runs are of, and when they were made."""
    made = [run.summary["provenance"] for run in runs]
    started = sorted(each["started"] for each in made)
    return {
        "runs": len(runs),
        "machines": Counter(f"{each['cpu']}, {each.get('cores', 'unknown')} cores" for each in made).most_common(),
        "commits": Counter(each["git_commit"] for each in made).most_common(),
        "days": [*dict.fromkeys(day[:10] for day in (started[:1] + started[-1:]))],
        "seconds": sum(run.summary["cpu_seconds"] or 0.0 for run in runs),
    }


def _table(runs: list[Run]) -> str:
    said = io.StringIO()
    writer = csv.writer(said, lineterminator="\n")
    writer.writerow(["run", *COLUMNS, *MADE])
    for run in runs:
        values = [run.summary.get(name) for name in COLUMNS]
        short = ["" if v is None else f"{v:.8g}" if isinstance(v, float) else v for v in values]
        writer.writerow([run.key, *short, *(run.summary["provenance"].get(name, "") for name in MADE)])
    return said.getvalue()


def _filled_in(template: str, contents: dict[str, Any]) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # Markdown: ``cell`` escapes what would be markup
    )
    environment.filters["cell"] = cell
    return environment.get_template(template).render(contents)


def cell(text: Any) -> str:
    """Text as it can stand in a cell of a Markdown table."""
    said = str(text).replace("\n", " ").replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    return said.replace("*", "\\*").replace("_", "\\_")


# ---- what was published, looked at later ------------------------------------------------------------


def hashes(folder: Path) -> dict[str, str]:
    """File -> SHA-256 of all files in a folder but ``published.json``."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file != folder / RECORD)
    return {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def record(folder: Path) -> dict[str, Any]:
    """What ``published.json`` says.

    Raises:
        UserError: it is not there, or broken.
    """
    try:
        return json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{folder / RECORD} cannot be read: `python -m bench publish` makes it") from error


def altered(folder: Path) -> list[str]:
    """The files of a published folder that are not as they were published."""
    said, found = record(folder)["files"], hashes(folder)
    return sorted(name for name in said.keys() | found.keys() if said.get(name) != found.get(name))


def of_older_code(folder: Path) -> list[str]:
    """The published runs that the code of today would make anew, or has no more."""
    return [key for key, sha in record(folder)["code"].items() if _sha256_of_today(key) != sha]


def _sha256_of_today(key: str) -> str | None:
    try:
        return provenance.sha256(provenance.files_of_run(parse(key)))
    except UserError:  # an algorithm, data set or parameter that there was
        return None
