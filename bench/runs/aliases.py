"""Former names of parameters and their values. Keys, configs and stored runs that have them still load."""

from structbench.algorithms.runtime.options import Given

PARAMETERS = {"rest": "shrinking", "rows": "compare_at"}
VALUES = {("compare_at", "outputs"): "decisions"}


def today(params: Given, known: Given) -> Given:
    """Parameters by today's names, of an algorithm that has the ``known`` ones."""
    found = {}
    for name, value in params.items():
        other = PARAMETERS.get(name, name)
        name = other if name not in known and other in known and other not in params else name
        found[name] = VALUES.get((name, str(value)), value)
    return found
