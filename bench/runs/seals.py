"""Hash a run's files into its summary, and find files that a copy or a faulty disk has changed since."""

import hashlib
from pathlib import Path

from structbench.bench.runs.documents import Json, to_json

WITH_SUMMARY = ("spec.json", "curve.parquet", "weights.npz")  # the other files of a run


def sealed(folder: Path, summary: Json) -> Json:
    """The summary with new SHA-256 of each file of its run. Its own hash leaves the hashes out."""
    return summary | {"sha256": _hashes(folder, summary)}


def altered(folder: Path, summary: Json) -> list[str]:
    """The files of a run that are not as they were written; all of them where the summary has no hashes."""
    said = summary.get("sha256")
    said = said if isinstance(said, dict) else {}
    return [name for name, sha in _hashes(folder, summary).items() if said.get(name) != sha]


def _hashes(folder: Path, summary: Json) -> dict[str, str]:
    own = {field: value for field, value in summary.items() if field != "sha256"}
    hashes = {name: file_sha256(folder / name) for name in WITH_SUMMARY}
    return hashes | {"summary.json": hashlib.sha256(to_json(own).encode()).hexdigest()}


def file_sha256(file: Path) -> str:
    """The SHA-256 of what a file holds."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
