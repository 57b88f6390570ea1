"""Data sets: one module each, found by its name, with hyphens for underscores.

``data_ref`` reads how a user writes a data set, and ``build`` makes its problem.
"""

from structbench.datasets.references.building import build
from structbench.datasets.references.data_ref import IN_MEMORY, DataRef, data_ref, of_key, stored
from structbench.datasets.references.modules import (
    describe,
    is_generated,
    module,
    names,
    names_of,
    reads_a_file,
    sources,
)

__all__ = [
    "IN_MEMORY", "DataRef", "build", "data_ref", "describe", "is_generated", "module", "names", "names_of",
    "of_key", "reads_a_file", "sources", "stored",
]  # fmt: skip
