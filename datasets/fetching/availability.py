"""Whether a file can be had, and from where, found out without fetching it."""

import importlib.util
import os
import shutil
import urllib.request
from functools import cache
from pathlib import Path

from datasets.fetching.download import File, size
from datasets.fetching.mirror import Mirror
from datasets.fetching.sources import Npm, Source, Url

PATIENCE = 4.0  # seconds that a server may take to answer


def place(file: File) -> str | None:
    """``cache``, ``mirror`` or ``network``, whichever ``fetch`` would read it from; None if from nowhere."""
    if size(file) is not None:
        return "cache"
    mirror = os.environ.get("STRUCTBENCH_MIRROR")
    if mirror and Mirror(Path(mirror), file.name, file.sources).holds:
        return "mirror"
    return "network" if any(map(_answers, file.sources)) else None


@cache
def _answers(source: Source) -> bool:
    """Whether a source seems to be there; of package registries only whether their program is."""
    if isinstance(source, Url):
        request = urllib.request.Request(source.url, method="HEAD")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE):
                return True
        except (OSError, ValueError):
            return False
    return (
        shutil.which("npm") is not None if isinstance(source, Npm) else importlib.util.find_spec("pip") is not None
    )
