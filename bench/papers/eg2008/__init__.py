"""Figures 4 to 11, 13, 14, 16 and Tables 1 and 2 of eg2008: EG against SGD, L-BFGS and SVM-struct."""

from bench.papers.eg2008.runs import claims_of, costs_of, figures_of, runs_of

__all__ = ["claims_of", "costs_of", "figures_of", "runs_of"]
