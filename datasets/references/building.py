"""Build the problem of a data set, and check what its module made."""

from collections.abc import Iterable, Iterator
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench.algorithms.runtime import modules as files_of_modules
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import OF_ANYBODY, Terminated, UserError
from structbench.algorithms.runtime.names import plural
from structbench.datasets.fetching.download import Fetcher
from structbench.datasets.references import modules
from structbench.datasets.references.data_ref import CHUNKS, DataRef, data_ref

if TYPE_CHECKING:  # importing it takes half a second that a listing need not wait for
    from structbench.datasets.problems.problem import Problem


def build(given: str | DataRef, test: str | None = None) -> "Problem":
    """Build the problem of a data set. If it reads a file, ``test`` is the user's test file.

    Raises:
        UserError: As ``data_ref``. Also a test file for a data set with its own test split, a source that cannot
            be reached, or a malformed file.
    """
    data = data_ref(given)
    data.check_test(test)
    try:
        made = _loaded(data, test)
    except (UserError, ModuleNotFoundError, Terminated):
        raise
    except OF_ANYBODY as error:  # of any kind: the module may be anybody's
        failure = files_of_modules.failure(error, modules.file_of(data.name))
        raise UserError(f"data set {data.name} failed with {failure}") from error
    made = _checked(data, made)._replace(scores=data.scores)
    is_parted = "validation" in data.load_options and made.validation is not None  # before it was encoded
    if data.validates and not is_parted:
        from structbench.datasets.problems.validation import with_validation

        is_file = data.path is not None and not hasattr(data.module, "user_files")  # which reads a folder
        load = (lambda file: _checked(data, _loaded(data, file, is_test=False))) if is_file else None
        made = with_validation(made, data.options["validation"], load)
    if "costs" not in data.options:
        return made
    from structbench.datasets.problems.costs import with_costs

    costs = data.options["costs"]
    return with_costs(made, None if costs == CHUNKS else costs)


def _loaded(data: DataRef, test: str | None, is_test: bool = True) -> "Problem":
    """The problem with a test file, or with another in its place: then options of the test split do not count.

    Raises:
        UserError: As the module's load does; if the module is the user's, the sentence names its file.
    """
    given = {name: value for name, value in data.load_options.items() if is_test or not name.startswith("test_")}
    given |= {} if data.path is None else {"path": data.path, "test": test}
    try:
        with Fetcher(f"licence of {data.name}: {data.module.LICENCE}") as files:
            return data.module.load(files, **given)
    except UserError as error:
        is_own = own_folders.owner(Path("datasets", modules.file_of(data.name).name))
        if not is_own or data.file in str(error):
            raise
        raise UserError(f"{data.file}: {error}") from error


def _checked(data: DataRef, made: "Problem") -> "Problem":
    """What a data set's module made, if that is what it says.

    Raises:
        UserError: It is no problem, or one of another structure; or its splits differ in features or labels; or
            a label's name is no text.
    """
    from structbench.datasets.problems.problem import Problem

    if not isinstance(made, Problem):
        raise UserError(f"{data.file}: load must return a Problem, not {type(made).__name__}")
    trained = _dimensions(made.train)
    for name in ("train", "test", "validation"):
        split = getattr(made, name)
        found = getattr(split, "id", type(split).__name__)
        if split is not None and found != data.structure:
            said = f"load returned a problem of the structure {found}, but STRUCTURE says {data.structure}"
            raise UserError(f"{data.file}: {said}")
        for place in _not_finite(split):
            raise UserError(f"{data.file}: load returned features that are not finite numbers: see {place}")
        if split is None or name == "train":
            continue
        here = _dimensions(split)
        if differ := [what for what, count in here.items() if count != trained[what]]:
            has, of_training = (" and ".join(plural(of[each], each) for each in differ) for of in (here, trained))
            said = f"the {name} split has {has}, that of training {of_training}"
            raise UserError(f"{data.file}: {said}: build both with the same features and labels")
    names = {what: _texts(data, what, getattr(made, what)) for what in ("labels", "tags", "unseen")}
    made = made._replace(**names)
    classes = getattr(made.train, "num_labels", 0)
    if not made.tags and len(made.labels) < classes:
        named = ", ".join(made.labels)
        raise UserError(f"{data.file}: load named {len(made.labels)} labels ({named}) for {classes}")
    return made


def _texts(data: DataRef, what: str, given: Any) -> tuple[str, ...]:
    """The names of labels or tags, as a stored problem has them; numbers become their digits.

    Raises:
        UserError: They are no list of texts or whole numbers.
    """
    each = [*given] if isinstance(given, Iterable) and not isinstance(given, str) else [None]
    if not all(isinstance(name, str | Integral) for name in each):
        raise UserError(f"{data.file}: {what} must be texts or whole numbers, such as ('a', 'b'), not {given!r}")
    return tuple(map(str, each))


def _dimensions(split: Any) -> dict[str, int]:
    """What splits of one problem must agree on: how many columns, labels and weights; 0 of what they lack."""
    from structbench.algorithms.structures import features
    from structbench.algorithms.structures import interface as parts

    columns = features.shape(parts.rows(split))[1] if parts.has(split, parts.rows) else 0
    weights = parts.num_weights(split) if parts.has(split, parts.num_weights) else 0
    return {"column": columns, "label": getattr(split, "num_labels", 0), "weight": weights}


def _not_finite(split: Any) -> Iterator[str]:
    """Where features of a split are no finite numbers."""
    import numpy as np

    from structbench.algorithms.structures.features import Features

    for name, value in zip(getattr(split, "_fields", ()), split or (), strict=False):
        for stored in (value.dense, value.values) if isinstance(value, Features) else ():
            for at in np.argwhere(~np.isfinite(stored))[:1]:
                yield f"row {at[0]} of {name}" if stored.ndim == 2 else f"value {at[0]} of {name}"
