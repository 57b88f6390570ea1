"""``status`` and ``clean``: show the state of a config's runs, and delete stale, torn or disturbed runs."""

import argparse
import os
import shutil
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from operator import attrgetter
from pathlib import Path

from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import are, plural
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import hosts, problem_store, results, state, store
from structbench.bench.runs.news import duration
from structbench.bench.runs.spec import Spec
from structbench.bench.verbs.saying import document, say
from structbench.bench.verbs.verb import JSON, THE_CONFIG, argument, flag, one_of, verb
from structbench.bench.workflow import batches, config, estimate
from structbench.bench.workflow.config_files import make_command, unless_usual

MEGABYTE = 1e6
SHOWN = 10  # disturbed runs that are named


@verb(THE_CONFIG, JSON, examples=("status config/mine.yaml", "status --json", "status"))
def do_status(given: argparse.Namespace) -> int:
    """Say which runs of a config are finished, stale, torn (cut short or altered), missing or disturbed, and why.

    Return 1 if any is unfinished.
    """
    checked = config.read_config(given.config)
    found = {spec: checked.found(spec) for spec in checked.specs}
    left = [spec for spec, each in found.items() if not each.is_finished]
    failed = batches.failures() if left else {}
    reasons = {
        spec: f"it failed when it was made last: {failed[spec.key]}"
        if spec.key in failed and each.state is state.State.MISSING
        else reason_of(spec, each)
        for spec, each in found.items()
    }
    if given.json:
        states = {spec.key: (str(each.state), reasons[spec], each.is_disturbed) for spec, each in found.items()}
        runs = {key: dict(zip(("state", "why", "disturbed"), each, strict=True)) for key, each in states.items()}
        return document({"config": checked.name, "runs": runs}) or int(bool(left))
    counted = Counter((each.state, reasons[spec].partition("\n")[0]) for spec, each in found.items())
    rows = [[f"{count:,}", what, why] for count, what, why in sorted((n, *each) for each, n in counted.items())]
    print_table(["runs", "state", "why"], [*rows, [f"{len(found):,}", "all", f"of the config {checked.name}"]])
    shaken = [(spec.key, run.disturbance) for spec in checked.timed if (run := found[spec].run) is not None]
    shaken = sorted(each for each in shaken if each[1])
    if shaken:
        say(f"{len(shaken)} of {len(checked.timed)} timed runs were disturbed:")
        for key, why in shaken[:SHOWN]:
            say(f"  {key}: {why}")
        deletes = command("clean", "--disturbed", given.config, "--yes", *results.words())
        say(f"`{deletes}` deletes all of them, and `{make_command(given.config)}` makes others")
    if left:
        seconds, makes = sum(map(estimate.seconds, left)), make_command(given.config)
        solvers = f"the algorithms take about {duration(seconds)} of one core, jobs and figures come on top"
        say(f"`{makes}` makes the {len(left):,} that {are(len(left))} not finished: {solvers}")
    return int(bool(left))


@verb(
    one_of(
        flag("--stale", "runs that are stale or torn"),
        argument("--disturbed", metavar="CONFIG", help="timed runs of this config that something disturbed"),
    ),
    flag("--yes", "delete them; without it only their sizes are said"),
    examples=("clean --stale", "clean --stale --yes", "clean --disturbed paper --yes"),
)
def do_clean(given: argparse.Namespace) -> int:
    """Say what stale, torn or disturbed runs take on the disk, and delete them.

    They are deleted with --yes only. With --stale, runs of other data or settings stay: with that file or setting
    they are current again.
    """
    if given.disturbed is None:
        folders, is_waste, again = state.folders(results.runs()), _is_waste, ""
        nothing = f"no run under {results.runs()} is torn, or of other programs"
    else:
        timed = [results.runs() / spec.key for spec in config.read_config(given.disturbed).timed]
        folders, is_waste = filter(store.is_run, timed), attrgetter("is_disturbed")
        again = f"; `{make_command(given.disturbed)}` makes them again"
        nothing = f"no timed run of {given.disturbed} was disturbed"
    found = {folder: state.of_folder(folder) for folder in folders}
    found = {folder: each for folder, each in found.items() if is_waste(each)}
    kept = {each: more for each in found if (more := store.names(each) - {*store.FILES})}
    for folder, more in kept.items():
        say(f"{folder} stays: it holds {', '.join(sorted(more))}, too")
        del found[folder]
    sizes = {folder: sum((folder / name).lstat().st_size for name in store.names(folder)) for folder in found}
    by_reason: dict[tuple[str, str], list[Path]] = {}
    for folder, each in found.items():
        why = str(each.state), each.reason
        if given.disturbed is not None and each.run:
            why = "disturbed", each.run.disturbance
        by_reason.setdefault(why, []).append(folder)
    for (what, why), folders in sorted(by_reason.items()):
        say(f"{len(folders):,} {what}, {sum(sizes[folder] for folder in folders) / MEGABYTE:.1f} MB: {why}")
    if not found:
        say(*[nothing] * (not kept))
    elif given.yes:
        # another process may have made one meanwhile
        gone = [folder for folder in found if store.is_run(folder) and is_waste(state.of_folder(folder))]
        for folder in gone:
            folder.unlink() if folder.is_symlink() else shutil.rmtree(folder)
        say(f"deleted {len(gone):,} runs, {sum(sizes[folder] for folder in gone) / MEGABYTE:.1f} MB{again}")
    else:
        say(f"{len(found):,} runs, {sum(sizes.values()) / MEGABYTE:.1f} MB in all: --yes deletes them")
    return 0


def reason_of(spec: Spec, found: state.Found) -> str:
    """Why a run is not finished; of a stale one, which files of the user's changed, if any did."""
    if found.state is state.State.STALE and found.run is not None:
        made = found.run.summary["provenance"].get("data_from", {})
        with suppress(UserError):  # a file is gone
            today = problem_store.made_from(spec.data, spec.test)
            changed = [name for name, sha in today.items() if made.get(name, sha) != sha and name != "code"]
            if changed:
                return f"{' and '.join(os.path.basename(name) for name in changed)} changed"
    return found.reason


def stale(checked: config.Config, specs: list[Spec]) -> str:
    """How many of these runs are stale, and why; empty if none is."""
    found = {spec: checked.found(spec) for spec in specs}
    reasons = Counter(reason_of(spec, each) for spec, each in found.items() if each.state is state.State.STALE)
    said = [f"{plural(n, 'run')} {'is' if n == 1 else 'are'} stale: {reason}" for reason, n in reasons.items()]
    return ", and ".join(said)


def _is_waste(found: state.Found) -> bool:
    """Whether no setting of today, and no file of the user's, can make this run count again."""
    if found.state is state.State.TORN:
        return True
    return found.state is state.State.STALE and found.reason == state.OF_OTHER_PROGRAMS


def chosen(
    with_stale: bool,
    of: str = "",
    keys: Collection[str] | None = None,
    with_ours: bool = True,
    with_others: bool = False,
) -> list[store.Run]:
    """The finished runs of this machine, or of others, and stale runs if asked for. Says what is left out.

    Args:
        of: The config whose status says why. keys: Of its runs; None: All runs count, whatever config has them.
    """
    roots = [results.runs()] if with_ours else []
    roots += [hosts.runs(host) for host in hosts.host_names()] if with_others else []
    under = {folder: each for root in roots for folder, each in state.all_under(root).items()}
    found = [each for folder, each in under.items() if keys is None or folder.name in keys]
    left = Counter(str(each.state) for each in found if not each.is_finished and not (with_stale and each.run))
    if left:
        said = " and ".join(f"{count:,} {what}" for what, count in sorted(left.items()))
        more = "" if with_stale or not left[state.State.STALE] else "; --stale shows those that are stale"
        why = f"`{command('clean', '--stale', *results.words())}` lists those that are torn or of other programs"
        if keys is not None:
            why = f"`{command('status', *unless_usual(of), *results.words())}` says why"
        say(f"left out: {said} run{'s' if left.total() > 1 else ''} ({why}{more})")
    return state.finished(found, with_stale)
