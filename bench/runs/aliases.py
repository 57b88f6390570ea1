"""Former parameters, names and values. Keys, configs and stored runs that have them still load."""

from structbench.algorithms.runtime.options import Given

PARAMETERS = {"rest": "shrinking", "rows": "compare_at"}
VALUES = {("compare_at", "outputs"): "decisions"}
# parameters that are no more, by algorithm, and the value that now always holds
GONE = {
    ("l1m3n-cutting-plane", "one_slack"): "False",
    ("minimum-error", "directions"): "coordinates",
    ("frank-wolfe", "refresh"): "1.5",
    ("cocoa", "sigma"): "measured",
    ("cocoa", "rounds"): "0",
}


def today(algorithm: str, params: Given, known: Given) -> Given:
    """An algorithm's parameters by today's names; it has the ``known`` ones."""
    found = {}
    for name, value in params.items():
        if GONE.get((algorithm, name)) == str(value):
            continue
        other = PARAMETERS.get(name, name)
        name = other if name not in known and other in known and other not in params else name
        found[name] = VALUES.get((name, str(value)), value)
    return found
