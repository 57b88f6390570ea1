"""Unlabelled examples in the format of a data set, encoded as arrays so that its models can label them."""

import inspect
from collections.abc import Iterable
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.problem import Unlabelled, Vocabulary
from structbench.datasets.references import modules
from structbench.datasets.references.data_ref import DataRef


def supported(data: DataRef) -> bool:
    """Whether a model of a data set labels new examples: see ``encode``. Some tasks of it may not."""
    return hasattr(data.module, "encode")


def are_text(data: DataRef) -> bool:
    """Whether new examples of a data set are text; images are not."""
    return not getattr(data.module, "BINARY", False)


def encode(
    data: DataRef, content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary | None
) -> Unlabelled:
    """New examples, in the format of a data set, as a split for a model of it.

    Args:
        content: The bytes of a file. Labels may be missing, and are not read.
        source: What messages call it.
        labels, vocabulary: The data set's own.

    Raises:
        UserError: A line is malformed, or nothing encodes new examples for this data set.
    """
    if vocabulary is None or not supported(data):
        having = ", ".join(modules.names_of(lambda name: hasattr(modules.module(name), "encode")))
        raise UserError(f"a model of {data} labels no new examples yet: models of these do: {having}")
    options = {name: value for name, value in data.load_options.items() if name != "test"}
    return data.module.encode(content, source, labels, vocabulary, **options)


def example(data: DataRef, vocabulary: Vocabulary | None) -> str:
    """A made-up new example in the format of a data set; empty if its module offers none in ``example``."""
    found = data.module
    if vocabulary is None or not hasattr(found, "example"):
        return ""
    return found.example(vocabulary, **data.load_options)


def written(data: DataRef, examples: Iterable[Any]) -> bytes:
    """New examples, as Python has them, in the format of a data set; its module's ``written`` says how.

    A module whose tasks differ in that has ``writer``, which gives the one of a task, or None.

    Raises:
        UserError: An example is malformed, or they must be in a file.
    """
    found = data.module
    write = found.writer(**data.load_options) if hasattr(found, "writer") else getattr(found, "written", None)
    if write is None:
        raise UserError(f"a model of {data} labels examples in a file: give its path")
    try:
        made = write(examples)
        return made.encode() if isinstance(made, str) else made
    except UserError:
        raise
    except (TypeError, ValueError, AttributeError):
        about = (inspect.getdoc(write) or "").partition("\n")[0]
        raise UserError(f"these are no examples for a model of {data}. {about}") from None
