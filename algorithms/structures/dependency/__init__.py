"""Projective dependency trees: the model, and inference on it."""

from structbench.algorithms.structures.dependency import inference as inference
from structbench.algorithms.structures.dependency.model import Projective as Projective
from structbench.algorithms.structures.dependency.model import build as build
