"""A workflow's mistakes in sentences: Snakemake's own messages say neither the line nor the package."""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.own_folders import ROOT
from structbench.bench.workflow import config_files

OWN = ("local", "dryrun", "touch")  # executors that Snakemake brings along
PROFILE = "config.yaml"  # in the folder of a profile
MISTAKE = 2  # the exit code, as of ``python -m bench``
REMEMBERED = 200  # seconds that squeue must know an ended job: Snakemake looks each 180 s if none ends


@contextmanager
def sentences() -> Iterator[None]:
    """End the program with the sentence of a UserError: Snakemake would name its own file, and say it twice."""
    try:
        yield
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(MISTAKE)


def check(words: list[str]) -> None:
    """See that Snakemake can read its config files, and has the executor that it is asked for.

    Args:
        words: The command line's, as Snakemake has them; what it does with others is its own matter.

    Raises:
        UserError: A config file is not there or no YAML, a package is missing, or SLURM forgets jobs too soon.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="extend")
    parser.add_argument("--executor", "-e")
    parser.add_argument("--profile")
    given = parser.parse_known_args(words)[0]
    for file in given.configfile or [str(config_files.DEFAULT)]:
        config_files.loaded(file)
    profile = _of_profile(given.profile)
    executor = given.executor or profile.get("executor")
    package = f"snakemake_executor_plugin_{(executor or '').replace('-', '_')}"
    if executor and executor not in OWN and importlib.util.find_spec(package) is None:
        raise UserError(
            f"the executor {executor!r} needs the package snakemake-executor-plugin-{executor}, which is not "
            "installed: see docs/how-to/clusters.md"
        )
    remembers = _min_job_age() if profile.get("slurm-status-command") == "squeue" else None
    if remembers is not None and remembers < REMEMBERED:
        raise UserError(
            f"SLURM forgets an ended job after {remembers} s (MinJobAge), so Snakemake may wait for ever: "
            f"set slurm-status-command: sacct in {given.profile}, or MinJobAge to {REMEMBERED} or more"
        )


def prepare_jobs(words: list[str]) -> None:
    """Have jobs, which call ``python``, run with this Python and these programs, wherever they work.

    Args:
        words: The command line's; with ``-F`` in it, jobs make finished runs again.
    """
    for name, place in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", ROOT)):
        places = os.environ.get(name, "").split(os.pathsep)
        os.environ[name] = os.pathsep.join(filter(None, dict.fromkeys([str(place), *places])))
    if _has(words, "F", "--forceall"):
        from structbench.bench.workflow import batches

        os.environ[batches.AGAIN] = "1"


def unlimit_job_rate(scheduler: Any) -> None:
    """Have Snakemake choose jobs when one ends or is ready, and not all the time.

    Because of its limit on jobs a second, it looks again after each second. Every job that ends adds one such look
    for good. After forty jobs these looks took a quarter of a core. No option removes the limit, and no plugin
    reaches it: it is an attribute of the scheduler itself.
    """
    scheduler.job_rate_limiter = None


def is_dry(words: list[str]) -> bool:
    """Whether a command line asks for the plan only: Snakemake does not say so while it reads the Snakefile."""
    return _has(words, "n", "--dry-run", "--dryrun")


def _has(words: list[str], letter: str, *names: str) -> bool:
    return any(word in names or re.fullmatch(f"-[a-zA-Z]*{letter}[a-zA-Z]*", word) for word in words)


def _min_job_age() -> int | None:
    """Seconds after which the SLURM of this machine forgets an ended job; None if it does not say."""
    try:
        said = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.search(r"^MinJobAge *= *(\d+)", said, re.MULTILINE)
    return found and int(found[1])


def _of_profile(profile: str | None) -> dict[str, Any]:
    """What a profile says; nothing of one that Snakemake finds elsewhere by its name."""
    file = Path(profile or "", PROFILE)
    given = config_files.loaded(str(file)) if profile and file.is_file() else None
    return given if isinstance(given, dict) else {}
