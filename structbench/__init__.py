"""Learn, compare and use structured predictors.

The rooms lie at the top of the repository. In a clone they are links here, which editors and type checkers follow;
Python takes the rooms themselves, so that every file has one path.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
if (_HERE / "algorithms").is_symlink():
    __path__ = [str(_HERE.parent)]
