"""``cite``: print BibTeX of what a config uses; ``archive``: write its results as an RO-Crate, a zip file."""

import argparse
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import say
from structbench.bench.verbs.verb import THE_CONFIG, USUAL_CONFIG, argument, verb
from structbench.bench.workflow import config
from structbench.bench.workflow.config_files import config_file


@verb(THE_CONFIG, examples=("cite config/mine.yaml", "cite mine", "cite config/paper.yaml"))
def do_cite(given: argparse.Namespace) -> int:
    """Print BibTeX of the methods, data sets and papers of a config."""
    from structbench.bench.sharing import citations

    found = citations.cited(config.read_config(given.config))
    print(citations.bibtex(found.uses), end="")
    for what in found.unnamed:
        say(f"{what} names no reference: docs/how-to/sharing.md says how it does")
    return 0


@verb(
    THE_CONFIG,
    argument("--out", metavar="FILE", help="a .zip file (default: NAME.crate.zip, after the config)"),
    argument("--check", metavar="FILE", help="instead: whether such a file is as written, without unpacking it"),
    examples=("archive config/mine.yaml", "archive mine --out mine.zip", "archive --check mine.crate.zip"),
)
def do_archive(given: argparse.Namespace) -> int:
    """Write a config's finished runs, tables and programs' hashes as one RO-Crate."""
    from structbench.bench.sharing import crate

    if given.check:
        if given.out:
            raise UserError("--check reads a file and writes none: leave out --out")
        if given.config != USUAL_CONFIG:
            raise UserError(f"--check reads a file, whatever config it is of: leave out {given.config}")
        found = crate.opened(Path(given.check))
        for each in found.wrong:
            say(f"{given.check}: {each}")
        today = f"{found.of_today} of {found.runs} runs are of this checkout's programs"
        if found.own and found.of_today < found.runs and not own_folders.folders():
            today += (
                f"; {found.own} files of its sender's folders are under own/: unpack these, and add --with own"
            )
        say(f"{given.check}: {found.files} files, {len(found.wrong)} wrong; {today}")
        return int(bool(found.wrong))
    checked = config.read_config(given.config)
    out = named.file_out(given.out or f"{checked.name}.crate.zip")
    say(f"wrote {crate.write(checked, Path(config_file(given.config)), out)}")
    return 0
