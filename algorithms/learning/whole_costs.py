"""Refuse costs of wrong labels below 1, for algorithms that tell gold outputs from others by their cost."""

from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.costs import HAMMING, SHARE
from structbench.algorithms.structures.handles import unwrap


def require_whole_costs(split: Any, algorithm: str) -> None:
    """Raise a UserError if outputs cost the share of their labels that are wrong."""
    if getattr(unwrap(split), "costs", HAMMING).shape == SHARE.shape:
        raise UserError(f"{algorithm} needs costs of 1 or more for each wrong label: leave out costs=share")
