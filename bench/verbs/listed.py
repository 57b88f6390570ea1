"""``list``: print what there is to run.

To list algorithms is to import them all, half a second. So the listing of the project's own files is kept until
one of them changes.
"""

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from structbench.algorithms.runtime import kernel_folder, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.drawing.terminal import print_table
from structbench.bench.verbs.verb import JSON, argument, verb

if TYPE_CHECKING:
    from structbench.bench.verbs.listing import Listing

MADE_OF = ("algorithms", "bench", "datasets")  # rooms


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
    kind = "algorithms" if given.structure else given.kind
    found = {name: rows for name, rows in _listed(given.structure).items() if kind in (None, name)}
    if given.json:
        from structbench.bench.verbs.saying import document

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


def _listed(structure: str | None) -> "Listing":
    """All listings, or the algorithms for a structure."""
    if structure or own_folders.folders():
        from structbench.bench.verbs import listing

        return listing.listed("algorithms" if structure else None, structure)
    file = kernel_folder.home() / "listing.json"
    version = f"{sys.version} {_newest()}"
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if kept["version"] == version:
            return kept["listed"]
    except (OSError, ValueError, TypeError, KeyError):
        pass
    from structbench.bench.verbs import listing

    found = listing.listed()
    if listing.is_sound():
        try:
            write_atomically(file, json.dumps({"version": version, "listed": found}))
        except OSError as error:
            print(f"cannot keep the listing in {file}: {error.strerror}", file=sys.stderr)
    return found


def _newest() -> str:
    """What changes with any file of the project: how many there are, and when one or a folder changed last."""
    rooms = (own_folders.ROOT / room for room in MADE_OF)
    places = [place for room in rooms for place, _, _ in os.walk(room)]
    entries = [entry for place in places for entry in os.scandir(place) if "__pycache__" not in entry.path]
    return f"{len(entries)} {max(entry.stat().st_ctime_ns for entry in entries)}"
