"""Import and check the Python module of a paper and call its functions, with a clear message for any error."""

from collections.abc import Callable, Collection, Iterable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.runs import catalogue

if TYPE_CHECKING:
    from structbench.bench.papers.judging import Claim

EXAMPLE = 'NAME = "Bartlett et al. 2004"'
GRID = "grid-"
OFFERED = ("runs_of", "figures_of", "claims_of")  # by a paper


def call(paper: str, function: Callable, *given: Any, **more: Any) -> Any:
    """Call a function of a paper. If it fails, raise a UserError that says with what, and where."""
    try:
        return function(*given, **more)
    except (UserError, ModuleNotFoundError):
        raise
    except Exception as error:  # of any kind: the paper may be anybody's
        folder = own_folders.place(f"bench/papers/{paper}")
        name = getattr(function, "__name__", "a function")
        raise UserError(f"{name} of the paper {paper} failed with {modules.failure(error, folder)}") from error


@cache
def paper_module(name: str) -> ModuleType:
    """The figure module of a paper.

    Raises:
        UserError: There is no such paper, it cannot be imported, or it lacks its name or a function.
    """
    if name not in (papers := catalogue.papers()):
        raise UserError(f"figures: unknown paper {name!r}: {meant(name, papers)}there are {', '.join(papers)}")
    found = modules.imported(f"structbench.bench.papers.{name}")
    file = modules.shown(found.__file__ or name)
    if not isinstance(getattr(found, "NAME", None), str):
        raise UserError(f"{file} has no NAME: name it as readers know it, such as {EXAMPLE}")
    for function in OFFERED:
        if not callable(getattr(found, function, None)):
            raise UserError(
                f"{file} has no function {function}: a paper offers "
                f"{', '.join(f'{each}(scale)' for each in OFFERED)}, see CONTRIBUTING.md"
            )
    return found


def title(name: str) -> str:
    """What users read: ``Collins et al. 2008 (EG)`` for ``eg2008``, ``grid mine`` for ``grid-mine``."""
    if name.startswith(GRID):
        return f"grid {name.removeprefix(GRID)}"
    return paper_module(name).NAME if name in catalogue.papers() else name


def check_figures(paper: str, claims: "Iterable[Claim]", figures: Collection[str]) -> None:
    """Raise a UserError unless the figures that claims name are there."""
    for claim in claims:
        for stem in claim.figures:
            if stem not in figures:
                hint = meant(stem, figures)
                raise UserError(f"{claim.id} names the figure {stem!r}: {hint}{paper} has {', '.join(figures)}")
