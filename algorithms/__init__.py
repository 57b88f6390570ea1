"""By family, modules with a generator ``solve(problem, objective, rng, *, parameter=default, ...)``."""
