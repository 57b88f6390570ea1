"""The runs of bcfw2013: for each panel of Figure 1, a data set and a lambda, all methods by the paper's names."""

from dataclasses import dataclass

from structbench.bench.drawing import curves
from structbench.bench.papers.grid_runs import grids, where
from structbench.bench.papers.terms import Runs, Spec

ERROR = "test_cost"  # the mean share of wrong labels of a test example, as in the paper
WAYS = {
    "BCFW": ("frank-wolfe", {"mode": "block", "average": 0.0}),
    "BCFW-wavg": ("frank-wolfe", {"mode": "block", "average": 1.0}),
    "SSG": ("subgradient", {"average": "none"}),
    "SSG-wavg": ("subgradient", {"average": "weighted"}),
    "SSG-avg": ("subgradient", {"average": "uniform"}),
    "online-EG": ("eg", {}),
    "FW": ("frank-wolfe", {"mode": "batch"}),
    "cutting plane": ("one-slack", {}),
}
BATCH = ("FW", "cutting plane")
TITLES = {
    "ocr-large": "(a) OCR, $\\lambda$ = 0.01",
    "ocr-middle": "(b) OCR, $\\lambda$ = 0.001",
    "ocr-small": "(c) OCR, $\\lambda$ = 1/n",
    "conll-small": "(d), (e) chunking, $\\lambda$ = 1/n",
}
# when a panel is read, as shares of its passes: after 20, 60 and 140 of 150, and after 0.1, 1, 10 and 40 of 50
READ = {
    "ocr": {"early": 2 / 15, "middle": 0.4, "late": 14 / 15},
    "conll": {"first": 0.002, "early": 0.02, "middle": 0.2, "late": 0.8},
}


@dataclass(frozen=True)
class Panel:
    """The runs on one data set at one lambda, among them one that only knows the optimum."""

    name: str
    specs: list[Spec]

    def of(self, way: str) -> list[Spec]:
        """Return the runs of a method, one a seed; none where the paper has none."""
        algorithm, params = WAYS[way]
        return where(self.specs, params, algorithm=algorithm)

    def passes(self, when: str) -> float:
        """Return after how many passes the figure is read."""
        return READ[self.name.partition("-")[0]][when] * self.of("BCFW")[0].passes

    def optimum(self, runs: Runs) -> curves.Optimum:
        """Return the optimum of our objective, which is n times problem (1)."""
        return curves.optimum(runs.present(self.specs))


def panels(scale: str, without: frozenset[str]) -> dict[str, Panel]:
    """Return the panels of a scale whose data can be had."""
    found: dict[str, list[Spec]] = {name: [] for name in TITLES}
    for grid, specs in grids(__file__, scale).items():
        found[grid.rpartition("-")[0]] += [spec for spec in specs if spec.data.name not in without]
    return {name: Panel(name, specs) for name, specs in found.items() if specs}
