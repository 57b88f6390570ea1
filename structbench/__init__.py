"""Learn, compare and use structured predictors.

import structbench

made = structbench.run("mnist", "eg", loss="log", C=10, passes=20)  # made.curve, made.summary
made.predict(images)
structbench.plot.gap([made])
"""

from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

# The rooms lie at the top of the repository. In a clone they are links here, which editors and type checkers
# follow; Python takes the rooms themselves, so that every file has one path. Some ways to unpack an archive make
# text files of links.
_HERE = Path(__file__).resolve().parent
if (_HERE / "algorithms").is_symlink() or not (_HERE / "algorithms").is_dir():
    __path__ = [str(_HERE.parent)]

from structbench.algorithms.runtime import own_folders  # noqa: E402 - it lies in the path above
from structbench.algorithms.runtime.errors import UserError  # noqa: E402

with suppress(UserError):  # the first command says it
    own_folders.extend_packages()

OFFERED: dict[str, str] = dict.fromkeys(
    ("Model", "Results", "Run", "claims", "grid", "load", "plot", "results", "run"), "notebook"
)  # the module of each in bench
OFFERED |= dict.fromkeys(("Arrays", "arrays", "optimum"), "for_others")
OFFERED |= dict.fromkeys(
    (
        *("CRF", "ChainCRF", "DependencyParser", "FieldCRF", "MulticlassCRF", "SemiMarkovCRF", "StructuredSVM"),
        "scorer",
    ),
    "estimators",
)
__all__ = [*OFFERED]


def __getattr__(name: str) -> Any:
    if name in OFFERED:  # imported only now: a run must not import what makes runs
        return getattr(import_module(f"structbench.bench.{OFFERED[name]}"), name)
    raise AttributeError(f"module 'structbench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
