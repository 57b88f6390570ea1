"""``start``: read the config files first, to report mistakes quickly and clearly, then run Snakemake."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results
from structbench.bench.verbs.verb import argument, verb
from structbench.bench.workflow import config_files

# A Ctrl-C while Snakemake is imported ends it without Python's traceback; its own handling comes later.
SNAKEMAKE = """
import runpy, signal, sys
sys.orig_argv[:3] = [sys.argv[1], "-m", "bench"]  # people are told commands in the form of this one
del sys.argv[:2]
signal.signal(signal.SIGINT, signal.SIG_DFL)
runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
"""


@verb(argument("words", nargs="*", metavar="-- ARGUMENT", help="those that snakemake is called with"))
def do_start(given: argparse.Namespace) -> int:
    """Call snakemake, once its config can be read.

    This process becomes snakemake.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="extend", default=[])
    files = parser.parse_known_args(given.words)[0].configfile
    found: dict[str, str] = {file: config_files.config_file(file) for file in files if file in given.words}
    for file in files:
        if not isinstance(config_files.loaded(found.get(file) or file), dict):
            raise UserError(f"{file} is no config: it has no keys with values; {config_files.HAS}")
    _ensure_cache()
    sys.stdout.flush()
    words = [found.get(word) or word for word in given.words]
    os.execv(sys.executable, [sys.executable, "-c", SNAKEMAKE, sys.orig_argv[0], "snakemake", *words])


def _ensure_cache() -> None:
    """Let Snakemake keep its cache with the results if the home folder cannot be written."""
    place = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "snakemake"
    try:
        place.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=place).close()
    except OSError:
        os.environ["XDG_CACHE_HOME"] = str((results.root() / "logs" / "cache").absolute())
