"""Semi-Markov chains of labelled segments: the model, inference on it, and segmentation as a search problem."""

from algorithms.structures.segments import inference as inference
from algorithms.structures.segments import search as search
from algorithms.structures.segments.model import Segments as Segments
from algorithms.structures.segments.model import build as build
