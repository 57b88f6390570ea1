"""Forests: explicit hypergraphs of derivations, and inference on them."""

from structbench.algorithms.structures.forest import inference as inference
from structbench.algorithms.structures.forest.model import Forest as Forest
from structbench.algorithms.structures.forest.model import build as build
