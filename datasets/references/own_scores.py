"""Call each score of the user's once, on gold labels, so that a mistake in it is told before a run is made."""

from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import OF_ANYBODY, Terminated, UserError

if TYPE_CHECKING:  # importing it takes half a second that a listing need not wait for
    from structbench.datasets.problems.problem import Problem

OF_EVERY_RUN = ("error", "seconds")  # what a run reports of each split, whatever its scores


def check_own_scores(problem: "Problem") -> None:
    """Call the scores of a problem that are the user's.

    Raises:
        UserError: One cannot be imported, fails, or returns something other than numbers under names of its own.
            The sentence names its file.
    """
    for name in problem.scores:
        file = Path("datasets", "scores", f"{name}.py")
        if own_folders.owner(file):
            module = modules.imported(f"structbench.datasets.scores.{name}")
            _check(problem, module, own_folders.place(file))


def scores_of(module: ModuleType, file: Path) -> Any:
    """The class ``Scores`` of a score's module; raises a UserError if it has none, or no function ``scores``."""
    shown, kind = modules.shown(file), cast(Any, getattr(module, "Scores", None))
    if not hasattr(kind, "_fields") or not callable(getattr(module, "scores", None)):
        raise UserError(f"{shown} has no NamedTuple Scores, or no function scores: see docs/how-to/add-data.md")
    if taken := [name for name in kind._fields if name in OF_EVERY_RUN]:
        raise UserError(f"{shown}: Scores has a field {taken[0]!r}, which every run has: give it another name")
    return kind


def _check(problem: "Problem", module: ModuleType, file: Path) -> None:
    from structbench.algorithms.structures import interface as parts
    from structbench.algorithms.structures import prediction
    from structbench.datasets.problems.problem import Judged

    shown, kind = modules.shown(file), scores_of(module, file)
    _, gold, starts = prediction.label_room(parts.compiled(problem.train))
    try:
        found = module.scores(Judged(problem, "train", gold.copy(), gold, starts, []))
    except (UserError, Terminated):
        raise
    except ArithmeticError:
        return  # without a wrong decision it may have nothing to divide by
    except OF_ANYBODY as error:  # of any kind: the module may be anybody's
        raise UserError(f"score {file.stem} failed with {modules.failure(error, file)}") from error
    if not isinstance(found, kind):
        raise UserError(f"{shown}: scores must return Scores(...), not {found!r}")
    for name, value in found._asdict().items():
        if not isinstance(value, Real):
            raise UserError(f"{shown}: {name} of Scores must be a number, not {value!r}")
