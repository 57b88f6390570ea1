"""Start a workflow: report a user's mistake in one sentence, set up the jobs' environment, and check SLURM."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.own_folders import ROOT
from structbench.bench.drawing.terminal import visible
from structbench.bench.workflow import batches, config_files

MISTAKE = 2  # the exit code, as of ``python -m bench``
REMEMBERED = 200  # seconds that squeue must know an ended job: Snakemake looks each 180 s if none ends
# of commands that make nothing, so that they may be called while a workflow runs
LOOK = re.compile("-l|-S|-D|--(lint|list|unlock|report$|report=|.*summary|dag|.*graph|d3dag|archive|print-comp).*")
FORCE = re.compile("-[a-zA-Z]*F[a-zA-Z]*|--forceall")


@contextmanager
def sentences() -> Iterator[None]:
    """End the program with the sentence of a UserError: Snakemake would name its own file, and say it twice."""
    try:
        yield
    except UserError as error:
        print(visible(f"error: {error}", sys.stderr), file=sys.stderr)
        sys.exit(MISTAKE)


def prepare_jobs(words: list[str]) -> None:
    """Have jobs call this Python with these programs, and with -F make finished runs again."""
    for name, place in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", ROOT)):
        places = os.environ.get(name, "").split(os.pathsep)
        os.environ[name] = os.pathsep.join(filter(None, dict.fromkeys([str(place), *places])))
    if any(map(FORCE.fullmatch, words)):
        os.environ[batches.AGAIN_VARIABLE] = "1"


def check_results(folder: Path) -> None:
    """Raise a UserError if Snakemake takes the folder of results for a pattern."""
    if {*"{}"} & {*str(folder)}:
        raise UserError(f"a workflow cannot make results in {folder}: braces are Snakemake's, leave them out")


def check_cores(words: list[str]) -> None:
    """Raise a UserError if these words of snakemake, of which the last counts, leave no core to work on."""
    given = re.findall(r"(?<!\S)(?:--cores[ =]|-c[ =]?)(-?\d+)(?!\S)", " ".join(words))
    if given and int(given[-1]) < 1:
        raise UserError(f"CORES must be 1 or more, not {given[-1]} (of snakemake, --cores)")


def check_slurm(words: list[str]) -> None:
    """Raise a UserError if SLURM forgets jobs before Snakemake asks for them, as the profile says how."""
    profile = re.search(r"--profile[ =](\S+)", " ".join(words))
    file = Path(profile[1] if profile else "nowhere", "config.yaml")
    if not file.is_file() or config_files.loaded(str(file)).get("slurm-status-command") != "squeue":
        return
    said = subprocess.run("scontrol show config", shell=True, capture_output=True, text=True, check=False).stdout
    age = re.search(r"^MinJobAge *= *(\d+)", said, re.MULTILINE)
    if age and int(age[1]) < REMEMBERED:
        raise UserError(
            f"SLURM forgets an ended job after {age[1]} s (MinJobAge), so Snakemake may wait for ever: "
            f"set slurm-status-command: sacct in {file}, or MinJobAge to {REMEMBERED} or more"
        )
