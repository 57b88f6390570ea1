"""Figures 2 to 6 and Table 1 of l1m3n2009: primal-sparse max-margin Markov networks on sparse and on OCR data."""

from bench.papers.l1m3n2009.runs import claims_of, figures_of, runs_of

__all__ = ["claims_of", "figures_of", "runs_of"]
