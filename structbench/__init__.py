"""Learn, compare and use structured predictors.

    import structbench

    model = structbench.load("results/runs/...")  # a run, or the folder of an exported model
    model.predict("new.txt")

The rooms lie at the top of the repository. In a clone they are links here, which editors and type checkers follow;
Python takes the rooms themselves, so that every file has one path.
"""

from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
if (_HERE / "algorithms").is_symlink():
    __path__ = [str(_HERE.parent)]


def __getattr__(name: str) -> Any:
    if name == "load":  # only then: a run must not load what predicts
        from structbench.bench.runs.model import load

        return load
    raise AttributeError(f"module 'structbench' has no attribute {name!r}")
