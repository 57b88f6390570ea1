"""``list --config``: how many runs of a config each algorithm, loss, structure and data set has."""

import itertools
from collections import Counter

from structbench import datasets
from structbench.algorithms.losses import family
from structbench.algorithms.structures.structure_types import structure_types
from structbench.bench.runs import catalogue
from structbench.bench.workflow.config import Config


def counted(config: Config) -> dict[str, dict[str, int]]:
    """Kind -> name -> the runs that the config has of it; also runs of programs that are not installed."""
    specs = [*dict.fromkeys(itertools.chain(*config.experiments.values()))]
    runs = {
        "algorithms": (catalogue.algorithms(), Counter(spec.algorithm for spec in specs)),
        "losses": (family.loss_names(), Counter(family.kind(spec.loss) for spec in specs)),
        "structures": (structure_types(), Counter(spec.data.structure for spec in specs)),
        "datasets": (datasets.names(), Counter(spec.data.name for spec in specs)),
    }
    return {kind: {name: found[name] for name in names} for kind, (names, found) in runs.items()}
