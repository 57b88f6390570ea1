"""A mirror: a folder of files that have been fetched before, for machines without a network."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from structbench.datasets.fetching.sources import Source, SourceError


@dataclass(frozen=True)
class Mirror:
    """A folder that holds the file under its own name, or what one of its sources would download."""

    folder: Path
    name: str
    sources: tuple[Source, ...]

    def __str__(self) -> str:
        return f"the mirror {self.folder}"

    @property
    def holds(self) -> bool:
        """Whether the folder has the file, or what a source would download."""
        return (self.folder / self.name).is_file() or any(
            any(self.folder.glob(source.pattern)) for source in self.sources
        )

    def open(self) -> AbstractContextManager[BinaryIO]:
        """The wanted bytes.

        Raises:
            SourceError, OSError, archives.ArchiveError: the folder does not give them.
        """
        if not self.folder.is_dir():
            raise SourceError("no such folder (STRUCTBENCH_MIRROR)")
        if (path := self.folder / self.name).is_file():
            return path.open("rb")
        for source in self.sources:
            if found := sorted(self.folder.glob(source.pattern)):
                return source.read(found[0])
        names = dict.fromkeys([self.name, *(source.pattern for source in self.sources)])
        raise SourceError(f"it does not hold {' or '.join(names)}")
