"""Labelled trees: the nodes of a given rooted tree have a label each."""

from algorithms.structures.tree import inference as inference
from algorithms.structures.tree import k_best as k_best
from algorithms.structures.tree.model import Tree as Tree
from algorithms.structures.tree.model import build as build
