"""Losses and penalties as names of runs have them: each number is written in one way."""

import re
from decimal import Decimal
from typing import Any

from structbench.algorithms.learning import declaration
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant


def shortest(value: Any) -> str:
    """A number or word as short as it can be read back."""
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def in_digits(loss: str) -> str:
    """A loss whose number has no exponent, such as ``smoothed-hinge-0.00001``: a hyphen begins its number."""
    found = re.fullmatch(r"(.*-)([0-9]+(?:\.[0-9]*)?e-[0-9]{1,3})", loss, re.IGNORECASE)
    return f"{found[1]}{Decimal(found[2]):f}" if found else loss


def loss_as_written(loss: str) -> str:
    """A loss with its number as runs' names have it; raises a UserError if that is no number above 0."""
    if family.kind(loss := in_digits(loss)) == loss:
        return loss
    return in_digits(f"{family.kind(loss).removesuffix(family.TAU)}{shortest(family.number_of(loss))}")


def check_loss(loss: str) -> None:
    """Raise a UserError unless there is a loss of this name, or the name is ``NO_LOSS``."""
    loss, known = in_digits(loss), (*family.loss_names(), declaration.NO_LOSS)
    if family.kind(loss) not in known:
        raise UserError(
            f"unknown loss {loss!r}: {meant(loss, known)}choose {' or '.join(known)}{own_folders.hint(loss)}"
        )


def penalty_as_written(penalty: str) -> str:
    """A penalty with its number as runs' names have it; raises a UserError if there is no such penalty."""
    kind = penalty_kind(penalty)
    if kind not in declaration.NUMBERED.values():
        return penalty
    from structbench.algorithms.learning import penalties

    return f"{kind.partition('-')[0]}-{shortest(penalties.penalty_number(penalty))}"


def penalty_kind(penalty: str) -> str:
    """The one of ``declaration.PENALTIES`` that a penalty is; raises a UserError if it is none."""
    kind = declaration.numberless(penalty)
    if kind not in declaration.PENALTIES:
        raise UserError(f"unknown penalty {penalty!r}: choose {' or '.join(declaration.PENALTIES)}")
    return kind
