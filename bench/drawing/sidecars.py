"""What a drawn figure says of itself: ``STEM.json`` beside its images."""

from pathlib import Path
from typing import Any

from structbench.bench.runs import documents

SHAPE = {
    "title": str,
    "caption": str,
    "runs": [str],
    "missing": [str],
    "commit": str,
    "data_sha256": {str: str},
    "images?": [str],
    "table?": [{str: str}],
}


def read(file: Path) -> dict[str, Any]:
    """Raises:
    UserError: It is broken.
    """
    return documents.read(file, SHAPE, "draw it again (`python -m bench figures`)")
