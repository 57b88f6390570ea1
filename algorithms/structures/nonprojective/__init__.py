"""Dependency trees that may cross: the model, and inference on it."""

from structbench.algorithms.structures.nonprojective import inference as inference
from structbench.algorithms.structures.nonprojective.model import NonProjective as NonProjective
from structbench.algorithms.structures.nonprojective.model import build as build
