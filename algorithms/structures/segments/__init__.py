"""Semi-Markov chains of labelled segments: the model, inference on it, and segmentation as a search problem."""

from structbench.algorithms.structures.segments import inference as inference
from structbench.algorithms.structures.segments import search as search
from structbench.algorithms.structures.segments.model import Segments as Segments
from structbench.algorithms.structures.segments.model import build as build
