"""``measure``: compare our methods with peers, by a config's finished runs."""

import argparse

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import results, store
from structbench.bench.verbs.saying import document, say
from structbench.bench.verbs.verb import JSON, argument, flag, verb
from structbench.bench.workflow import config, config_files, schema

CONTESTS = "config/measure.yaml"
BY_HAND = "time the command or the program that you have in mind yourself"
GONE = {
    "kernels": "a run says how many kernels it compiles, and how long that takes",
    "many-runs": BY_HAND,
    "rates": "estimates read the seconds of finished runs by themselves",
    "reading": BY_HAND,
    "storage": "`bench measure parsing` and `chunking` compare the peak memory of runs",
    "workers": "compare runs of `cocoa` with several threads: `bench measure cores`",
}


@verb(
    argument("parts", nargs="*", metavar="PART", help="contests of the config (default: all of them)"),
    argument("--config", metavar="CONFIG", default=CONTESTS, help=f"with contests (default: {CONTESTS})"),
    flag("--page", "write docs/reference/performance.md and docs/answers.md, too; other parts stay"),
    JSON,
    examples=("measure", "measure peers passes --json", "measure --page"),
)
def do_measure(given: argparse.Namespace) -> int:
    """Compare ours with peers: time, memory, quality, by finished runs of config/measure.yaml.

    Return 1 if a target is not met, or runs for it are missing.
    """
    rows = schema.checked_config(config_files.loaded(config_files.config_file(given.config))).get("contests", ())
    parts = dict.fromkeys(row["part"] for row in rows)
    if not parts:
        says = f"{CONTESTS} has some, and docs/reference/config.md says how to write others"
        raise UserError(f"measure: the config {given.config} has no contests: {says}")
    for part in given.parts:
        if part in GONE:
            raise UserError(f"measure: there is no {part!r} any more: {GONE[part]}")
        if part not in parts:
            raise UserError(f"measure: unknown part {part!r}: {meant(part, parts)}there are {', '.join(parts)}")
    checked = config.read_config(given.config)
    wanted = given.parts or [*parts]
    from structbench.bench.measure import compared, outcomes
    from structbench.bench.report import answers, history, performance

    say(*dict.fromkeys(checked.without.values()))
    found = [outcomes.outcome_of(contest) for contest in checked.contests if contest.part in wanted]
    if given.page:
        answers.require_project()
        if not any(each.is_there for each in found):
            raise UserError(f"no run of {', '.join(wanted)} is finished: no page is written")
        read = {key: store.read_run(results.runs() / key) for each in found for key in each.runs}
        history.require({key: run.summary["provenance"]["git_commit"] for key, run in read.items()})
        performance.keep(answers.RESULTS, found, [each.part for each in checked.contests])
        say(f"wrote {', '.join(map(str, answers.write_pages()))}")
    if given.json:
        document([each.as_dict() for each in found])
    else:
        print_table([*compared.HEADING], [[*each.row.values()] for each in found])
    return int(any(each.has_target and not each.is_met for each in found))
