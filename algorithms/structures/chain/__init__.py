"""Linear chains: the model, inference on it, and chains as a search problem."""

from algorithms.structures.chain import inference as inference
from algorithms.structures.chain import search as search
from algorithms.structures.chain.model import Chain as Chain
from algorithms.structures.chain.model import build as build
