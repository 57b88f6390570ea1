"""Run a Python class with ``fit`` and maybe ``predict`` or ``partial_fit``, as scikit-learn's have."""

import importlib
import importlib.util
import inspect
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from structbench.algorithms.black_boxes import exchange
from structbench.algorithms.black_boxes.box import CURVES, Box, Given, Seconds, at, filled
from structbench.algorithms.black_boxes.examples import examples, label_names, rows_and_labels, sequences
from structbench.algorithms.learning import refusals
from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts


class Class:
    """A class at work. It may tell of a fit ``n_iter_``, ``visits_`` (inference calls) and its own ``seconds_``.

    One of sequences may have ``label_one``, whose calls are then timed (``bench/runs/latency.py``).

    ``how``: what a point of its curve is, a key of ``CURVES``.
    """

    def __init__(self, box: Box, problem: Any, split: Any, values: Given) -> None:
        """Call it once before the clock starts, so that what it imports late does not count."""
        self.box, self.problem, self.split, self.values = box, problem, split, values
        self.kind, rows = class_of(box), box.reads == "rows"
        self.data = rows_and_labels(box.name, split) if rows else sequences(problem, split, learn=True)
        self.learner = self._made(1)
        self.how = box.points or ("partial_fit" if hasattr(self.learner, "partial_fit") else "one")
        self.method = "partial_fit" if self.how == "partial_fit" else "fit"
        if not hasattr(self.learner, self.method):
            raise UserError(f"{modules.shown(box.file)}: the class {box.class_name} has no method {self.method}")
        self.more = {"classes": np.arange(values["num_labels"])} if rows and self.method != "fit" else {}
        refusals.changed_data(self)
        self._call(self.method, *self.data, **self.more)
        refusals.changed_data(self)
        self.learner = self._made(1)

    def run(self, budget: int, before: int) -> tuple[int, int | None, Seconds]:
        """Go on to a budget from the iterations before; the iterations so far, visits, and this call's seconds."""
        done = before if CURVES[self.how].goes_on else 0
        asked = budget - done
        if self.how == "restarts":
            limits = [name for name, each in self.box.arguments.items() if each == "{limit}"]
            self.learner.set_params(**dict.fromkeys(limits, asked))
        elif self.how != "partial_fit":
            self.learner = self._made(budget)
        _, seconds = self._call(self.method, *self.data, **self.more)
        made = getattr(self.learner, "n_iter_", asked) if self.method == "fit" else asked
        visits = getattr(self.learner, "visits_", None)
        return done + int(np.max(made)), visits, getattr(self.learner, "seconds_", seconds)

    def found(self) -> np.ndarray:
        """Its weights, or the labels that it gives to the test split, none without one."""
        refusals.changed_data(self)
        box, test = self.box, self.problem.test
        if box.has_weights:
            return self._weights()
        if test is None:
            return np.zeros(0, np.int64)
        rows = box.reads == "rows"
        tested: Any = ft.as_matrix(examples(test).x) if rows else sequences(self.problem, test, learn=False)[0]
        given, who = [*self._call("predict", tested)[0]], f"{box.class_name}.predict"
        if not rows:
            if [*map(len, given)] != [*map(len, tested)]:
                raise Fault(f"{box.name}: {who} gave sequences of other lengths than those of the test split")
            given = [label for each in given for label in each]
        return exchange.numbers(box, who, given, self.problem)

    def _weights(self) -> np.ndarray:
        """The weights in ``coef_``, which has a row for each label, and in ``transitions_``, in our order.

        Of two classes ``coef_`` may have one row, the difference of their weights. Of sequences its rows are
        ``classes_`` and its columns ``attributes_``.
        """
        where, learner = f"{self.box.name}: {self.box.class_name}", self.learner
        K, size = examples(self.split).num_labels, parts.num_weights(self.split)
        found = np.asarray(getattr(learner, "coef_", ()), float)
        if np.any(getattr(learner, "intercept_", 0.0)):
            raise Fault(f"{where} has an intercept, which the objective has not: fit none")
        if self.box.reads == "sequences":
            weights = np.zeros((size // K, K))
            try:
                labels = np.array([*map(label_names(self.problem, self.split).index, learner.classes_)])
                weights[np.ix_(np.array(learner.attributes_, int) - 1, labels)] = found.T
                weights[np.ix_(size // K - K + labels, labels)] = learner.transitions_
            except (AttributeError, IndexError, ValueError) as error:
                raise Fault(f"{where}: coef_, transitions_, classes_ or attributes_ do not fit: {error}") from None
            return weights.ravel()
        if found.shape != (K, size // K) and (K, *found.shape) != (2, 1, size // K):
            there = f"one of {found.shape}" if found.size else "none"
            raise Fault(f"{where} needs a coef_ of shape ({K}, {size // K}), but has {there}")
        if len(found) == 1:
            found = np.concatenate([-found, found]) / 2
        return np.ascontiguousarray(found.T).ravel()

    def _made(self, budget: int) -> Any:
        box, values = self.box, at(self.values, budget)
        given = {name: filled(each, values) for name, each in box.arguments.items()}
        own = (name for name in box.parameters if name not in box.names or _takes(self.kind, name))
        try:
            return self.kind(**given, **{name: values[name] for name in own})
        except TypeError as error:
            raise UserError(f"{modules.shown(box.file)}: {box.class_name} cannot be made: {error}") from None

    def _call(self, method: str, *data: Any, **more: Any) -> tuple[Any, Seconds]:
        """What a method returns, and its seconds; an exception becomes a sentence with the line that raised it."""
        try:
            return clocked(lambda: getattr(self.learner, method)(*data, **more))
        except Exception as error:  # of any kind: the class may be anybody's
            frame = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}".rstrip(": ")
            where = f"{self.box.name}: {self.box.class_name}.{method}"
            raise Fault(f"{where} failed with {told} (at {frame.filename}:{frame.lineno})") from error


def clocked(call: Callable[[], Any]) -> tuple[Any, Seconds]:
    """A call's result, and its seconds on one thread. Warnings, as of a spent budget, are silenced.

    The driver's own limit does not reach libraries that are loaded later, as those of others are.
    """
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        return result, (time.perf_counter() - wall, time.process_time() - cpu)


def class_of(box: Box) -> type:
    """The class itself.

    Raises:
        UserError: There is none, or it lacks a method.
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
    for method in ("fit",) if box.has_weights else ("fit", "predict"):
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


def _takes(kind: Callable, name: str) -> bool:
    """Whether a class takes an argument of this name; yes, if it does not tell."""
    try:
        known = inspect.signature(kind).parameters.values()
    except ValueError:
        return True
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in known)
