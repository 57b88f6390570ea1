"""Former parameters, names and values. Keys, configs and stored runs that have them still load."""

from structbench.algorithms.runtime.options import Given

PARAMETERS = {"rest": "shrinking", "rows": "compare_at"}
VALUES = {("compare_at", "outputs"): "decisions"}
# parameters that are no more, and the value that now always holds
GONE = {"one_slack": "False", "directions": "coordinates", "refresh": "1.5", "sigma": "measured", "rounds": "0"}


def today(params: Given, known: Given) -> Given:
    """Parameters by today's names, of an algorithm that has the ``known`` ones."""
    found = {}
    for name, value in params.items():
        if name not in known and GONE.get(name) == str(value):
            continue
        other = PARAMETERS.get(name, name)
        name = other if name not in known and other in known and other not in params else name
        found[name] = VALUES.get((name, str(value)), value)
    return found
