"""``list``: print what there is to run."""

import argparse

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing.terminal import print_table
from structbench.bench.verbs.verb import JSON, argument, verb


@verb(
    argument(
        "kind", nargs="?", choices=["algorithms", "losses", "structures", "datasets", "figures"], help="just these"
    ),
    argument("--structure", metavar="ID", help="just the algorithms that learn it"),
    argument(
        "--config", action="append", metavar="CONFIG", help="the runs that each has in this config; repeat it"
    ),
    JSON,
    examples=("list algorithms", "list --structure chain", "list --config quick --config measure", "list --json"),
)
def do_list(given: argparse.Namespace) -> int:
    """List algorithms, losses, structures, data sets and figures."""
    if given.structure and given.kind not in (None, "algorithms"):
        raise UserError(f"--structure is for algorithms: leave out {given.kind!r}")
    if given.config:
        if given.structure or given.kind == "figures":
            raise UserError(
                "--config counts runs of algorithms, losses, structures and datasets: name one of these"
            )
        return _count(given.config, given.kind, given.json)
    from structbench.bench.verbs.listing import listed
    from structbench.bench.verbs.saying import document

    found = listed("algorithms" if given.structure else given.kind, given.structure)
    if given.json:
        return document({name: {each: row for each, (row, _) in rows.items()} for name, rows in found.items()})
    for name, rows in found.items():
        print_table([name, ""], [[each, text] for each, (_, text) in rows.items()])
    return 0


def _count(chosen: list[str], kind: str | None, as_json: bool) -> int:
    """Print how many runs of each config there are of each, in place of what it is."""
    from structbench.bench.verbs.run_counts import counted
    from structbench.bench.verbs.saying import document
    from structbench.bench.workflow import config as configs

    found = {config: counted(configs.read_config(config)) for config in chosen}
    if as_json:
        return document(found)
    for name, rows in found[chosen[0]].items():
        if kind in (None, name):
            counts = [[each, *(str(runs[name][each]) for runs in found.values())] for each in rows]
            print_table([name, *found], counts)
    return 0
