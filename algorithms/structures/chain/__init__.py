"""Linear chains: the model, inference on it, and chains as a search problem."""

from structbench.algorithms.structures.chain import inference as inference
from structbench.algorithms.structures.chain import packed as packed
from structbench.algorithms.structures.chain import search as search
from structbench.algorithms.structures.chain import single_precision as single_precision
from structbench.algorithms.structures.chain import soft as soft
from structbench.algorithms.structures.chain.model import Chain as Chain
from structbench.algorithms.structures.chain.model import build as build
