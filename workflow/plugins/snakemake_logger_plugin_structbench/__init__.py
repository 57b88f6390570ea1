"""Snakemake's terminal in our words: ``--logger structbench``, with the folder of this package on PYTHONPATH."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # Snakemake loads plugins before the Snakefile

from structbench.bench.workflow.messages import LogHandler

__all__ = ["LogHandler"]
