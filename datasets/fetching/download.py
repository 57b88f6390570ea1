"""Files from their sources or a mirror folder, checked by SHA-256, in a cache folder.

The sources of a file are tried in order, the mirror first. The first that yields the bytes with the pinned
checksum wins. Cache: ``STRUCTBENCH_DATA``, else results/data. Mirror: ``STRUCTBENCH_MIRROR``, if set.
"""

import errno
import hashlib
import http.client
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_file
from structbench.datasets.fetching.archives import ArchiveError
from structbench.datasets.fetching.mirror import Mirror
from structbench.datasets.fetching.network import NoNetwork
from structbench.datasets.fetching.sources import Source, SourceError, Url

CHUNK = 2**20  # bytes


@dataclass(frozen=True)
class File:
    """A file: its name in the cache and in a mirror, its checksum, a cap on its size, its sources."""

    name: str
    sha256: str
    max_bytes: int
    sources: tuple[Source, ...]


def of_nltk(corpus: str, sha256: str, max_bytes: int) -> File:
    """The archive of a corpus that NLTK gives out."""
    name = f"{corpus}.zip"
    folder = "https://raw.githubusercontent.com/nltk/nltk_data/gh-pages/packages/corpora"
    return File(name, sha256, max_bytes, (Url(f"{folder}/{name}"),))


def cache_folder() -> Path:
    """Where files are kept."""
    return Path(os.path.expanduser(os.environ.get("STRUCTBENCH_DATA") or Path("results", "data")))


def mirror_folder() -> Path | None:
    """The folder that has files which are not to be downloaded, if one is named."""
    named = os.environ.get("STRUCTBENCH_MIRROR")
    return Path(os.path.expanduser(named)) if named else None


def size(file: File) -> int | None:
    """Bytes of the file in the cache, None where it is not there."""
    path = cache_folder() / file.name
    return path.stat().st_size if path.is_file() else None


def fetch(file: File) -> Path:
    """The path of one file in the cache, fetched if need be; see ``Fetcher``."""
    with Fetcher() as files:
        return files(file)


class Fetcher(ExitStack):
    """Call it with a ``File`` for its path in the cache. A package that it downloads serves all its calls.

    Args:
        licence: A sentence to say before the first download, if there is one.

    Raises:
        UserError: No source yields the right bytes (lists each one and why). Or the cache cannot be written, for
            want of space or of permission.
    """

    def __init__(self, licence: str = "") -> None:
        super().__init__()
        self._unsaid = licence

    @cached_property
    def _downloads(self) -> Path:
        return Path(self.enter_context(tempfile.TemporaryDirectory(prefix="structbench-")))

    def __call__(self, file: File) -> Path:
        """The path of a file in the cache, fetched if need be."""
        path = cache_folder() / file.name
        if path.is_file():
            with path.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
            if found == file.sha256:
                return path
            _say(f"{path} is corrupt (SHA-256 {found}, expected {file.sha256}): fetching it again")
        failures: dict[Source | Mirror, Exception] = {}
        mirror = mirror_folder()
        mirrors = (Mirror(mirror, file.name, file.sources),) if mirror else ()
        begun = time.monotonic()
        for source in (*mirrors, *file.sources):
            if source not in mirrors:
                self._say_licence()
                _say(f"fetching {file.name} from {source}")
            try:
                with self._open(source) as stream:
                    _store(stream, file, path)
                return path
            except (SourceError, ArchiveError, OSError, http.client.HTTPException) as error:
                failures[source] = error
                if isinstance(source, Mirror) and source.holds:
                    _say(f"{source} does not help: {error}")
        raise UserError(_nowhere(file, path, failures, time.monotonic() - begun))

    def _say_licence(self) -> None:
        if self._unsaid:
            _say(self._unsaid)
        self._unsaid = ""

    def _open(self, source: Source | Mirror) -> AbstractContextManager[BinaryIO]:
        return source.open() if isinstance(source, Mirror) else source.open(self._downloads)


def _nowhere(file: File, path: Path, failures: dict[Source | Mirror, Exception], seconds: float) -> str:
    """That no source gives a file, why, and what to do."""
    archive = next((source.pattern for source in file.sources if source.pattern != file.name), None)
    which = f"{file.name} (or {archive}, which holds it)" if archive else file.name
    remedy = f"put {which} into a folder and name that: STRUCTBENCH_MIRROR=FOLDER, or --config mirror=FOLDER"
    silent = [source for source, error in failures.items() if isinstance(error, NoNetwork)]
    if len(silent) == len(file.sources):
        tried = " and ".join(map(str, silent))
        first = f"no network: tried {tried} in {max(seconds, 1):.0f} s; {file.name} is not in {path.parent} either"
    else:
        first, silent = f"cannot get {file.name}; tried", []
        remedy = f"check the network; or {remedy}; or set STRUCTBENCH_DATA to a cache folder that has it"
    others = [f"  {source}: {error}" for source, error in failures.items() if source not in silent]
    return "\n".join([first, *others, remedy])


def _store(stream: BinaryIO, file: File, path: Path) -> None:
    """Write the stream to ``path``, which appears only when complete and right."""
    digest = hashlib.sha256()
    try:
        with atomic_file(path) as partial:
            with partial.open("xb") as out:
                for chunk in _chunks(stream, file.max_bytes):
                    digest.update(chunk)
                    out.write(chunk)
            if digest.hexdigest() != file.sha256:
                raise SourceError(f"wrong bytes: SHA-256 {digest.hexdigest()}, expected {file.sha256}")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            reason = f"no space left for its {file.max_bytes} bytes"
        else:
            reason = error.strerror or str(error)
        raise UserError(
            f"cannot write {path}: {reason}; mend that or set STRUCTBENCH_DATA to another folder"
        ) from error


def _chunks(stream: BinaryIO, max_bytes: int) -> Iterator[bytes]:
    total = 0
    while True:
        try:
            chunk = stream.read(CHUNK)
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as error:
            raise SourceError(f"broke off after {total} bytes: {error}") from error
        if not chunk:
            return
        total += len(chunk)
        if total > max_bytes:
            raise SourceError(f"more than the {max_bytes} bytes expected")
        yield chunk


def _say(message: str) -> None:
    print(f"structbench: {message}", file=sys.stderr)
