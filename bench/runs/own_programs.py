"""Notice files of the user's folders that came, or were edited, in a process that lives on, as of a notebook."""

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

from structbench.algorithms.losses import family
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import compiled, structure_types
from structbench.bench.runs import programs

_known: list[tuple[Path, ...]] = [()]  # the files that were there at the last look


def look_again(given: Iterable[str] = ()) -> None:
    """Use these folders of the user's, too. If other files are there than before, all is listed again.

    Raises:
        UserError: A folder is not there, or two files have one name.
    """
    own_folders.look_again()
    own_folders.use(given)
    found = own_folders.listing()
    for file in filter(None, map(own_folders.name_of, found)):
        programs.remember(file)
    if found == _known[0]:
        return
    _known[0] = found
    importlib.invalidate_caches()
    ours = [module for name, module in sys.modules.items() if name.startswith("structbench.bench.")]
    for module in (*ours, compiled, family, structure_types):
        for each in [*vars(module).values()]:
            is_cache = hasattr(each, "cache_clear") and each.__module__ == module.__name__
            if is_cache and each is not programs._read:  # what was imported stays
                each.cache_clear()


def refuse_edited(files: Iterable[Path]) -> None:
    """Raise a UserError if one of these files, of a folder of the user's, was edited since this process saw it."""
    edited = (own_folders.place(file) for file in files if own_folders.owner(file) and programs.is_edited(file))
    if file := next(edited, None):
        raise UserError(
            f"{file} changed since this process imported it: start another one (in a notebook, restart the kernel)"
        )
