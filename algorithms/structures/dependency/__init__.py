"""Projective dependency trees: the model, and inference on it."""

from algorithms.structures.dependency import inference as inference
from algorithms.structures.dependency.model import Projective as Projective
from algorithms.structures.dependency.model import build as build
