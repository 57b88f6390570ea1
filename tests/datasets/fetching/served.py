"""A file to fetch, and what servers say instead of the network."""

import hashlib
import io
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from structbench.datasets.fetching.download import File

GOOD = b"the right bytes\n" * 100
SHA256 = hashlib.sha256(GOOD).hexdigest()
ADDRESS = "https://data.example/things/good.txt"


def good(*origins, **changes):
    return replace(File("good.txt", SHA256, 10_000, origins), **changes)


class Answer(NamedTuple):
    """What a server says: a body, or another address; ``file`` makes an open file of the bytes that it sends."""

    body: bytes = b""
    location: str = ""
    file: Callable[[bytes], io.BytesIO] = io.BytesIO

    def makefile(self, mode):
        """As a socket has it."""
        head = f"302 Found\r\nLocation: {self.location}" if self.location else "200 OK"
        return self.file(f"HTTP/1.1 {head}\r\n\r\n".encode() + self.body)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []
