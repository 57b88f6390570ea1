"""Every method on every data set: certified distance to the optimum, and a performance profile. Ours."""

from bench.papers.methods.figures import claims_of, figures_of, runs_of

__all__ = ["claims_of", "figures_of", "runs_of"]
