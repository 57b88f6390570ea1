"""``problem``, ``breakdown`` and ``batch``: the jobs of the workflow that make what the views are drawn from."""

import argparse
from pathlib import Path

from bench.runs import execute, problems, results, store
from bench.runs.spec import Spec
from bench.runs.spec import parse as parse_key
from bench.verbs.saying import say
from bench.workflow import plan


def do_problem(given: argparse.Namespace) -> int:
    from algorithms.structures import interface as parts
    from algorithms.structures.segments import tags as segment_tags

    made = problems.obtain(given.data, given.test)[0]
    train = made.train
    cut = segment_tags.num_too_long(train)
    if cut:
        say(f"problem {given.data}: {cut:,} segments longer than {train.max_length} tokens are learned in pieces")
    say(f"problem {given.data}: {parts.num_examples(train):,} examples, {parts.num_weights(train):,} weights")
    return 0


def do_breakdown(given: argparse.Namespace) -> int:
    from bench.measure import breakdown

    say(f"wrote {breakdown.write(given.data, Path(given.out))}")
    return 0


def do_batch(given: argparse.Namespace) -> int:
    def done(spec: Spec, made: store.Run | None, error: str) -> None:
        if made is None:
            say(f"FAILED {spec.key}: {error}\n  by itself: {spec.command()}")
            return
        left = plan.finished(spec.key) or "[again]"
        error_rate = made.summary["test_error"]
        quality = "" if error_rate is None else f", test error {100 * error_rate:.2f}%"
        say(f"{left} {spec.key}: {made.summary['status']}, {made.summary['passes']:.3g} passes{quality}")

    specs = [parse_key(key) for key in given.keys]
    say(f"running {specs[0].algorithm} on {specs[0].data}, {len(specs)} runs")
    failed = execute.run_all(specs, results.runs(), done, say)
    if failed:
        say(f"{failed} of {len(specs)} runs failed; the others are kept: the next `snakemake` makes only these")
        return 1
    plan.write_manifest(Path(given.out), [store.read(results.runs() / spec.key) for spec in specs])
    return 0
