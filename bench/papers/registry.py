"""Functions that rows name: each is registered by a decorator, and a name without one is an error."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant

Function = TypeVar("Function", bound=Callable[..., Any])
WITHIN: dict[str, tuple[float, float]] = {}  # measure -> least and greatest number, if its kind has others


class Registry(dict[str, Callable]):
    """Name -> function. ``@measure("name")`` registers one, if ``measure`` is a registry."""

    def __call__(self, name: str, within: tuple[float, float] | None = None) -> Callable[[Function], Function]:
        """Register the decorated function under a name; ``within``: where the numbers that it measures lie."""

        def add(function: Function) -> Function:
            if name in self:
                raise ValueError(f"{name} is registered twice")
            self[name] = function
            if within:
                WITHIN[name] = within
            return function

        return add


def check_name(place: str, what: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that nothing is registered under.

    Args:
        place: The file and the row that has it.
        what: What it names, such as a measure.

    Raises:
        UserError: It is unknown; says which there are.
    """
    if name not in known:
        raise UserError(
            f"{place}: unknown {what} {name!r}: {meant(name, known)}there are {', '.join(sorted(known))}"
        )
