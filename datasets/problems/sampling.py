"""Parts of a training split: drawn at random, the first ones, or without the last tenth."""

from typing import Annotated, Any, TypeVar

import numpy as np

from structbench.algorithms.runtime.errors import UserError

Share = Annotated[int, ">= 1", "<= 100"]  # in percent
Part = TypeVar("Part")


def drawn(count: int, share: int, draw: int) -> np.ndarray:
    """A random share, in percent, of ``count`` examples, one at least, in their order; int64.

    A larger share of the same draw contains the smaller ones.
    """
    order = np.random.default_rng([draw, count]).permutation(count)
    return np.sort(order[: max(1, round(count * share / 100))])


def first(examples: Part, count: int, source: str) -> Part:
    """The first ``count`` examples (0: all) of a list or of ``columns.Sentences``.

    Raises:
        UserError: There are fewer, or count is negative.
    """
    there = _size(examples)
    if not 0 <= count <= there:
        raise UserError(f"{source} has {there} sentences: cannot take the first {count}")
    return _part(examples, slice(count)) if count else examples


def held_out(examples: Part, source: str) -> tuple[Part, Part]:
    """All but the last tenth of the examples, and that tenth, one at least.

    Raises:
        UserError: There is only one.
    """
    there = _size(examples)
    if there < 2:
        raise UserError(f"{source} has 1 sentence: holding out a tenth needs 2 or more")
    kept = there - max(1, there // 10)
    return _part(examples, slice(kept)), _part(examples, slice(kept, there))


def chosen(
    name: str, learn: Part, evaluate: Part, sentences: int = 0, test_sentences: int = 0, tune: bool = False
) -> tuple[Part, Part]:
    """The first ``sentences`` to train on and ``test_sentences`` to test on (0: all), of a data set of this name.

    Args:
        tune: Train without the last tenth of the former, and test on it.

    Raises:
        UserError: There are fewer. Test sentences are given with ``tune``.
    """
    learn = first(learn, sentences, f"the training split of {name}")
    if not tune:
        return learn, first(evaluate, test_sentences, f"the test split of {name}")
    if test_sentences:
        raise UserError(f"data set {name}: with tune=true the test split is training sentences: no test_sentences")
    return held_out(learn, f"the training split of {name}")


def _size(examples: Any) -> int:
    return len(examples) if isinstance(examples, list) else len(examples.lengths)


def _part(examples: Any, which: slice) -> Any:
    return examples[which] if isinstance(examples, list) else examples.part(which)
