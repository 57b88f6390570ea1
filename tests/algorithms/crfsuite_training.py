"""Random sequences, and the weights that CRFsuite's L-BFGS learns on them, in our order."""

from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

from structbench.algorithms.structures import interface as parts
from structbench.datasets import crfsuite
from structbench.datasets.problems.problem import Problem


def trained(folder: Path, all_weights: bool, **options: Any) -> tuple[Problem, np.ndarray]:
    """The problem and CRFsuite's weights under these options; with ``all_weights`` it must have learnt each."""
    rng = np.random.default_rng(0)
    sequences = []
    for length in rng.integers(1, 7, size=25):
        attributes = [[f"a{a}" for a in np.flatnonzero(rng.random(6) < 0.5)] for _ in range(length)]
        sequences.append((attributes, ["xyz"[(len(row) + rng.integers(2)) % 3] for row in attributes]))
    lines = ["\n".join("\t".join([y, *x]) for x, y in zip(*pair, strict=True)) for pair in sequences]
    (folder / "train").write_text("\n\n".join(lines) + "\n")
    problem = crfsuite.load(None, path=str(folder / "train"))

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for x, y in sequences:
        trainer.append(x, y)
    trainer.set_params({
        "epsilon": 1e-12, "delta": 1e-12, "max_iterations": 2000,
        "feature.possible_states": True, "feature.possible_transitions": True, **options,
    })  # fmt: skip
    trainer.train(str(folder / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(folder / "model"))
    learnt = tagger.info()
    K = len(problem.labels)
    if all_weights:
        assert len(learnt.state_features) + len(learnt.transitions) == parts.num_weights(problem.train)

    seen = dict.fromkeys(name for x, _ in sequences for row in x for name in row)
    number = {name: k for k, name in enumerate(seen)}  # numbered as they first appear, like labels
    label = {name: k for k, name in enumerate(problem.labels)}
    weights = np.zeros(parts.num_weights(problem.train))
    for (name, y), value in learnt.state_features.items():
        weights[number[name] * K + label[y]] = value
    for (before, after), value in learnt.transitions.items():
        weights[len(seen) * K + label[before] * K + label[after]] = value
    return problem, weights
