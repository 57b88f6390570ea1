"""``problem``, ``batch``, ``breakdown``, ``addresses`` and ``outcome``: jobs that the workflow calls."""

import argparse
import socket
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.bench.runs import execute, problem_store, programs, results, store
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.spec import parse as parse_key
from structbench.bench.verbs.saying import say
from structbench.bench.verbs.verb import CONFIG, argument, flag, verb
from structbench.bench.workflow import batches, crash, journal, turns
from structbench.datasets import data_ref


@verb(argument("data"), argument("--test"))
def do_problem(given: argparse.Namespace) -> int:
    """Build a problem."""
    from structbench.algorithms.structures import interface as parts

    data = data_ref(given.data)
    made = problem_store.obtain(data, given.test)[0]
    train = made.train
    if cut := getattr(train, "num_cut", 0):
        say(f"problem {data}: {cut:,} segments longer than {train.max_length} tokens are learned in pieces")
    say(f"problem {data}: {parts.num_examples(train):,} examples, {parts.num_weights(train):,} weights")
    return 0


@verb(argument("data"), argument("--out", required=True))
def do_breakdown(given: argparse.Namespace) -> int:
    """Time the steps of one update."""
    from structbench.bench.workflow import breakdown

    with turns.taken(say):
        say(f"wrote {breakdown.write_breakdown(data_ref(given.data), Path(given.out))}")
    return 0


@verb(
    argument("--out", required=True),
    flag("--alone", "its seconds are read: it has the machine to itself"),
    flag("--memory", "peak memory is measured, too, in runs of its own"),
    argument("--attempt", type=int, default=0, metavar="N", help="of the workflow, which goes on after the last"),
    argument("--path", action="append", default=[], metavar="NAME=PATH", help="of a file in a key"),
    argument("keys", nargs="+"),
)
def do_batch(given: argparse.Namespace) -> int:
    """Make several runs.

    Note what becomes of each. A run that fails, or crashes the process, stops no other. If the system killed one,
    the batch fails at its end: another attempt may get more memory.
    """
    book = journal.Journal(Path(given.out))
    paths = dict(each.split("=", 1) for each in given.path)
    specs = [parse_key(key, paths) for key in given.keys]
    for spec in specs:  # now that its algorithm is imported: it may be edited before the run begins
        programs.sha256_of_run(spec)

    since: dict[str, float] = {}

    def begun(specs: list[Spec]) -> Iterator[Spec]:
        for spec in specs:
            book.note(journal.BEGUN, spec.key)
            since[spec.key] = time.monotonic()
            yield spec

    def done(spec: Spec, made: store.Run | None, error: str) -> None:
        if made is None:
            say(f"FAILED {spec.key}: {error}\n  by itself: {spec.command()}")
            book.note(journal.FAILED, spec.key, error.removeprefix("error: "))
        else:
            summary = made.summary
            quality = "" if summary["test_error"] is None else f", test error {100 * summary['test_error']:.2f}%"
            say(f"{spec.key}: {summary['status']}, {summary['passes']:.3g} passes{quality}")
            was_there = time.monotonic() - since[spec.key] < summary["total_seconds"]
            book.note(journal.FOUND if was_there else journal.ENDED, spec.key, summary["status"])

    def news(spec: Spec, line: str) -> None:
        book.note(journal.NEWS, spec.key, line)

    def work() -> int:
        due = [spec for spec in specs if spec.key not in book.over]
        execute.run_all(begun(due), results.runs(), done, news, given.alone, given.memory, batches.is_again())
        return 0

    def crashed(how: str) -> None:
        key = book.unfinished
        say(f"FAILED {key or 'before its first run'}: {how}")
        if key is None:
            raise Fault(f"the process that makes the runs was {how}")
        book.note(journal.FAILED, key, how)

    say(f"running {specs[0].algorithm} on {specs[0].data}, {len(specs)} runs")
    book.begin()
    with turns.taken(say) if given.alone else nullcontext():
        code = crash.surviving(work, crashed)
    return 0 if code == crash.KILLED and batches.is_last(given.attempt) else code


@verb(
    argument("server", help="the address of MLflow's server"),
    flag("--start", "it is to be started now: its port must be free"),
)
def do_addresses(given: argparse.Namespace) -> int:
    """Print the addresses of MLflow's pages."""
    from structbench.bench.tracking import opening

    if given.start:
        _check_free(urlsplit(given.server))
    found = opening.addresses(given.server)
    wide = max((len(name) for name, _ in found), default=0)
    for name, place in found:
        say(f"{name:{wide}}  {place}")
    say(f"{given.server} alone is MLflow's own home page: the addresses above have the runs")
    return 0


def _check_free(server: SplitResult) -> None:
    """Raise a UserError if nothing can listen at an address of this machine."""
    try:
        port = server.port
    except ValueError:
        raise UserError(f"PORT must be a whole number from 1 to 65535: {server.netloc} has none") from None
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((server.hostname, port))
        except OSError as error:
            hint = "take another port, as in `make ui PORT=5001`"
            raise UserError(f"cannot listen at {server.netloc} ({error.strerror}): {hint}") from error


@verb(CONFIG, argument("--out", required=True))
def do_outcome(given: argparse.Namespace) -> int:
    """Fail if a run of a config is missing.

    Fail if a figure is not drawn, too, and name what is missing.
    """
    from structbench.algorithms.runtime.files import write_atomically
    from structbench.bench.workflow import config, outcome

    checked = config.read_config(given.config)
    gone, undrawn = outcome.missing(checked), outcome.undrawn(checked)
    if gone or undrawn:
        say(outcome.complaint(gone, undrawn))
        return 1
    write_atomically(Path(given.out), f"{len(checked.specs)} runs\n")
    return 0
