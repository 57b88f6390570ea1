"""A config's results as one zip file, an RO-Crate: what was run, what came of it, and with which programs.

https://www.researchobject.org/ro-crate/specification/1.1/. The same results give the same bytes.
"""

import hashlib
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import atomic_file
from structbench.algorithms.runtime.own_folders import place
from structbench.bench.drawing import draw
from structbench.bench.drawing.plotted import csv_text
from structbench.bench.papers import judged
from structbench.bench.runs import documents, programs, provenance, results
from structbench.bench.runs.documents import Json, to_json
from structbench.bench.runs.spec import parse
from structbench.bench.runs.store import Run
from structbench.bench.sharing import citations, columns
from structbench.bench.sharing.export import export
from structbench.bench.workflow.config import Config
from structbench.bench.workflow.config_files import make_command
from structbench.datasets.fetching.archives import BROKEN, read_members

METADATA = "ro-crate-metadata.json"
RUNS, CURVES, PROGRAMS, LOCK = "runs.csv", "curves.parquet", "programs.json", "requirements.lock"
ABOUT = {
    RUNS: "A row for each run: its spec, how it ended, what it was made with",
    CURVES: "A row for each checkpoint of each run",
    PROGRAMS: "For each run the hashes of the programs and data that made it, and the commit",
    LOCK: "The version and hash of every package",
    citations.NAME: "What to cite",
}
TYPES = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
}
LICENCE = "https://spdx.org/licenses/MIT"
SHA256 = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
OWN = "own/"  # begins the names of files of a user's folders
LARGEST = 2**30  # bytes of all files
GRAPH = {"@graph": [{"@id": str, "@type": str}]}  # what has to be in the metadata
MADE = ("code_sha256", "data_sha256", "git_commit", "lock_sha256", "host", "started")  # of a run's provenance


class Opened(NamedTuple):
    """What an archive holds. ``wrong``: Sentences on what is not as it was written."""

    runs: int
    of_today: int  # made by the programs of this checkout
    files: int
    wrong: list[str]
    own: int  # files of a user's folders


def write(config: Config, file: Path, out: Path) -> str:
    """Write the finished runs of a config, in place of an archive before. Returns a sentence on it.

    Args:
        file: The config's own file.

    Raises:
        UserError: No run is finished, a file's name would be refused, or ``out`` cannot be written or is another
            file.
    """
    if out.suffix != ".zip" or out.is_dir():
        raise UserError(f"--out must be a file that ends in .zip, not {str(out)!r}")
    if out.exists():
        with _readable(out) as found:
            if not {METADATA, PROGRAMS} <= {*found.namelist()}:
                raise UserError(f"{out} is a zip file, and no archive of structbench: take another name for --out")
    found = [config.found(spec) for spec in config.specs]
    runs = [each.run for each in found if each.is_finished and each.run]
    if not runs:
        stale = Counter(each.reason for each in found if each.run).most_common(1)
        why = "".join(f" ({count} stale: {reason})" for reason, count in stale)
        makes = make_command(str(file))
        raise UserError(
            f"none of the {len(found)} runs of {config.name} counts as finished{why}: `{makes}` makes them"
        )
    held = dict(_held(config, file, runs))
    said = f"{len(runs)} of {len(found)} runs of the config {config.name}"
    held[METADATA] = to_json(_metadata(config, said, runs, held)).encode()
    with (
        write_or_explain(out, "mend that and archive again"),
        atomic_file(out.absolute()) as partial,
        zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, content in held.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the time of writing would make other bytes
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    own = sum(name.startswith(OWN) for name in held)
    more = f", {own} of them of your own folders" if own else ""
    return f"{out}: {said}, {len(held)} files{more}, with the config's comments and the names of machines"


def _held(config: Config, file: Path, runs: list[Run]) -> Iterator[tuple[str, bytes]]:
    yield f"config{file.suffix}", file.read_bytes()
    rows = [columns.flat_spec(run.spec) | columns.outcome(run) | {"key": run.key} for run in runs]
    names = columns.in_order(dict.fromkeys(name for row in rows for name in row))
    yield RUNS, csv_text([*names], rows).encode()
    with tempfile.TemporaryDirectory() as folder:
        export(runs, Path(folder, CURVES))
        yield CURVES, Path(folder, CURVES).read_bytes()
    made = {run.key: {name: run.summary["provenance"].get(name) for name in MADE} for run in runs}
    paths = {run.key: {"paths": run.spec.paths} for run in runs if run.spec.paths}
    yield PROGRAMS, to_json({key: by | paths.get(key, {}) for key, by in made.items()}).encode()
    for name in sorted({name for run in runs for name in programs.own_files(run.spec)}):
        yield OWN + name, place(Path(name)).read_bytes()
    if provenance.LOCK.is_file():
        yield LOCK, provenance.LOCK.read_bytes()
    yield citations.NAME, citations.bibtex(citations.cited(config).uses).encode()
    kinds = {results.claims(config.name): (".json",), results.figures(config.name): (".csv", ".png")}
    shown = _shown(config)
    for each in sorted(shown):
        _check_users(each, {run.key for run in runs})
    for folder, endings in kinds.items():
        for each in sorted(folder.rglob("*")):
            is_file = each.suffix in endings and each.is_file() and not each.is_symlink()
            if is_file and each.with_suffix("") in shown:
                name = f"{folder.name}/{each.relative_to(folder).as_posix()}"
                if not _is_inside(name):
                    raise UserError(f"{each} has \\ or : in its name: rename it and archive again")
                yield name, each.read_bytes()


def _shown(config: Config) -> set[Path]:
    """The claims and figures of a config, without endings: its folders may have others, of an earlier text."""
    claims, figures = results.claims(config.name), results.figures(config.name)
    found = {figures / paper / stem for paper, members in config.figures.items() for stem in members}
    return found | {claims / paper for paper in config.papers}


def _check_users(stem: Path, keys: set[str]) -> None:
    """Raise a UserError if a figure or a claim was made of other runs than these, or before one of them."""
    if not (file := Path(f"{stem}.json")).is_file():
        return
    is_claims = stem.parent.name == "claims"
    for user in judged.read_judged(file).claims if is_claims else [draw.read_sidecar(file)]:
        if {*user.runs} - {*user.missing} - keys or {*user.missing} & keys:
            verb, word = ("claims", "judged") if is_claims else ("figures", "drawn")
            raise UserError(f"{file} was {word} of other runs than the archive has: `bench {verb}` makes it again")


def _metadata(config: Config, said: str, runs: list[Run], held: dict[str, bytes]) -> Json:
    """The description of the archive, as RO-Crate has it: a list of things, by their ``@id``."""
    made = [run.summary["provenance"] for run in runs]
    published = max(str(each["started"]) for each in made)
    files = [_file(name, content) for name, content in held.items()]
    parts = [{"@id": each["@id"]} for each in files]
    program = _thing("#structbench", "SoftwareApplication", "structbench")
    program["version"] = ", ".join(sorted({str(each["git_commit"]) for each in made}))
    action = _thing("#run", "CreateAction", said)
    action |= {"endTime": published, "instrument": {"@id": "#structbench"}}
    action |= {"object": parts[:1], "result": parts[1:]}
    root = _thing("./", "Dataset", f"structbench: {config.name}")
    root |= {"description": said, "datePublished": published, "hasPart": parts, "mentions": {"@id": "#run"}}
    terms = _thing(LICENCE, "CreativeWork", "MIT License")
    terms["description"] = "Of structbench. Each data set has terms of its own: docs/reference/data.md"
    root["license"] = {"@id": LICENCE}
    authors = _authors()
    root["author"] = program["author"] = [{"@id": each["@id"]} for each in authors]
    itself = _thing(METADATA, "CreativeWork", "RO-Crate metadata")
    itself |= {"about": {"@id": "./"}, "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"}}
    context = ["https://w3id.org/ro/crate/1.1/context", SHA256]
    return {"@context": context, "@graph": [itself, root, program, action, terms, *authors, *files]}


def _authors() -> list[Json]:
    """Who CITATION.cff names: people and groups."""
    import yaml

    file, found = provenance.ROOT / "CITATION.cff", []
    named = yaml.safe_load(file.read_text(encoding="utf-8"))["authors"] if file.is_file() else []
    for number, each in enumerate(named, 1):
        name = each.get("name") or f"{each['given-names']} {each['family-names']}"
        kind = "Organization" if "name" in each else "Person"
        found.append(_thing(each.get("orcid", f"#author-{number}"), kind, name))
    return found


def _file(name: str, content: bytes) -> Json:
    said = {"encodingFormat": TYPES.get(Path(name).suffix, "text/plain"), "contentSize": str(len(content))}
    hashed = {"sha256": hashlib.sha256(content).hexdigest()}
    return _thing(name, "File", name) | {"description": ABOUT.get(name, "Made of the runs")} | said | hashed


def _thing(place: str, kind: str, name: str) -> Json:
    return {"@id": place, "@type": kind, "name": name}


@contextmanager
def _readable(archive: Path) -> Iterator[zipfile.ZipFile]:
    """The open archive; raises a UserError if it is no zip file, or is damaged."""
    if not archive.exists():
        raise UserError(f"there is no file {archive}")
    if not archive.is_file() or not zipfile.is_zipfile(archive):
        raise UserError(f"{archive} is no zip file: `bench archive CONFIG` writes one")
    try:
        with zipfile.ZipFile(archive) as found:
            yield found
    except UserError:
        raise
    except (*BROKEN, OSError, ValueError, LookupError) as error:  # LookupError: a member without a name
        raise UserError(f"{archive} is damaged ({error}): get it again") from error


def opened(archive: Path) -> Opened:
    """Read an archive, of anybody, without writing any of it to disk.

    Raises:
        UserError: It is no zip file, holds what could lie outside a folder or is too large, or has no metadata.
    """
    with _readable(archive) as found:
        names = [each.filename for each in found.infolist() if not each.is_dir()]
        every = [each.removesuffix("/") for each in found.namelist()]  # with folders
        size = sum(each.file_size for each in found.infolist())
    if odd := [name for name in every if not _is_inside(name)]:
        raise UserError(f"{archive} holds {odd[0]!r}, which could be written outside a folder: do not unpack it")
    if size > LARGEST or len(names) > len({*names}):
        raise UserError(f"{archive} unpacks to {size:,} bytes, or holds a name twice: do not unpack it")
    kept, hashes = {}, {}
    with _readable(archive):
        for name, content in zip(names, read_members(archive, names, LARGEST), strict=True):
            hashes[name] = hashlib.sha256(content).hexdigest()
            kept |= {name: content} if name in (METADATA, PROGRAMS) else {}
    graph = {each["@id"]: each for each in _json(archive, kept, METADATA, GRAPH)["@graph"]}
    said = {name: each.get("sha256") for name, each in graph.items() if each["@type"] == "File"}
    made = _json(archive, kept, PROGRAMS, {str: {"code_sha256": str}})
    today = [key for key, by in made.items() if by["code_sha256"] == _code_of(key, by.get("paths"))]
    wrong = [f"{each} is missing" for each in sorted(said.keys() - hashes.keys())]
    wrong += [f"{each} is not named in {METADATA}" for each in sorted(hashes.keys() - said.keys() - {METADATA})]
    wrong += [f"{each} was changed" for each in sorted(said.keys() & hashes.keys()) if said[each] != hashes[each]]
    return Opened(len(made), len(today), len(names), wrong, sum(name.startswith(OWN) for name in names))


def _json(archive: Path, kept: dict[str, bytes], name: str, shape: dict) -> Json:
    """What a JSON file of an archive holds; raises a UserError if it is not there or has another shape."""
    try:
        found = json.loads(kept.get(name, b""))
        wrong = documents.differs(found, shape)
    except (ValueError, RecursionError) as error:
        wrong = str(error)
    if wrong:
        raise UserError(f"{archive} is no archive of structbench: {name} is missing or broken ({wrong})")
    return found


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    is_below = not path.is_absolute() and ".." not in path.parts and name == path.as_posix()
    return is_below and not {"\\", ":"} & {*name}


def _code_of(key: str, paths: Json | None) -> str | None:
    """The hash of this checkout's programs for a run; None if it has none such. ``paths``: as of ``parse``."""
    if paths is None or documents.differs(paths, {str: str}):
        paths = {}
    try:
        return programs.sha256_of_run(parse(key, paths))
    except (UserError, ModuleNotFoundError, OSError):  # OSError: the name of a file would be too long
        return None
