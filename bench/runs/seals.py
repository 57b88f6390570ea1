"""Hashes of a run's files, which its summary keeps: changes by a copy or a disk show."""

import hashlib
import re
from pathlib import Path

from structbench.bench.runs.documents import Json, to_json

WITH_SUMMARY = ("spec.json", "curve.parquet", "weights.npz")  # the other files of a run
FORMER = "num_features"  # what earlier runs call num_weights
SEAL = re.compile(r',\n "sha256": \{[^{}]*\}')  # in a summary as ``to_json`` writes it


def sealed(folder: Path, summary: Json) -> Json:
    """The summary with new SHA-256 of each file of its run. Its own hash leaves the hashes out."""
    return summary | {"sha256": _hashes(folder, summary)}


def altered(folder: Path, summary: Json) -> list[str]:
    """The files of a run that are not as they were written; all of them where the summary has no hashes."""
    said = summary.get("sha256")
    said = said if isinstance(said, dict) else {}
    text = SEAL.sub("", (folder / "summary.json").read_text(encoding="utf-8"), count=1)
    if said.get("summary.json") == hashlib.sha256(text.encode()).hexdigest():  # it is written as we write it
        found = _files_sha256(folder)
    else:
        found = _hashes(folder, summary)
    return [name for name, sha in found.items() if said.get(name) != sha]


def _files_sha256(folder: Path) -> dict[str, str]:
    return {name: file_sha256(folder / name) for name in WITH_SUMMARY}


def _hashes(folder: Path, summary: Json) -> dict[str, str]:
    found = _files_sha256(folder)
    apart = ("sha256", "num_weights") if FORMER in summary else ("sha256",)
    own = {field: value for field, value in summary.items() if field not in apart}
    return found | {"summary.json": hashlib.sha256(to_json(own).encode()).hexdigest()}


def file_sha256(file: Path) -> str:
    """The SHA-256 of what a file holds."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
