"""``verify``: published runs, made again here and compared with what was published."""

import argparse
from collections import Counter

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import execute, machine, results
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import say
from structbench.bench.verbs.verb import argument, flag, verb


@verb(
    argument("paper", metavar="PAPER", help="a published one"),
    argument("--sample", type=int, default=20, metavar="N", help="how many runs (default: 20)"),
    argument("--seed", type=int, default=0, metavar="N", help="of the draw (default: 0)"),
    flag("--older", "draw from runs of older code, too"),
    argument("--out", metavar="DIR", help="what is published (default: docs/results)"),
    examples=("verify laso2005", "verify eg2008 --sample 5 --seed 1 --older"),
)
def do_verify(given: argparse.Namespace) -> int:
    """Make some published runs again, in results/verified, and list what differs."""
    from structbench.bench.report import published
    from structbench.bench.report.verification import (
        ERROR,
        LOOSE,
        LOOSE_ERROR,
        compare_published,
        sample_published,
    )

    out = named.publications(given.out)
    if given.paper not in (papers := published.papers_of(out)):
        hint, there = meant(given.paper, papers), ", ".join(papers) or "none"
        raise UserError(f"{given.paper!r} is not published in {out}: {hint}there are {there}")
    if given.sample < 1:
        raise UserError(f"--sample must be at least 1, not {given.sample}")
    drawn = sample_published(out / given.paper, given.sample, given.seed, given.older)
    if drawn.older:
        say(f"{drawn.older} published runs of {given.paper} are of older code than this checkout's")
    if drawn.timed:
        say(f"{drawn.timed} runs had a limit of seconds: they are made to the passes that were published")
    if not drawn.rows:
        why = "can be made again" if given.older else "is of today's code: `--older` draws from the others, too"
        raise UserError(f"none of the published runs of {given.paper} to draw from {why}")
    rows, differing, equal = [row for _, row in drawn.rows], [], Counter[str]()
    cpu = sum(float(row["cpu_seconds"] or 0) for row in rows)
    say(f"{len(drawn.rows)} of {drawn.of} runs are drawn; they took {cpu:.3g} CPU seconds when published")

    here = machine.facts()["cpu"]
    if others := sum(row.get("cpu") != here for row in rows):
        say(f"{others} of them were made on another type of CPU than {here}")
    say("On one type of CPU, runs are equal bit for bit. Else, if both runs converged, their intervals of the")
    say(f"optimum must overlap, and test errors be within {100 * ERROR:g} point. If one did not, the objective")
    say(f"must be within {100 * LOOSE:g} %, and the test error within {100 * LOOSE_ERROR:g} point. One name")
    say("can stand for two types of CPU.")

    def compare(spec: Spec, run: Run | None, wrong: str) -> None:
        for row in (row for made, row in drawn.rows if made == spec):
            how, found = ("", [wrong]) if run is None else compare_published(row, run)
            differing.extend([row["run"], each] for each in found)
            equal[how] += not found
            say(f"{row['run']}: {'; '.join(found) or f'as published ({how})'}")

    specs = dict.fromkeys(spec for spec, _ in drawn.rows)
    execute.run_all(specs, results.root() / "verified", compare, lambda *news: None)
    if differing:
        print_table(["run", "differs"], differing)
    ways = ", ".join(f"{count} {how}" for how, count in equal.items() if count)
    print(f"{equal.total()} of {len(drawn.rows)} runs are as published{f': {ways}' * bool(ways)}")
    return int(bool(differing))
