"""What was made of a config's runs, gathered from its files: each paper's judged claims and drawn figures."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from structbench.bench.drawing import draw
from structbench.bench.papers import judged
from structbench.bench.report import origin
from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import fields_of
from structbench.bench.workflow.paper_modules import GRID, title
from structbench.datasets import stored

ORDER = list(origin.ORIGINS)


@dataclass(frozen=True, kw_only=True)
class Claim(judged.Judged):
    """A judged claim, with where its data come from, one of ``origin.ORIGINS``."""

    origin: str

    @property
    def uses(self) -> list[str]:
        """The keys of the runs that it asks for."""
        return self.runs


@dataclass(frozen=True, kw_only=True)
class Figure(draw.Sidecar):
    """A drawn figure, with the file of its sidecar."""

    file: Path

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return self.file.stem

    @property
    def heading(self) -> str:
        """What it is called on its page: of a grid its title without the grid's name, of a paper its stem."""
        return self.title.partition(": ")[2] or self.stem if self.paper.startswith(GRID) else self.stem

    @property
    def id(self) -> str:
        """Paper and stem."""
        return f"{self.paper}/{self.stem}"

    @property
    def uses(self) -> list[str]:
        """The keys of the runs that it asks for."""
        return self.runs + self.missing


@dataclass(frozen=True)
class Paper:
    """A paper, or a grid as ``grid-NAME``, with what is made of it yet."""

    id: str
    scale: str = ""
    claims: list[Claim] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The paper as readers know it."""
        return title(self.id)

    @property
    def about(self) -> str:
        """What the paper is about."""
        return catalogue.papers().get(self.id, "")

    @property
    def users(self) -> list[Figure | Claim]:
        """All that uses runs."""
        return [*self.figures, *self.claims]

    @property
    def asked(self) -> list[Claim]:
        """The claims that answer a question, those on the paper's own data first."""
        return sorted((each for each in self.claims if each.asks), key=lambda each: ORDER.index(each.origin))


def papers(figures: Path, claims: Path) -> list[Paper]:
    """Each paper's claims and figures.

    Raises:
        UserError: A sidecar or a claims file is broken.
    """
    files = sorted(figures.glob("*/*.json"))
    answered = {file.stem: judged.read_judged(file) for file in sorted(claims.glob("*.json"))}
    found = []
    for name in sorted({*answered, *(file.parent.name for file in files)}):
        said = answered.get(name, judged.Paper(scale="", claims=[]))
        drawn = {file: replace(draw.read_sidecar(file), paper=name) for file in files if file.parent.name == name}
        shown = [Figure(**vars(sidecar), file=file) for file, sidecar in drawn.items()]
        found.append(Paper(name, said.scale, [_claim(name, each) for each in said.claims], shown))
    return found


def _claim(paper: str, said: judged.Judged) -> Claim:
    data = {stored(text) for text in (*(of_key(key).data for key in said.runs), *said.data)}
    return Claim(**vars(replace(said, paper=paper)), origin=origin.origin(paper, data))


class Named(NamedTuple):
    """What a run's name says."""

    data: str = ""
    loss: str = ""
    C: float | None = None
    algorithm: str = ""
    options: tuple[str, ...] = ()


def of_key(key: str) -> Named:
    """What a run's name says; nothing, if a text is no run's name."""
    try:
        data, loss, C, algorithm, *rest = map(str, fields_of(key))
        strength = None if C == "None" else float(C.removeprefix("C="))
    except (ValueError, IndexError):
        return Named()
    name, _, given = algorithm.partition(":")
    options = (unquote(word) for word in (*filter(None, given.split(",")), *rest))
    return Named(unquote(data), loss, strength, name, tuple(options))
