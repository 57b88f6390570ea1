"""``data check``: what a data set holds, and what is odd about it, before anything is learned."""

from typing import Any

import numpy as np

from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.bench.drawing.terminal import print_table
from structbench.datasets import build, data_ref

RARE = 1  # a label that training has this often cannot be learned
SHOWN = 8  # labels in a sentence


def check(text: str, test: str | None) -> dict[str, Any]:
    """Build a data set and say what it holds: splits, labels with their counts, and what is odd.

    Raises:
        UserError: As ``data_ref`` and ``build``.
    """
    data = data_ref(text)
    made = build(data, test)
    splits = {name: _split(getattr(made, name), len(made.labels)) for name in ("train", "test")}
    counts = {name: found.pop("counts") for name, found in splits.items() if found}
    labels = [
        {"label": label} | {name: int(found[k]) for name, found in counts.items()}
        for k, label in enumerate(made.labels)
    ]
    found = {"structure": data.structure, "weights": parts.num_weights(made.train)}
    return found | splits | {"labels": labels, "odd": _odd(splits, labels)}


def _split(split: Any, num_labels: int) -> dict[str, Any] | None:
    """Counts of a split; ``counts``: how often it has each label."""
    if split is None:
        return None
    *_, starts = prediction.room(parts.compiled(split))
    sizes, y = np.diff(starts), np.asarray(split.y)
    found = {"examples": len(sizes), "decisions": int(starts[-1]), "longest": int(sizes.max(initial=0))}
    found |= {"unseen": int(np.count_nonzero(y < 0)), "counts": np.bincount(y[y >= 0], minlength=num_labels)}
    if parts.has(split, parts.rows):
        found["without features"] = int(np.count_nonzero(np.diff(_indptr(parts.rows(split))) == 0))
    return found


def _indptr(x: Any) -> np.ndarray:
    import scipy.sparse as sp

    from structbench.algorithms.structures import features

    return sp.csr_array(features.as_matrix(x)).indptr


def _odd(splits: dict[str, Any], labels: list[dict[str, Any]]) -> list[str]:
    """Sentences on what a user may not expect."""
    odd = []
    for name, found in splits.items():
        if found and found.get("without features"):
            odd.append(f"{name}: {found['without features']:,} decisions have no features")
    if splits["test"] is None:
        odd.append("there is no test split: errors are of training examples only")
    elif splits["test"]["unseen"]:
        odd.append(
            f"test: {splits['test']['unseen']:,} decisions have labels that training lacks: they count as errors"
        )
    rare = [each["label"] for each in labels if each["train"] <= RARE]
    if rare:
        more = f" and {len(rare) - SHOWN} more" if len(rare) > SHOWN else ""
        odd.append(f"labels that training has at most once: {', '.join(rare[:SHOWN])}{more}")
    return odd


def show(name: str, found: dict[str, Any]) -> None:
    """Print what ``check`` found."""
    print(f"{name}: {found['structure']}, {found['weights']:,} weights")
    columns = ("examples", "decisions", "longest")
    rows = [[each, *(f"{found[each][c]:,}" for c in columns)] for each in ("train", "test") if found[each]]
    print_table(["split", *columns], rows)
    if found["labels"]:
        print_table([*found["labels"][0]], [[*map(str, each.values())] for each in found["labels"]])
    for sentence in found["odd"] or ["nothing is odd"]:
        print(sentence)
