"""Check the norms sqrt(K(x, x)) by which a kernel is divided: each must be finite."""

import numpy as np

from structbench.algorithms.runtime.errors import UserError


def require_finite(norms: np.ndarray, sizes: np.ndarray, of: str, settings: str, smaller: str) -> None:
    """Check that all norms, (n,), are finite. Then K(x, x') is, since it is at most the product of two norms.

    Args:
        sizes: of the compared things, (n,).
        of: what the sizes count, such as "a tree of {} nodes".
        settings: of the kernel.
        smaller: which of the settings make K smaller.

    Raises:
        UserError: a norm is not finite.
    """
    too_large = ~np.isfinite(norms)
    if too_large.any():
        what = of.format(sizes[too_large].max())
        raise UserError(f"the kernel of {what} with itself is no number at {settings}: choose a smaller {smaller}")
