"""Whether the seconds of a run mean something: whether the run was timed alone and undisturbed."""

from structbench.bench.runs.store import Run

LEAST = 0.3  # seconds: the clocks tell nothing of a shorter run
WAITED = 1.1  # wall seconds over CPU seconds of one thread
OTHERS = 0.5  # processes of others that ran meanwhile, in the mean


def why(run: Run) -> str:
    """What disturbed a run; empty if nothing did."""
    if run.summary["provenance"].get("alone") is not True:
        return "it was not timed alone"
    wall, cpu = (run.summary.get(f"{name}_seconds") or 0.0 for name in ("wall", "cpu"))
    if left := run.summary["provenance"].get("threads_left"):
        return f"{left} threads of an earlier run were left in its process"
    if wall < LEAST:
        return ""
    if run.spec.threads == 1 and wall > WAITED * cpu:
        return f"it took {wall:.2g} s, of which it computed {cpu:.2g}"
    if run.spec.threads == 1 and cpu > WAITED * wall:
        return f"it took {wall:.2g} s, and its process computed {cpu:.2g}: other threads ran in it"
    others = run.summary["provenance"].get("others") or 0.0
    return f"{others:.1f} other processes ran beside it" if others > OTHERS else ""
