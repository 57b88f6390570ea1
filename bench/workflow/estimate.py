"""Estimate how long runs take, within a factor of 3: from similar finished runs, or from the kind of work.

A run makes some passes over some examples. What that takes depends on the structure and the family of algorithms.
The seconds that finished runs of the same data and algorithm took on this machine correct this product.
"""

import math
import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from statistics import median

from structbench.algorithms.runtime import kernel_folder
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import algorithm_files, results, state, store
from structbench.bench.runs.spec import Spec, fields_of

WORK = {  # data set, maybe with its task -> training examples, and microseconds of one in a pass
    "mnist": (59_000, 2), "toy-points": (60, 2), "toy-clusters": (600, 2), "svmlight": (1_000, 2),
    "ocr": (5_500, 25), "conll2000": (9_000, 25), "conll2002": (8_000, 25), "synthetic": (100, 25),
    "toy-english": (1_000, 25), "columns": (1_000, 25), "treebank": (700, 150), "web-records": (300, 180),
    "conll2007": (3_300, 400), "conll2007-relations": (3_300, 180), "conll2000 segments": (9_000, 300),
    "conll2000 joint": (9_000, 1_000), "toy-english skip-chains": (1_000, 5_000), "peoples-daily": (40_000, 40),
}  # fmt: skip
OF_OTHERS = (1_000, 50.0)
SLOWER = {  # families of algorithms whose passes take longer
    "mistake_driven": 1.5, "sparse_margin": 1.5, "cutting_planes": 5, "generative": 5, "black_boxes": 5,
    "kernel_methods": 10, "memory_based": 10,
}  # fmt: skip
SIZES = ("from_each", "train", "words", "sentences")  # options that say how many
BYTES = 300  # of an example in a user's file
LIKE = 3  # how many finished runs are read


def seconds(spec: Spec) -> float:
    """What a run takes, besides compiling."""
    like = _finished(results.runs()).get(_group(spec.key), [])
    ratios = [ratio for name in like if (ratio := _ratio(results.runs() / name))]
    return _usual(spec) * (median(ratios) if ratios else 1.0)


def training_examples(spec: Spec) -> float:
    """How many training examples its data have, more or less."""
    options, path = spec.data.options, spec.data.path
    if path:
        with suppress(OSError):
            return Path(path).expanduser().stat().st_size / BYTES
    given = (options.get(size) for size in SIZES)
    return next((size for size in given if isinstance(size, int) and size > 0), _work(spec)[0])


def _work(spec: Spec) -> tuple[float, float]:
    name = spec.data.name
    return WORK.get(f"{name} {spec.data.options.get('task')}", WORK.get(name, OF_OTHERS))


def _usual(spec: Spec) -> float:
    slower = SLOWER.get(algorithm_files.file_of(spec.algorithm).parent.name, 1)
    passes = min(spec.passes, 8 * math.sqrt(spec.passes))  # many reach their gap before
    found = 0.1 + passes * (0.001 + slower * training_examples(spec) * _work(spec)[1] / 1e6)
    return found if spec.seconds is None else min(found, spec.seconds + 1)


@cache
def _finished(runs: Path) -> dict[tuple[str, str], list[str]]:
    """Data and algorithm -> the names of some runs."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in os.listdir(runs) if runs.is_dir() else ():
        with suppress(ValueError, IndexError):
            if len(group := found[_group(name)]) < LIKE:
                group.append(name)
    return found


def _group(key: str) -> tuple[str, str]:
    data, _, _, algorithm, *_ = fields_of(key)
    return str(data), str(algorithm).partition(":")[0]


@cache
def _ratio(folder: Path) -> float:
    """The seconds that a finished run took over what such a run usually takes; 0 if they are not known."""
    try:
        run = store.read_run(folder)
        took = min(run.summary["total_seconds"], 1 + 3 * run.summary["wall_seconds"])  # the others compiled
        ratio = took / _usual(state.spec_of(run))
        return ratio if 0 < ratio < math.inf else 0.0
    except (UserError, OSError, ArithmeticError, ValueError, KeyError, TypeError):
        return 0.0


def compiling(specs: Iterable[Spec]) -> float:
    """Seconds to compile what runs need, the fewer the more kernels are there, whichever they are."""
    pairs = [(spec.data.structure, spec.algorithm) for spec in specs]
    structures, algorithms = (len({*each}) for each in zip(*pairs, strict=True)) if pairs else (0, 0)
    there = len(kernel_folder.compiled()) / max(1, 5 * structures + 3 * algorithms)
    return max(0.0, 1 - there) * (15 * structures + 3 * algorithms)
