"""Inference on labelled nodes of any graph of small width, by dense tables over the cliques of elimination."""
