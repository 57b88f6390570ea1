"""Tables 1 to 3 of laso2005 and its comparisons: learning as search optimization, chunking and joint tagging."""

from bench.papers.laso2005.runs import claims_of, figures_of, runs_of

__all__ = ["claims_of", "figures_of", "runs_of"]
