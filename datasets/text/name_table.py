"""The columns of features by their names."""

NameTable = dict[str, int]


def table(names: list[str]) -> NameTable:
    """Name -> its column."""
    return {name: column for column, name in enumerate(names)}
