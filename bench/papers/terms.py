"""Re-export the types that a paper's modules use: runs, figures, tables, claims and evidence."""

from structbench.bench.drawing.draw import Figure, Rows
from structbench.bench.drawing.plotted import Axes, Drawn
from structbench.bench.papers.claim_rows import Part, Registry
from structbench.bench.papers.evidence import Evidence, Where
from structbench.bench.papers.judging import Claim
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

__all__ = ["Axes", "Claim", "Drawn", "Evidence", "Figure", "Part", "Registry", "Rows", "Run", "Runs", "Spec"]
__all__ += ["Where"]
