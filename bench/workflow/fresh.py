"""A paper's claims on fresh random seeds (``LATER`` + k for seed k), unseen when the decision rules were set.

A run's seed is a repetition if claims of its paper read the same run, or that on another fold, with another seed.
All other runs stay: those with one seed, of which folds or draws of data are the repetitions, and those of
algorithms that draw nothing.
"""

from collections.abc import Iterable
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from structbench.bench.runs import catalogue
from structbench.bench.runs.spec import Spec
from structbench.datasets import IN_MEMORY

if TYPE_CHECKING:
    from structbench.bench.papers.claim_rows import Part
    from structbench.bench.papers.evidence import Evidence
    from structbench.bench.papers.judging import Claim
    from structbench.bench.runs.finished import Runs

LATER = 1000
Fresh = dict[Spec, Spec]


class FreshPaper:
    """What a paper offers of its claims on fresh seeds; it has no figures."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self.costs_of = getattr(module, "costs_of", None)

    def claims_of(self, *given: Any, **more: Any) -> "list[Claim]":
        """The same sentences and rules, which read runs with fresh seeds."""
        claims = self._module.claims_of(*given, **more)
        fresh = fresh_specs(spec for claim in claims for spec in claim.runs)
        return [_fresh_claim(claim, fresh) for claim in claims]

    def runs_of(self, *given: Any, **more: Any) -> dict[str, list[Spec]]:
        """The runs that the claims read, as one experiment."""
        specs = [spec for claim in self.claims_of(*given, **more) for spec in claim.runs]
        return {f"{self._module.__name__.rpartition('.')[2]}/fresh": [*dict.fromkeys(specs)]}

    def timed_of(self, *given: Any, **more: Any) -> list[Spec]:
        """The runs whose seconds are read."""
        timed = getattr(self._module, "timed_of", None)
        specs = timed(*given, **more) if timed else []
        return [*specs, *map(_later, specs)]

    def figures_of(self, *given: Any, **more: Any) -> dict[str, Any]:
        """None."""
        return {}


def fresh_specs(specs: Iterable[Spec]) -> Fresh:
    """Those of these runs whose seed is a repetition -> the run with a fresh seed."""
    alike: dict[tuple[str, Spec], set[Spec]] = {}  # by data set and all but seed and options of the data
    for spec in specs:
        if catalogue.draws(spec.algorithm, dict(spec.params)):
            alike.setdefault((spec.data.name, replace(spec, seed=0, data=IN_MEMORY)), set()).add(spec)
    repeated = (found for found in alike.values() if len({spec.seed for spec in found}) > 1)
    return {spec: _later(spec) for found in repeated for spec in found}


def _later(spec: Spec) -> Spec:
    return replace(spec, seed=spec.seed + LATER)


def _fresh_claim(claim: "Claim", fresh: Fresh) -> "Claim":
    def measure(part: "Part", runs: "Runs") -> "Iterable[Evidence]":
        return claim.measure(part, runs.read_as(lambda spec: fresh.get(spec, spec)))

    return replace(claim, runs=[fresh.get(spec, spec) for spec in claim.runs], measure=measure, figures=[])
