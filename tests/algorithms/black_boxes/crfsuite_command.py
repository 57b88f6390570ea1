"""Learn with CRFsuite from a file in its format: train, weights, seconds, c2, limit of iterations."""

import re
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

pycrfsuite: Any = import_module("pycrfsuite")  # a C module without types

FIELD = re.compile(r"(?<!\\):")


def sequences(file: str) -> Iterator[tuple[list[dict[str, float]], list[str]]]:
    """Attributes and labels of each sequence."""
    for block in Path(file).read_text(encoding="utf-8").split("\n\n"):
        lines = [line.split("\t") for line in block.splitlines()]
        if lines:
            fields = ([FIELD.split(each) for each in line[1:] if each] for line in lines)
            tokens = [{name: float(value) for name, value in each} for each in fields]
            yield tokens, [label.replace("\\:", ":").replace("\\\\", "\\") for label, *_ in lines]


def main(train: str, weights: str, seconds: str, c2: str, limit: str) -> None:
    """Learn, and write the weights, with six digits after the point, and the seconds that learning took."""
    trainer = pycrfsuite.Trainer(verbose=False, algorithm="lbfgs")
    for tokens, labels in sequences(train):
        trainer.append(tokens, labels)
    pairs = {"feature.possible_states": True, "feature.possible_transitions": True, "feature.minfreq": -1e100}
    trainer.set_params({"c2": float(c2), "max_iterations": int(limit), "epsilon": 0.0, "delta": 0.0} | pairs)
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        trainer.train(f"{folder}/model")
        Path(seconds).write_text(f"{time.perf_counter() - wall} {time.process_time() - cpu}\n")
        tagger = pycrfsuite.Tagger()
        tagger.open(f"{folder}/model")
        found = tagger.info()
        tagger.close()
    state = (f"state\t{a}\t{label}\t{w}\n" for (a, label), w in found.state_features.items())
    pair = (f"transition\t{a}\t{label}\t{w}\n" for (a, label), w in found.transitions.items())
    Path(weights).write_text("".join([*state, *pair]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
