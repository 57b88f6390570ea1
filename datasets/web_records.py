"""Product records of made-up shops as trees, generated substitute data for l1m3n2009, section 5.4.

``datasets.toy.product_records`` draws them, with the paper's numbers of templates, pages and records. As in the
paper, models train on a random percentage of the training records, and are tested on all test records.
"""

from typing import Annotated, Any

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems import sampling
from structbench.datasets.problems.problem import Problem
from structbench.datasets.toy.product_records import ATTRIBUTES, LABELS, records
from structbench.datasets.web import boxes

LICENCE = "generated here"
REFERENCES = ("l1m3n2009",)
SCORES = ("attributes",)
KEY = ("Name", "Image", "Price")


def structure(*, structure: str, **_: Any) -> str:
    """The id of the structure that a problem with this option is of."""
    return structure


def load(
    files: Any,
    *,
    share: sampling.Share = 100,
    draw: Annotated[int, ">= 0"] = 0,
    seed: Annotated[int, ">= 0"] = 0,
    structure: boxes.Structure = "tree",
    features: boxes.Kind = "sparse",
    test_records: int = 0,
) -> Problem:
    """A share of the training records, and ``test_records`` test records (0: all); ``files`` is not used.

    Args:
        share: Percent of the training records to train on, drawn at random.
        draw: Which draw, from 0 on.
        seed: Of the shops and their records.
        structure: A node depends on its parent, or, as a baseline, on the node before it in the document.
        features: Binary ones of words, classes and layout, or a few real ones, of layout alone, as a control.

    Raises:
        UserError: An option is out of range.
    """
    learn, evaluate = list(records("train", seed)), list(records("test", seed))
    if not 0 <= test_records <= len(evaluate):
        raise UserError(
            f"data set web-records: test_records must be 0 (all) to {len(evaluate)}, not {test_records}"
        )
    learn = [learn[i] for i in sampling.drawn(len(learn), share, draw)]
    evaluate = evaluate[: test_records or None]
    return boxes.page_problem(learn, evaluate, LABELS, ATTRIBUTES, KEY, structure, features)
