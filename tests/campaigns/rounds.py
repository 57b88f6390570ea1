"""Rounds of a campaign: each draws what it tries by a seed of its own, and says what it tried and what was wrong.

    .venv/bin/python -m tests.campaigns.NAME --rounds 200 --seed 0
    .venv/bin/python -m tests.campaigns.NAME --rounds 1 --seed 0 --first 17      # round 17 alone

A campaign prints each round in which something was wrong, and at the end counts of what was tried.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Outcome(NamedTuple):
    """What a round tried, in few words, and what was wrong; empty if all was well."""

    tried: str
    wrong: str = ""


Round = Callable[[random.Random], Outcome]
Prepared = Callable[[Path], AbstractContextManager[Round]]  # of an empty folder


def play(prepared: Prepared, rounds: int, seed: int, first: int = 0) -> Iterator[tuple[int, Outcome]]:
    """The numbers of the rounds with their outcomes."""
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder, prepared(Path(folder)) as one:
        for number in range(first, first + rounds):
            yield number, one(random.Random(f"{seed} {number}"))


def wrong(prepared: Prepared, rounds: int, seed: int = 0) -> list[Outcome]:
    """The outcomes in which something was wrong: none, in a test."""
    return [outcome for _, outcome in play(prepared, rounds, seed) if outcome.wrong]


def main(about: str | None, prepared: Prepared, rounds: int) -> None:
    """The command line of a campaign; ``rounds``: how many, if no number is given."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first round")
    given = parser.parse_args()
    tried, failed = Counter[str](), 0
    try:
        for number, outcome in play(prepared, given.rounds, given.seed, given.first):
            tried[outcome.tried] += 1
            if outcome.wrong:
                failed += 1
                print(f"round {number}, {outcome.tried}: {outcome.wrong}", flush=True)
            print(f"{tried.total()} of {given.rounds}, {failed} wrong", end="\r", file=sys.stderr, flush=True)
    finally:
        print(json.dumps({"rounds": tried.total(), "wrong": failed, "tried": dict(sorted(tried.items()))}))
    raise SystemExit(failed > 0)
