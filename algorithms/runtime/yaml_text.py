"""Parse untrusted YAML: short texts whose aliases expand to millions of values are refused."""

from typing import Any

import yaml

MOST = 1_000_000  # values


def parsed(text: str) -> Any:
    """What a YAML text says.

    Raises:
        yaml.YAMLError: It is no YAML, is nested too deeply, or its aliases stand for more than ``MOST`` values.
    """
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _size(node, {}) > MOST:
            raise yaml.YAMLError(f"its aliases stand for more than {MOST:,} values: write out what you mean")
        return loader.construct_document(node)
    except RecursionError:
        raise yaml.YAMLError("it is nested too deeply") from None
    finally:
        loader.dispose()


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Count the values of a node, each alias in full. A node that holds itself has too many."""
    if id(node) not in known:
        known[id(node)] = MOST + 1  # as long as it is not known
        within = node.value if isinstance(node.value, list) else []
        parts = (part for each in within for part in (each if isinstance(each, tuple) else [each]))
        known[id(node)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(node)]
