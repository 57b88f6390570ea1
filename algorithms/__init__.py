"""Algorithms by family; each is a module with ``solve(problem, objective, rng, *, parameter=default, ...)``."""
