"""``status`` and ``clean``: which runs are there and current, and which need not be kept."""

import argparse
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

from bench.drawing.terminal import print_table
from bench.runs import hosts, results, state, store
from bench.runs.news import duration
from bench.verbs.saying import document, say

MEGABYTE = 1e6


def do_status(given: argparse.Namespace) -> int:
    """Say what there is of each run of a config, and how many were disturbed; 1 if not all are finished."""
    from bench.workflow import config, estimate

    checked = config.read(given.config)
    found = {
        spec: state.of(spec, results.runs() / spec.key, spec in checked.timed, spec in checked.measured)
        for spec in checked.specs
    }
    left = [spec for spec, each in found.items() if not each.is_finished]
    if given.json:
        return document({"config": checked.name, "runs": _listed(found)}) or int(bool(left))
    counted = Counter((each.state, each.reason) for each in found.values())
    rows = sorted([f"{count:,}", what, why] for (what, why), count in counted.items())
    print_table(["runs", "state", "why"], [*rows, [f"{len(found):,}", "all", f"of the config {checked.name}"]])
    shaken = [spec.key for spec in checked.timed if spec in found and found[spec].is_disturbed]
    if shaken:
        say(f"{len(shaken)} of {len(checked.timed)} timed runs were disturbed, the first {min(shaken)}")
    if left:
        seconds = sum(estimate.of(spec).seconds for spec in left)
        say(f"`make run` makes the {len(left):,} that are not finished: about {duration(seconds)} of one core")
    return int(bool(left))


def _listed(found: dict[Any, state.Found]) -> dict[str, dict[str, str]]:
    return {
        spec.key: {"state": str(each.state), "why": each.reason, "disturbed": each.is_disturbed}
        for spec, each in found.items()
    }


def do_clean(given: argparse.Namespace) -> int:
    """Say what stale and torn runs take on the disk; with --yes, delete them."""
    found = {folder: each for folder, each in state.all_under(results.runs()).items() if not each.is_finished}
    sizes = {folder: sum(file.stat().st_size for file in folder.rglob("*")) for folder in found}
    by_reason: dict[tuple[str, str], list[Path]] = {}
    for folder, each in found.items():
        by_reason.setdefault((str(each.state), each.reason), []).append(folder)
    for (what, why), folders in sorted(by_reason.items()):
        size = sum(sizes[folder] for folder in folders) / MEGABYTE
        say(f"{len(folders):,} {what}, {size:.1f} MB: {why}")
    if not found:
        say(f"no run under {results.runs()} is stale or torn")
    elif given.yes:
        for folder in found:
            shutil.rmtree(folder)
        say(f"deleted {len(found):,} runs, {sum(sizes.values()) / MEGABYTE:.1f} MB")
    else:
        say(f"{len(found):,} runs, {sum(sizes.values()) / MEGABYTE:.1f} MB in all: --yes deletes them")
    return 0


def chosen(with_stale: bool, with_others: bool = False) -> list[store.Run]:
    """All finished runs, with those that are stale if these are asked for; says what is left out.

    with_others: those of other machines, too.
    """
    roots = [results.runs(), *(hosts.runs(host) for host in hosts.names() if with_others)]
    found = [each for root in roots for each in state.all_under(root).values()]
    left = Counter(str(each.state) for each in found if not each.is_finished and not (with_stale and each.run))
    if left:
        said = " and ".join(f"{count:,} {what}" for what, count in sorted(left.items()))
        more = "" if with_stale or not left[state.State.STALE] else "; --stale shows those that are stale"
        say(f"left out: {said} run{'s' if left.total() > 1 else ''} (`python -m bench status` says why{more})")
    return state.finished(found, with_stale)
