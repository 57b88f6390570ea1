"""Write published records, each with a hash of its content, and find records that were edited by hand."""

import hashlib
import json
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import documents, records

SEAL = "sha256"  # the hash of all else in the file
BY_HAND = "lost"  # what people may write into a record later


def write_record(file: Path, record: Any) -> None:
    """Write a record as JSON, with its hash."""
    said = records.plain(record)
    write_atomically(file, json.dumps(said | {SEAL: _sha256(said)}) + "\n")


def was_edited(file: Path, remedy: str) -> bool:
    """Whether a file says something else than its hash is of, or has none; raises as ``read_record``."""
    said = documents.content(file, dict, remedy)
    return said.get(SEAL) != _sha256(said)


def _sha256(said: documents.Json) -> str:
    hashed = {name: value for name, value in said.items() if name not in (SEAL, BY_HAND)}
    return hashlib.sha256(json.dumps(hashed, sort_keys=True).encode()).hexdigest()
