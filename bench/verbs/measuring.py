"""``measure``: compare our methods with peers, by a config's finished runs, and probe what no run tells."""

import argparse
import importlib
import json
from dataclasses import asdict
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.names import meant
from structbench.bench.drawing.terminal import print_table
from structbench.bench.verbs.arguments import PROBES
from structbench.bench.verbs.saying import document, say

PAGE = Path("docs", "reference", "performance.md")
GONE = {
    "kernels": "a run says how many kernels it compiles, and how long that takes",
    "rates": "estimates read the seconds of finished runs by themselves",
}


def do_measure(given: argparse.Namespace) -> int:
    """Print a table, or one JSON document; 1 if a target is not met, or runs for it are missing."""
    from structbench.bench.workflow import config, config_files, schema

    rows = schema.checked(config_files.loaded(config_files.file_of(given.config))).get("contests", ())
    parts = dict.fromkeys(row["part"] for row in rows)
    known = [*parts, *PROBES]
    for part in given.parts:
        if part in GONE:
            raise UserError(f"measure: there is no {part!r} any more: {GONE[part]}")
        if part not in known:
            raise UserError(f"measure: unknown part {part!r}: {meant(part, known)}there are {', '.join(known)}")
    checked = config.read(given.config)
    wanted = given.parts or [*parts]
    if not wanted:
        raise UserError(
            f"measure: the config {checked.name} has no contests: give it some, see docs/reference/config.md"
        )
    from structbench.bench.measure import outcomes
    from structbench.bench.measure.row import HEADING, Row
    from structbench.bench.report import answers
    from structbench.bench.verbs import measure_page

    found = [outcomes.of(contest) for contest in checked.contests if contest.part in wanted]
    if given.page:
        whole = [outcomes.of(contest) for contest in checked.contests]
        measure_page.write(PAGE, whole)
        record = answers.RESULTS / answers.CONTESTS
        write_atomically(
            record, json.dumps([each.as_dict() | {"runs": []} for each in whole if each.is_there]) + "\n"
        )
        say(f"wrote the tables of {PAGE}, {record} and {answers.write()}")
    probed: list[Row] = []
    for part in PROBES:
        if part in wanted:
            probed += importlib.import_module(f"structbench.bench.measure.{part.replace('-', '_')}").rows()
    table = [*(each.row for each in found), *probed]
    if given.json:
        document([*(each.as_dict() for each in found), *map(asdict, probed)])
    else:
        print_table([*HEADING], [[cell.replace("**", "") for cell in row.cells] for row in table])
    return int(any(row.target and row.holds is not True for row in table))
