"""Choose runs that were merged from other machines, where this machine has none.

One counts if its type of CPU is that of all runs that it is compared with: on another type, the last digits of
numbers differ, and what depends on them. Its seconds never count.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from structbench.bench.runs import hosts, machine, results, state, store
from structbench.bench.runs.spec import Spec

CHECKED = "recomputed_test_error"  # in the summary of a run that merging has checked
MERGED = "made on another machine with this type of CPU"
OTHER_CPU = "merged, but the other runs would be made on another type of CPU"


def is_merged(run: store.Run) -> bool:
    """Whether a run was made elsewhere."""
    return run.folder.is_relative_to(results.hosts())


def cpu_of(run: store.Run) -> str:
    """The type of CPU that a run was made on."""
    return str(run.summary["provenance"].get("cpu") or "")


def merged_runs(spec: Spec) -> list[store.Run]:
    """The finished runs of a spec that were made elsewhere, by host.

    Only those that were checked here by their weights, and that loaded no files beside their programs: what such
    a file holds here, nobody knows.
    """
    found = (state.of_spec(spec, hosts.runs(host) / spec.key) for host in hosts.host_names())
    runs = (each.run for each in found if each.is_finished and each.run is not None)
    return [run for run in runs if CHECKED in run.summary and not run.summary["provenance"].get("loaded")]


def merged_run(spec: Spec, cpu: str) -> store.Run | None:
    """A finished run of a spec that was made elsewhere on this type of CPU, if there is one."""
    return next((run for run in merged_runs(spec) if cpu_of(run) == cpu), None)


def shared_cpu(made: Iterable[store.Run], lacking: Iterable[Spec]) -> str:
    """The type of CPU of the runs that were made here, or if none was, of most merged runs of these specs.

    Empty if they have several types, or none is known.
    """
    if cpus := {cpu_of(run) for run in made}:
        return cpus.pop() if len(cpus) == 1 else ""
    found = Counter(cpu_of(run) for spec in lacking for run in merged_runs(spec))
    return max(sorted(found), key=found.__getitem__, default="")


def replacements(
    specs: Iterable[Spec],
    found_here: Callable[[Spec], state.Found],
    timed: Collection[Spec],
    measured: Collection[Spec],
) -> dict[Spec, state.Found]:
    """The merged runs that need not be made again: none, if another type of CPU would make what is left.

    Of others that are merged, and missing here, there is the reason why they are to be made.

    Args:
        timed: The runs whose seconds are read. measured: The runs whose peak memory is read.
    """
    if not hosts.host_names():
        return {}
    here = {spec: found_here(spec) for spec in specs}
    lacking = [spec for spec, found in here.items() if not found.is_finished]
    cpu = shared_cpu((found.run for found in here.values() if found.is_finished and found.run), lacking)
    found = {spec: run for spec in lacking if cpu and (run := merged_run(spec, cpu))}
    needed = {spec: why for spec in found if (why := _why_needed(spec in timed, spec in measured))}
    there = {
        spec: state.Found(state.State.FINISHED, MERGED, run) for spec, run in found.items() if spec not in needed
    }
    if len(there) != len(lacking) and cpu != machine.facts()["cpu"]:
        needed, there = dict.fromkeys(there, OTHER_CPU) | needed, {}
    missing = [spec for spec in needed if here[spec].state is state.State.MISSING]
    return there | {spec: here[spec]._replace(reason=needed[spec]) for spec in missing}


def _why_needed(seconds: bool, memory: bool) -> str:
    """Why a merged run is to be made here all the same; empty if it need not be."""
    keys = ", ".join(["timed: false"] * seconds + ["memory: false"] * memory)
    what = "seconds are" if seconds else "memory is"
    return f"merged, but its {what} needed: a grid with `{keys}` takes it" if keys else ""
