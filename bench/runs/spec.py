"""The specification of one run: complete, canonical, and readable as the name of a folder."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, unquote

from structbench.algorithms.learning import declaration
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given, defaults, split_options, typed_options
from structbench.bench.runs import algorithm_files, algorithm_module, aliases, catalogue, documents
from structbench.bench.runs.objective_names import (
    check_loss,
    in_digits,
    loss_as_written,
    penalty_as_written,
    penalty_kind,
    shortest,
)
from structbench.datasets import IN_MEMORY, DataRef, data_ref, of_key, stored
from structbench.datasets.references import file_names

MOST_THREADS = 1024
LEAST_GAP = 1e-14  # relative: rounding hides smaller differences between sums of doubles
LONGEST_KEY = 240  # bytes: file systems allow 255 in a name


@dataclass(frozen=True)
class Spec:
    """One (problem, objective, algorithm, parameters, stopping rule, seed); make it with ``make``."""

    data: DataRef
    test: str | None
    loss: str
    C: float
    algorithm: str
    params: tuple[tuple[str, Any], ...]
    penalty: str = "l2"
    passes: float = 100.0
    gap: float = 1e-6
    seconds: float | None = None
    seed: int = 0
    threads: int = 1

    @cached_property
    def key(self) -> str:
        """The run's name: data, loss, C, algorithm, then whatever is not the default; see ``parse``.

        Files of the user's have short names, see ``file_names``.
        """
        usual = self._defaults()
        given = [f"{_name(name)}={_in_a_list(value)}" for name, value in self.params if value != usual[name]]
        fields = [key_of_problem(self.data, self.loss, self.C)]
        fields.append(self.algorithm + (":" + ",".join(given) if given else ""))
        for name in ("test", "penalty", "passes", "gap", "seconds", "seed", "threads"):
            value = getattr(self, name)
            if name == "test" and value is not None:
                value = file_names.short(value)
            usual = "none" if name == "penalty" and self.loss == declaration.NO_LOSS else None
            if value not in (usual, None, type(self).__dataclass_fields__[name].default):
                fields.append(f"{name}={_quoted(shortest(value))}")
        return "__".join(fields)

    @property
    def paths(self) -> dict[str, str]:
        """Short name -> path, of the user's files."""
        paths = [*self.data.paths, *filter(None, [self.test])]
        return {file_names.short(path): path for path in paths}

    def as_dict(self) -> documents.Json:
        """The spec with all defaults filled in, for ``spec.json``."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return fields | {"data": self.data.text, "params": dict(self.params)}

    @classmethod
    def from_dict(cls, said: documents.Json) -> "Spec":
        """The spec that ``as_dict`` gave, unchecked; raises a ValueError if it has a field of no spec."""
        if odd := sorted(said.keys() - cls.__dataclass_fields__.keys()):
            raise ValueError(f"a spec has no field {odd[0]!r}")
        rest = {name: value for name, value in said.items() if name not in ("data", "params")}
        return cls(data=stored(said["data"]), params=tuple(sorted(said["params"].items())), **rest)

    def command(self, out: Path | str = "DIR") -> str:
        """The command line that makes this run in the folder ``out``."""
        words = ["run", *self._folders(), "--data", self.data.text]
        if self.loss != declaration.NO_LOSS:
            words += ["--loss", self.loss, "--C", shortest(self.C)]
        if self.penalty != catalogue.penalties(self.algorithm)[0]:
            words += ["--penalty", self.penalty]
        words += ["--algorithm", self.algorithm]
        if self.test:
            words += ["--test", self.test]
        for name, value in self.params:
            if value != self._defaults()[name]:
                words += ["--set", f"{name}={_in_a_list(value)}"]
        words += ["--passes", shortest(self.passes), "--gap", shortest(self.gap)]
        if self.seconds is not None:
            words += ["--seconds", shortest(self.seconds)]
        return command(*words, "--seed", self.seed, "--threads", self.threads, "--out", out)

    def _folders(self) -> list[str]:
        """The options that name the user's folders with the algorithm, the data set and the loss."""
        files = [algorithm_files.file_of(self.algorithm)]
        files.append(Path("datasets", f"{self.data.name.replace('-', '_')}.py"))
        files += [family.file_of(self.loss)] if family.kind(self.loss) in family.loss_names() else []
        found = dict.fromkeys(filter(None, map(own_folders.owner, files)))
        return [word for each in found for word in ("--with", str(each))]

    def _defaults(self) -> Given:
        return defaults(algorithm_module.solver(self.algorithm))


def make(
    data: str | DataRef,
    loss: str | None,
    C: float | None,
    algorithm: str,
    params: Given | None = None,
    **rest: Any,
) -> Spec:
    """A checked spec; ``params`` are the algorithm's, as text or as values, missing ones take defaults.

    Without a ``penalty`` it is the first that the algorithm names, l2 for most. An algorithm that minimises no
    objective has the loss none and no C, which may both be None.

    Raises:
        UserError: A value is not allowed; the sentence says which and what would be right.
    """
    data = data_ref(data)
    data.check_test(rest.get("test"))
    if rest.get("test") is not None:
        rest["test"] = file_names.absolute(rest["test"])
    spec = replace(of_memory(loss, C, algorithm, params, **rest), data=data)
    _check_fit(algorithm, spec.params, data.structure)
    return spec


def of_memory(loss: str | None, C: float | None, algorithm: str, params: Given | None = None, **rest: Any) -> Spec:
    """As ``make``, for a problem that is in memory and has no name; its structure is not checked."""
    solver = algorithm_module.solver(algorithm)
    usual = defaults(solver)
    filled = usual | typed_options(solver, aliases.today(algorithm, params or {}, usual), f"algorithm {algorithm}")
    loss, C = _objective(algorithm, filled, loss and in_digits(loss), C)
    spec = Spec(IN_MEMORY, None, loss, float(C), algorithm, tuple(sorted(filled.items())))
    if rest.get("penalty") is None:
        rest["penalty"] = catalogue.penalties(algorithm)[0]
        if rest["penalty"] in declaration.NUMBERED.values():
            raise UserError(f"{algorithm} needs a penalty {rest['penalty']}, such as laplace-100")
    spec = replace(spec, **rest)
    if not (spec.C > 0 and math.isfinite(spec.C)):
        raise UserError(f"C must be a number above 0, not {shortest(spec.C)}")
    spec = replace(spec, penalty=_penalty(spec))
    if not 0 < spec.passes < math.inf:
        raise UserError(f"passes must be above 0 and finite, not {shortest(spec.passes)}")
    if not (spec.gap == 0 or LEAST_GAP <= spec.gap < math.inf):
        raise UserError(
            f"gap must be at least {LEAST_GAP:g} and finite, or 0 (until it rounds to 0), not {shortest(spec.gap)}"
        )
    if spec.seconds is not None and not 0 < spec.seconds < math.inf:
        raise UserError(f"seconds must be above 0 and finite, not {shortest(spec.seconds)}")
    if not 1 <= spec.threads <= MOST_THREADS:
        raise UserError(f"threads must be 1 or more and at most {MOST_THREADS}, not {spec.threads}")
    if spec.threads > 1 and not algorithm_module.declaration(algorithm).threads:
        raise UserError(f"{algorithm} uses one thread: leave out threads = {spec.threads}")
    if spec.seed < 0:
        raise UserError(f"seed must be 0 or more, not {spec.seed}")
    return spec


@cache  # plans of thousands of runs have few of these
def _check_fit(algorithm: str, params: tuple[tuple[str, Any], ...], structure: str) -> None:
    catalogue.check_structure(algorithm, dict(params), structure)


def _objective(algorithm: str, params: Given, loss: str | None, C: float | None) -> tuple[str, float]:
    """Loss and strength of the penalty: both are needed, unless the algorithm minimises no objective."""
    if loss is not None:
        check_loss(loss)
    if catalogue.properties(algorithm, params) == (declaration.NO_LOSS,):
        if loss not in (None, declaration.NO_LOSS):
            raise UserError(f"{algorithm} minimises no loss: leave out {loss!r}")
        if C not in (None, 1.0):
            raise UserError(f"{algorithm} has no penalty: leave out C = {shortest(C)}")
        return declaration.NO_LOSS, 1.0
    if loss is None:
        raise UserError(f"{algorithm} needs a loss: {' or '.join(catalogue.losses(algorithm, params))}")
    if C is None:
        raise UserError(f"{algorithm} needs a C, the strength of the penalty: a number above 0, such as 1")
    if not catalogue.minimises(algorithm, loss, params):
        allowed = catalogue.losses(algorithm, params)
        settings = catalogue.settings_for(algorithm, loss)
        otherwise = f" (it does with {settings})" if settings else ""
        raise UserError(f"{algorithm} minimises the {' or '.join(allowed)} loss, not {loss!r}{otherwise}")
    return loss_as_written(loss), C


def _penalty(spec: Spec) -> str:
    """The penalty, its number written in one way, if it exists and the algorithm minimises it."""
    kind = penalty_kind(spec.penalty)
    allowed = catalogue.penalties(spec.algorithm)
    if kind not in allowed:
        raise UserError(f"{spec.algorithm} takes the penalty {' or '.join(allowed)}, not {spec.penalty!r}")
    return penalty_as_written(spec.penalty)


def check_name(spec: Spec) -> None:
    """Raise a UserError if the run's key is too long for the name of a folder."""
    if len(spec.key.encode()) > LONGEST_KEY:
        raise UserError(f"the name of this run is longer than {LONGEST_KEY} bytes: {spec.key}")


def key_of_problem(data: DataRef, loss: str, C: float) -> str:
    """How the names of runs begin that minimise this loss with this C."""
    fields = [_quoted(data.key, ":=,"), loss]
    return "__".join(fields if loss == declaration.NO_LOSS else [*fields, f"C={shortest(C)}"])


def fields_of(key: str) -> tuple[str, str, str | None, *tuple[str, ...]]:
    """What a run's name consists of: data, loss, C (None where there is no loss), algorithm, and the rest.

    Raises:
        ValueError, IndexError: It is no key of a run.
    """
    data, loss, *rest = key.split("__")
    C = None if loss == declaration.NO_LOSS else rest.pop(0)
    return data, loss, C, *rest


def parse(key: str, paths: Mapping[str, str] = MappingProxyType({})) -> Spec:
    """The spec that has this key; ``paths``: of the user's files, by their short names.

    Raises:
        UserError: It is no key of a run, or the path of a file in it is not given.
    """
    types: dict[str, type] = dict.fromkeys(("test", "penalty"), str)
    types |= dict.fromkeys(("passes", "gap", "seconds"), float) | dict.fromkeys(("seed", "threads"), int)
    try:
        data, loss, C, solver, *rest = fields_of(key)
        algorithm, _, options = solver.partition(":")
        given = {name: types[name](unquote(value)) for name, value in (field.split("=", 1) for field in rest)}
        strength = float((C or "C=1").removeprefix("C="))
    except (IndexError, KeyError, ValueError):
        raise UserError(f"{key!r} is not the name of a run") from None
    usual = "none" if loss == declaration.NO_LOSS else Spec.penalty
    given.setdefault("penalty", usual)  # a name leaves out what is at the default of ``Spec``
    if "test" in given:
        given["test"] = file_names.whole(given["test"], paths)
    params = {unquote(name): unquote(value) for name, value in split_options(options).items()}
    return make(of_key(unquote(data), paths), loss, strength, algorithm, params, **given)


def _quoted(text: str, safe: str = "") -> str:
    """The text with no ``__`` in it, nor a ``_`` that would make one with the separator."""
    return re.sub("_(?=_|$)|^_", "%5F", quote(text, safe=safe))


def _name(parameter: str) -> str:
    """A parameter's name as a key has it, with no ``__`` in it."""
    return re.sub("_(?=_)", "%5F", parameter)


def _in_a_list(value: Any) -> str:
    """A parameter's value as a key has it: no text leads to another folder, or ends the value, or the field."""
    return re.sub("[/,]|%(?=[0-9A-Fa-f]{2})|_(?=_|$)", lambda found: f"%{ord(found[0]):02X}", shortest(value))
