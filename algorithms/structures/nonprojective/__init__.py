"""Dependency trees that may cross: the model, and inference on it."""

from algorithms.structures.nonprojective import inference as inference
from algorithms.structures.nonprojective.model import NonProjective as NonProjective
from algorithms.structures.nonprojective.model import build as build
