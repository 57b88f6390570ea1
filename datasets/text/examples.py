"""A made-up input in each text format, to show what a trained model expects."""

from typing import Any

TOKENS = (("Mary", "NNP"), ("lives", "VBZ"), ("in", "IN"), ("Oslo", "NNP"))


def words(*_: Any, **__: Any) -> str:
    """A word a line."""
    return "".join(f"{word}\n" for word, _ in TOKENS)


def tagged(*_: Any, **__: Any) -> str:
    """A word and its part of speech a line."""
    return "".join(f"{word} {tag}\n" for word, tag in TOKENS)


def arcs(*_: Any, **__: Any) -> str:
    """The ten columns of CoNLL-X and CoNLL-U, without heads."""
    lines = ("\t".join([str(k), word, "_", tag[:2], tag, *["_"] * 5]) for k, (word, tag) in enumerate(TOKENS, 1))
    return "".join(f"{line}\n" for line in lines)


def tree(*_: Any, **__: Any) -> str:
    """Tokens in brackets."""
    return f"({' '.join(f'({tag} {word})' for word, tag in TOKENS)})\n"


def pair(*_: Any, **__: Any) -> str:
    """Two sentences."""
    return "Mary lives here ||| Marie habite ici\n"
