"""Labelled trees: the nodes of a given rooted tree have a label each."""

from structbench.algorithms.structures.tree.model import Tree as Tree
from structbench.algorithms.structures.tree.model import build as build
