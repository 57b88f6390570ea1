"""Markov fields of small tree-width: labelled nodes of any graph, by variable elimination."""

from algorithms.structures.field import inference as inference
from algorithms.structures.field.model import Field as Field
from algorithms.structures.field.model import build as build
