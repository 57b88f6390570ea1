"""Figure 4 of eg2004, the hybrid that it proposes, and Theorem 2 measured: EG and SMO for max-margin models."""

from bench.papers.eg2004.runs import claims_of, figures_of, runs_of

__all__ = ["claims_of", "figures_of", "runs_of"]
