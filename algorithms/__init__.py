"""One module per algorithm: a generator ``solve(problem, objective, rng, *, parameter=default, ...)``."""

from algorithms.runtime import kernel_cache

kernel_cache.use()
