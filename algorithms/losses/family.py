"""What a loss is: two numbers, the temperature tau and the weight lambda of the cost.

    loss_i(w) = max_u [ tau H(u) + lambda E_u[e_i] + s_i . mu(u) ] - s_i . y_i,   s_i,r = w . f(x_i, r)

The maximum is over distributions u of outputs. H is their entropy, mu(u) the marginals of the parts, and e_i the
cost of an output. Its dual term is tau H(u_i) + lambda E_{u_i}[e_i]. A file of this room declares one loss, named
after the file: ``LOSS``, or ``loss``, a function of the number that ends the name.
"""

import math
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.own_folders import files, place

SHARED = ("__init__", "family", "terms")
TAU = "TAU"  # stands for the number in a name
USUAL = "log"  # where none is named


class Loss(NamedTuple):
    """``temperature``: tau, 0 or more. ``cost``: lambda, 0 or more. At least one of them is above 0."""

    temperature: float
    cost: float


PROPERTIES = {  # what an algorithm may ask of a loss -> whether a loss has it
    "any": lambda loss: True,
    "smooth": lambda loss: loss.temperature > 0,
    "polyhedral": lambda loss: loss.temperature == 0,
    "log": lambda loss: loss == Loss(1.0, 0.0),
}


@cache
def loss_names() -> tuple[str, ...]:
    """The names of all losses, the log loss and the hinge first; ``TAU`` stands for a number."""
    stems = [file.stem for file in files("algorithms/losses", "*.py") if file.stem not in SHARED]
    found = (stem.replace("_", "-") + (f"-{TAU}" if _takes_number(stem) else "") for stem in stems)
    return tuple(sorted(found, key=lambda name: (name not in ("log", "hinge"), name == "hinge", name)))


def kind(name: str) -> str:
    """The entry of ``loss_names`` for a loss, such as ``smoothed-hinge-TAU``; the name itself if it is unknown."""
    stem, _, number = name.rpartition("-")
    return f"{stem}-{TAU}" if number != TAU and f"{stem}-{TAU}" in loss_names() else name


def file_of(name: str) -> Path:
    """The file that declares a loss, relative to the project's folder.

    Raises:
        UserError: there is no such loss.
    """
    if kind(name) not in loss_names():
        raise UserError(f"unknown loss {name!r}: {meant(name, loss_names())}choose {' or '.join(loss_names())}")
    return Path("algorithms", "losses", f"{kind(name).removesuffix(f'-{TAU}').replace('-', '_')}.py")


@cache
def named_loss(name: str) -> Loss:
    """The loss of this name.

    Raises:
        UserError: there is none, its number is not above 0, or its file declares something wrong.
    """
    module, file = _module(name), modules.shown(place(file_of(name)))
    if not hasattr(module, "LOSS") and not hasattr(module, "loss"):
        raise UserError(f"{file} has no LOSS = Loss(temperature=..., cost=...), nor a function loss(number)")
    return _checked(file, module.LOSS if hasattr(module, "LOSS") else module.loss(number_of(name)))


def _checked(file: str, found: Any) -> Loss:
    if not isinstance(found, Loss):
        raise UserError(f"{file}: the loss must be Loss(temperature=..., cost=...), not {found!r}")
    for what, number in found._asdict().items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < math.inf:
            raise UserError(f"{file}: {what} must be a number of 0 or more, not {number!r}")
    if found.temperature == found.cost == 0:
        raise UserError(f"{file}: temperature or cost must be above 0: both are 0")
    return found


@cache
def broken() -> dict[str, str]:
    """Name of every loss whose file cannot be imported or declares something wrong -> a sentence with the file."""
    found = {}
    for name in loss_names():
        try:
            named_loss(name.replace(TAU, "1"))
        except (UserError, ModuleNotFoundError) as error:
            found[name] = str(error)
    return found


def number_of(name: str) -> float:
    """The number at the end of a loss's name.

    Raises:
        UserError: it is not a number above 0.
    """
    text = name.rpartition("-")[2]
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise UserError(f"the loss {name!r} must end in a number above 0, such as {name.removesuffix(text)}0.5")
    return found


def about(name: str) -> str:
    """The first line of the docstring of a loss's file."""
    return (_module(name).__doc__ or "").partition("\n")[0]


def _module(name: str) -> ModuleType:
    return modules.imported(f"structbench.algorithms.losses.{file_of(name).stem}")


def _takes_number(stem: str) -> bool:
    file = place(f"algorithms/losses/{stem}.py")
    return "\ndef loss(" in file.read_text(encoding="utf-8", errors="replace")
