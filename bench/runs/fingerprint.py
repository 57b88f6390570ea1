"""A fingerprint of files by their sizes and times: it tells in milliseconds whether anything has changed."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path


def fingerprint(places: Iterable[str | Path]) -> str:
    """Hash of the names, sizes and times of files, those in folders among them: it changes when one of them does.

    Byte code, hidden files and links to folders do not count.
    """
    digest = hashlib.sha256()
    for place in places:
        for line in _versions(os.fspath(place)):
            digest.update(line.encode(errors="surrogateescape"))
    return digest.hexdigest()


def _versions(place: str) -> Iterator[str]:
    try:
        about = os.stat(place)
    except OSError:
        yield f"{place} -\n"
        return
    if not os.path.isdir(place):
        yield f"{place} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns} {about.st_ino}\n"
        return
    yield f"{place}/\n"
    for name in sorted(os.listdir(place)):
        inner = f"{place}/{name}"
        if name[0] != "." and name != "__pycache__" and not (os.path.islink(inner) and os.path.isdir(inner)):
            yield from _versions(inner)
