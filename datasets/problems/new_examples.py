"""New examples in the format of a data set: for its models to label."""

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.problem import Unlabelled, Vocabulary


def supported(text: str) -> bool:
    """Whether a model of a data set labels new examples: see ``encode``. Some tasks of it may not."""
    return hasattr(_module(text), "encode")


def are_text(text: str) -> bool:
    """Whether new examples of a data set are text; images are not."""
    return not getattr(_module(text), "BINARY", False)


def encode(
    text: str, content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary | None
) -> Unlabelled:
    """New examples, in the format of a data set, as a split for a model of it.

    Args:
        content: The bytes of a file. Labels may be missing, and are not read.
        source: What messages call it.
        labels, vocabulary: The data set's own.

    Raises:
        UserError: As ``datasets.parse``, a line is malformed, or nothing encodes new examples for this data set.
    """
    if vocabulary is None or not supported(text):
        having = ", ".join(datasets.names_of(lambda found: hasattr(found, "encode")))
        raise UserError(f"a model of {text} labels no new examples yet: models of these do: {having}")
    options = datasets.load_options(text)
    options.pop("test", None)
    return _module(text).encode(content, source, labels, vocabulary, **options)


def example(text: str, vocabulary: Vocabulary | None) -> str:
    """A made-up new example in the format of a data set; empty if its module offers none in ``example``.

    Raises:
        UserError: As ``datasets.parse``.
    """
    found = _module(text)
    if vocabulary is None or not hasattr(found, "example"):
        return ""
    return found.example(vocabulary, **datasets.load_options(text))


def written(text: str, examples: Iterable[Any]) -> bytes:
    """New examples, as Python has them, in the format of a data set; its module's ``written`` says how.

    Raises:
        UserError: As ``datasets.parse``, or an example is malformed.
    """
    found = _module(text)
    if not hasattr(found, "written"):
        raise UserError(f"a model of {text} labels examples in a file: give its path")
    try:
        made = found.written(examples)
        return made.encode() if isinstance(made, str) else made
    except UserError:
        raise
    except (TypeError, ValueError, AttributeError):
        about = (inspect.getdoc(found.written) or "").partition("\n")[0]
        raise UserError(f"these are no examples for a model of {text}. {about}") from None


def _module(text: str) -> ModuleType:
    return datasets.module(datasets.parse(text).name)
