"""The runs of a paper by MLflow experiment."""

from structbench.bench.runs.spec import Spec


def once(found: dict[str, list[Spec]]) -> dict[str, list[Spec]]:
    """Return the experiments with each run in the first that has it."""
    listed: set[Spec] = set()
    for name, specs in found.items():
        found[name] = [spec for spec in dict.fromkeys(specs) if spec not in listed]
        listed.update(specs)
    return found
