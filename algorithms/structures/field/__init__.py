"""Markov fields of small tree-width: labelled nodes of any graph, by variable elimination."""

from structbench.algorithms.structures.field.model import Field as Field
from structbench.algorithms.structures.field.model import build as build
