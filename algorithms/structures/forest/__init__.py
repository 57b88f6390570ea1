"""Forests: explicit hypergraphs of derivations, and inference on them."""

from algorithms.structures.forest import inference as inference
from algorithms.structures.forest.model import Forest as Forest
from algorithms.structures.forest.model import build as build
