"""Execute the runs of given specs and store the results, reusing runs that are finished and up to date."""

import math
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from structbench.algorithms.runtime import compiling, own_folders, parallel
from structbench.algorithms.runtime.errors import OF_ANYBODY, Fault, Terminated, UserError
from structbench.bench.runs import (
    anybodys_code,
    catalogue,
    faults,
    left_threads,
    loaded,
    problem_store,
    programs,
    state,
    store,
    unfinished,
)
from structbench.bench.runs import memory as peak_memory
from structbench.bench.runs.algorithm_files import file_of
from structbench.bench.runs.algorithm_module import declaration
from structbench.bench.runs.machine import Watch
from structbench.bench.runs.news import EVERY, Compiling, Say, duration
from structbench.bench.runs.odd_labels import odd_labels
from structbench.bench.runs.provenance import environment
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.writing import write_run
from structbench.datasets import DataRef
from structbench.datasets.references.own_scores import check_own_scores

WALL = 10.0  # of a limit in seconds, as the driver has: for algorithms of the user's that do not yield
REPEATS = 0.1  # of a batch's time: for its disturbed runs, once more


def run_one(
    spec: Spec,
    folder: Path,
    say: Say,
    again: bool = False,
    alone: bool | None = None,
    memory: bool = False,
    remark: Say | None = None,
) -> store.Run:
    """The finished run of a spec. It is read from ``folder`` if it is there and current, else made.

    Args:
        say: Is told now and then how far the run is, and first what is compiled.
        again: Make the run even if it is there and current.
        alone: Whether nothing else is run meanwhile, as seconds that are read require. None: not known.
        memory: If the run's peak memory is not known, measure it, too, in a run of its own.
        remark: Is told what inference on the data costs and what is odd about their labels; by default ``say`` is.

    Raises:
        UserError: The folder holds another run, or see ``problem_store.obtain``, ``catalogue.require``,
            ``catalogue.require_test``, ``check_own_scores``, ``unfinished.keeping`` and ``store.writable``.
        Fault: Anything else that goes wrong in the algorithm.
    """
    place = own_folders.place(file) if own_folders.owner(file := file_of(spec.algorithm)) else None
    # its threads are for making the problem, too, if that is not there
    most = math.inf if spec.seconds is None else WALL * spec.seconds + anybodys_code.PATIENCE
    with parallel.using(spec.threads), anybodys_code.watched(say, place, most) as told:
        news = Compiling(spec.data.structure, told)
        with compiling.heard(news):
            run = _finished(spec, Path(folder).absolute(), told, again, alone, news.over, remark or told)
    if memory and run.summary["peak_memory"] is None:
        say("finished; now its peak memory, in a run of its own")
        run = store.amend(run, peak_memory.of_run(spec))
    return run


def _finished(
    spec: Spec, folder: Path, say: Say, again: bool, alone: bool | None, begins: Callable[[], None], remark: Say
) -> store.Run:
    before, code_sha256 = frozenset(sys.modules), programs.sha256_of_run(spec)  # as imported, not as edited since
    if again or not store.finished(folder):  # before anything is downloaded
        store.writable(folder)
        catalogue.require(spec.algorithm)
    declared = declaration(spec.algorithm)
    problem, data_sha256 = problem_store.obtain(spec.data, spec.test, declared.reads_names)

    def current() -> store.Run | None:
        if again:
            return None
        if folder.name != spec.key and (other := state.of_folder(folder).run) and other.key != spec.key:
            raise UserError(f"{folder} holds the run {other.key}: choose another --out, or --again to replace it")
        found = state.of_spec(spec, folder, timed=bool(alone), data=data_sha256)
        return found.run if found.is_finished else None

    if found := current():
        say("finished before, with this code and these data: nothing to do (--again makes it anew)")
        return found
    store.writable(folder)  # a finished run was read without that, but it is not current
    catalogue.require(spec.algorithm)
    catalogue.require_test(spec.algorithm, problem.test)
    check_own_scores(problem)
    from structbench.bench.runs import patches
    from structbench.bench.runs.driver import run

    packages = declared.packages.values()
    made_by = environment(spec.threads, alone, packages) | {
        "data_sha256": data_sha256,
        "data_from": problem_store.made_from(spec.data, spec.test),
        "code_sha256": code_sha256,
    }
    made_by |= {"own_files": own} if (own := programs.own_files(spec)) else {}
    log = folder.with_name(f"{folder.name}{unfinished.TRACEBACK}")
    progress = _Progress(spec, say)
    if hasattr(problem.train, "cost"):
        remark(problem.train.cost())
    for sentence in odd_labels(problem, spec.data):
        remark(sentence)
    with unfinished.keeping(folder, spec, made_by, say) as keep:
        if found := current():  # another process has made it meanwhile
            return found
        log.unlink(missing_ok=True)

        def report(row: dict[str, float]) -> None:
            if not row["passes"]:
                begins()
            keep(row)
            progress(row)

        try:
            watch = Watch()
            with patches.undone(spec.algorithm), left_threads.noted() as left:
                made_by["threads_left"] = left
                result = run(spec, problem, report, is_alone=alone is None)
                result.stored = None  # most of the run's memory; to write the rest takes some, too
            made_by["others"] = watch.others()
            made_by |= {"loaded": found} if (found := loaded.by_run(spec, before)) else {}
        except (UserError, Fault, ModuleNotFoundError, Terminated):
            raise
        except OF_ANYBODY as error:  # an algorithm must neither end a batch nor bury its user
            raise faults.fault(spec.algorithm, log, error) from error
        summary, weights = result.summary | {"provenance": made_by}, result.weights
        write_run(folder, spec.as_dict(), result.curve, summary, weights, result.chunks, result.last)
    return store.read_run(folder)


def run_all(
    specs: Iterable[Spec],
    root: Path,
    done: Callable[[Spec, store.Run | None, str], None],
    say: Callable[[Spec, str], None],
    alone: bool | None = False,
    memory: bool = False,
    again: bool = False,
    remark: Callable[[DataRef, str], None] | None = None,
) -> None:
    """Make the runs that are missing, each under its key in ``root``.

    If a run fails, the others are still made. ``done`` gets each spec with its finished run, or None and what went
    wrong. ``say`` hears how far a run is, ``remark`` what is odd about which data. Runs ``alone`` that something
    disturbed are made once more, within a tenth of the time of all runs. For the rest see ``run_one``.
    """

    def make(spec: Spec, again: bool) -> tuple[store.Run | None, str]:
        try:
            news = partial(say, spec)
            heard = partial(remark, spec.data) if remark else None
            return run_one(spec, root / spec.key, news, again, alone, memory, heard), ""
        except (UserError, Fault) as error:
            return None, f"error: {error}"
        except Exception as error:  # whatever is wrong with one run, the others are to be made
            return None, faults.fault_text(error)

    begun, short = time.monotonic(), []
    for spec in specs:
        made, wrong = make(spec, again)
        done(spec, made, wrong)
        if alone and made is not None and made.disturbance:
            short.append((made.summary["total_seconds"], spec))
    left = REPEATS * (time.monotonic() - begun)
    for seconds, spec in sorted(short, key=lambda each: each[0]):
        left -= seconds
        if left >= 0:
            make(spec, again=True)


class _Progress:
    """Says now and then how far a run is and how long it may take."""

    def __init__(self, spec: Spec, say: Say) -> None:
        self.spec, self.say = spec, say
        self.started = self.said = time.monotonic()

    def __call__(self, row: dict[str, float]) -> None:
        now = time.monotonic()
        if not row["passes"]:  # kernels are compiled, the run begins
            self.started = now
        if now - self.said < EVERY or not row["passes"]:
            return
        self.said = now
        left = (now - self.started) * (self.spec.passes / row["passes"] - 1)
        if self.spec.seconds is not None:
            clock = "cpu_seconds" if self.spec.threads == 1 else "wall_seconds"
            left = min(left, self.spec.seconds - row[clock])
        gap = "" if math.isnan(row["relative_gap"]) else f", relative gap {row['relative_gap']:.1e}"
        self.say(f"pass {row['passes']:.1f} of {self.spec.passes:g}{gap}, at most {duration(left)} left")
