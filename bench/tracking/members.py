"""Which runs are in which experiment of MLflow, and what their names have in common."""

from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import unquote

from structbench.bench.runs.spec import fields_of
from structbench.bench.runs.store import Run
from structbench.bench.tracking import mlflow_view


def no_family(run: Run) -> str:
    """The experiment of a run that no figure uses."""
    return f"{unquote(str(fields_of(run.key)[0]))}-{run.spec['loss']}"


class Members:
    """The runs that are given, by the experiments that they are in."""

    def __init__(self, runs: Iterable[Run], families: dict[str, list[str]]):
        self.runs: dict[str, list[Run]] = defaultdict(list)
        self._words: dict[str, list[set[str]]] = defaultdict(list)
        for run in runs:
            for name in families.get(run.key) or [no_family(run)]:
                self.runs[name].append(run)
        for key, names in families.items():
            for name in names:
                self._words[name].append(set(mlflow_view.words(key)))

    def common(self, experiment: str) -> set[str]:
        """The words that all names of the experiment's runs have, of those that its figures ask for."""
        return set.intersection(*self._words[experiment]) if len(self._words[experiment]) > 1 else set()
