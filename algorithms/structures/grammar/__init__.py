"""Weighted context-free grammars in Chomsky normal form: rules, charts, and the pruned forests of sentences."""
