"""Run a Python class with ``fit`` and ``predict``, maybe with ``partial_fit``, as scikit-learn's have."""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from structbench.algorithms.black_boxes import exchange
from structbench.algorithms.black_boxes.box import Box, filled, point
from structbench.algorithms.black_boxes.labels import Labels, gold
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.peers import harness
from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts

Call = Callable[[str, Callable[[], Any]], tuple[Any, tuple[float, float]]]


def learn(box: Box, problem: Any, objective: Objective, seed: int, params: dict[str, Any]) -> Iterator[Iterate]:
    """Yields where the class stands: before the first call, then after each pass, restart or run.

    The class is called once before the clock starts, so that what it imports late does not count.

    Raises:
        UserError: There is no such class, or it does not take the arguments.
        Fault: The class raises an exception, or predicts something else than a label for each decision.
    """
    kind = class_of(box)
    values = box.values(objective, seed, params)
    rows = box.reads == "rows"
    x, y = harness.rows_and_labels(box.name, objective.split) if rows else _sequences(problem, objective.split)
    n, notes = parts.num_examples(objective.split), box.notes
    model = None if box.minimises else Labels(problem.test)
    tested = None if model is None or problem.test is None else _tested(rows, problem)

    def make(limit: int) -> Any:
        given = {name: filled(each, values | {"limit": limit}) for name, each in box.arguments.items()}
        try:
            return kind(**given, **params)
        except TypeError as error:
            raise UserError(f"{modules.shown(box.file)}: {box.class_name} cannot be made: {error}") from None

    def call(what: str, work: Callable[[], Any]) -> tuple[Any, tuple[float, float]]:
        try:
            return harness.clocked(work)
        except Exception as error:  # of any kind: the class may be anybody's
            raise _fault(box, what, error) from error

    if model is None:
        yield harness.start(objective.split, notes)
        bound = None if objective.smooth else harness.HingeBound(problem, objective, seed)
    else:
        yield point(model.start, 0, (0.0, 0.0), notes, model)
        bound = None
    seen = {"classes": np.arange(values["num_labels"])} if rows else {}
    for passes, learner, seconds in _points(box, make, call, (x, y), seen):
        if model is None:
            vector, dual = _weights(box, learner, objective.split), bound and bound.after(n * passes)
        else:
            vector, dual = _labels(box, learner, call, tested, problem), None
        yield point(vector, n * passes, seconds, notes, model, dual)


def class_of(box: Box) -> type:
    """The class itself.

    Raises:
        UserError: There is none, or it has no fit or no predict.
    """
    place, _, name = box.class_name.rpartition(":" if ":" in box.class_name else ".")
    try:
        if ":" in box.class_name:
            file = box.file.parent / place
            spec = importlib.util.spec_from_file_location(f"black_box_{file.stem}", file)
            if spec is None or spec.loader is None or not file.is_file():
                raise UserError(f"{modules.shown(box.file)}: there is no Python file {place} beside it")
            found = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = found  # as classes expect that look for their module
            with _importing_beside(file.parent):
                spec.loader.exec_module(found)
        else:
            found = importlib.import_module(place)
        kind = getattr(found, name)
    except (UserError, ModuleNotFoundError):
        raise
    except Exception as error:  # of any kind: the module may be anybody's
        raise UserError(
            f"{modules.shown(box.file)}: the class {box.class_name} cannot be had: {type(error).__name__}: {error}"
        ) from None
    for method in ("fit", "predict"):
        if not callable(getattr(kind, method, None)):
            raise UserError(f"{modules.shown(box.file)}: the class {box.class_name} has no method {method}")
    return kind


@contextmanager
def _importing_beside(folder: Path) -> Iterator[None]:
    """Meanwhile ``import`` finds the files of a folder first. Afterwards another folder's may have their names."""
    before = {*sys.modules}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in sys.modules.keys() - before:
            room = folder / name.partition(".")[0]
            if room.with_suffix(".py").is_file() or (room / "__init__.py").is_file():
                del sys.modules[name]


def _points(
    box: Box, make: Callable[[int], Any], call: Call, data: tuple[Any, Any], seen: dict[str, Any]
) -> Iterator[tuple[int, Any, tuple[float, float]]]:
    """Passes so far, the object, and the seconds up to there."""
    first = make(1)
    kind = box.points or ("partial_fit" if hasattr(first, "partial_fit") else "one")
    if kind == "partial_fit" and not hasattr(first, "partial_fit"):
        raise UserError(f"{modules.shown(box.file)}: the class {box.class_name} has no method partial_fit")
    if kind == "partial_fit":
        call("partial_fit", lambda: first.partial_fit(*data, **seen))  # for what it imports
        learner, total = make(1), (0.0, 0.0)
        for passes in count(1):
            _, more = call("partial_fit", lambda: learner.partial_fit(*data, **seen))
            total = total[0] + more[0], total[1] + more[1]
            yield passes, learner, total
    call("fit", lambda: first.fit(*data))  # for what it imports
    if kind == "one":
        learner = make(1)
        _, seconds = call("fit", lambda: learner.fit(*data))
        yield _made(learner, 1), learner, seconds
        return
    before, total, learner = 0, (0.0, 0.0), make(1)
    for limit in harness.iterations():
        if kind == "restarts":
            further = _limited(box, limit - before)
            learner.set_params(**further)
        else:
            learner = make(limit)
        _, seconds = call("fit", lambda learner=learner: learner.fit(*data))
        if kind == "restarts":
            seconds = total = total[0] + seconds[0], total[1] + seconds[1]
        asked = limit - before if kind == "restarts" else limit
        made = _made(learner, asked) + (before if kind == "restarts" else 0)
        if made > before:
            yield made, learner, seconds
        if made < limit:
            return
        before = made


def _limited(box: Box, limit: int) -> dict[str, Any]:
    """The arguments that say the limit."""
    return {name: limit for name, each in box.arguments.items() if each == "{limit}"}


def _made(learner: Any, limit: int) -> int:
    """The iterations that it made, as scikit-learn's ``n_iter_`` says; else its limit."""
    return int(np.max(getattr(learner, "n_iter_", limit)))


def _sequences(problem: Any, split: Any) -> tuple[list[Any], list[Any]]:
    found = exchange.sequences(split)
    names = exchange.label_names(problem, split)
    y, starts = gold(split)
    tokens = [{str(a): value for a, value in zip(*each, strict=True)} for each in found]
    cut = list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
    return [tokens[a:b] for a, b in cut], [[names[k] for k in y[a:b].tolist()] for a, b in cut]


def _tested(rows: bool, problem: Any) -> Any:
    if rows:
        return ft.as_matrix(parts.classes(problem.test).x)
    return _sequences(problem, problem.test)[0]


def _weights(box: Box, learner: Any, split: Any) -> np.ndarray:
    """The weights in ``coef_``, in our order."""
    K = parts.classes(split).num_labels
    columns = parts.num_weights(split) // K
    found = np.asarray(getattr(learner, "coef_", ()), float)
    shapes = {(K, columns), (1, columns)} if K == 2 else {(K, columns)}
    if found.shape not in shapes:
        there = f"one of {found.shape}" if found.size else "none"
        raise Fault(f"{box.name}: {box.class_name} needs a coef_ of shape ({K}, {columns}), but has {there}")
    if np.any(getattr(learner, "intercept_", 0.0)):
        raise Fault(f"{box.name}: {box.class_name} has an intercept, which the objective has not: fit none")
    return harness.weights_of(found)


def _labels(box: Box, learner: Any, call: Call, tested: Any, problem: Any) -> np.ndarray:
    """The label of each decision of the test split, as its number."""
    if tested is None:
        return np.zeros(0)
    given = list(call("predict", lambda: learner.predict(tested))[0])
    right, starts = gold(problem.test)
    if box.reads == "sequences":
        lengths, wanted = [len(each) for each in given], np.diff(starts).tolist()
        if lengths != wanted:
            raise Fault(
                f"{box.name}: {box.class_name}.predict gave {len(given)} sequences of {sum(lengths)} labels, not "
                f"{len(wanted)} of {sum(wanted)}, or not each of its length"
            )
        names = {name: k for k, name in enumerate(exchange.label_names(problem, problem.test))}
        given = [label for each in given for label in each]
    else:
        names = {k: k for k in range(parts.classes(problem.test).num_labels)}
    if len(given) != len(right):
        raise Fault(f"{box.name}: {box.class_name}.predict gave {len(given)} labels, not {len(right)}")
    return np.array([exchange.number(box, label, names) for label in given], float)


def _fault(box: Box, what: str, error: Exception) -> Fault:
    """The sentence for an exception of the class, with the line where it was raised."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}".rstrip(": ")
    return Fault(f"{box.name}: {box.class_name}.{what} failed with {said} (at {frame.filename}:{frame.lineno})")
