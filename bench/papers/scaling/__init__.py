"""Time and memory against the number of examples, with and without a memory of each. A figure of ours."""

from bench.papers.scaling.figures import claims_of, figures_of, runs_of

__all__ = ["claims_of", "figures_of", "runs_of"]
