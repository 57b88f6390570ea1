"""Stamps: small files that say what a job depends on, written only when that changes.

Snakemake compares them instead of source files and the user's files. A comment changes no stamp. A user's path may
hold braces and angle brackets, which Snakemake would take for wildcards.
"""

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

from structbench import datasets
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.papers import claim_rows
from structbench.bench.runs import problems, programs, results
from structbench.bench.runs.spec import Spec

DRAWN_BY = ("bench/drawing", "bench/runs", "bench/papers")  # folders of the programs that make any figure or claim


def keep(file: Path, text: str) -> Path:
    """The file, once it holds this text; one that holds it already keeps its time.

    Raises:
        UserError: It cannot be written.
    """
    try:
        if file.read_text(encoding="utf-8") == text:
            return file
    except (OSError, ValueError):
        pass
    try:
        write_atomically(file, text)
    except OSError as error:
        raise UserError(f"cannot write {file} ({error.strerror}): make its folder writable") from error
    return file


def of_problem(data: str, test: str | None) -> str:
    """The stamp of a problem: the programs that build it, and the size and time of the user's files."""

    def said() -> str:
        files = [Path(file).expanduser() for file in problems.user_files(data, test)]
        about = [f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}" for file in files]
        return "\n".join([programs.sha256_of_data(data), *about])

    return _stamp(f"problems/{problems.note(data, test).stem}", said)


def of_run(spec: Spec) -> str:
    """The stamp of the programs that decide a run's numbers; runs of one algorithm and structure share it."""
    name = f"runs/{spec.algorithm}-{datasets.structure(spec.data)}-{datasets.parse(spec.data).name}"
    return _stamp(name, lambda: programs.sha256_of_run(spec))


def of_breakdown(data: str) -> str:
    """The stamp of the programs that measure an update on a data set."""
    name = f"breakdown/{datasets.structure(data)}-{datasets.parse(data).name}"
    return _stamp(name, lambda: programs.sha256(programs.of_breakdown(data)))


def of_view(name: str) -> str:
    """The stamp of the programs that draw and judge a paper, or draw ``grid-NAME``."""

    folders = [*DRAWN_BY, f"bench/papers/{name}"]
    return _stamp(f"views/{name}", lambda: "\n".join(map(_programs, folders)))


def of_room(name: str) -> str:
    """The stamp of a room of ``bench`` with its templates, such as ``report``."""

    def said() -> str:
        files = sorted((ROOT / "bench" / name / "templates").glob("*"))
        others = [f"{file.name} {sha256(file.read_bytes()).hexdigest()}" for file in files if file.is_file()]
        return "\n".join([_programs(f"bench/{name}"), *others])

    return _stamp(f"rooms/{name}", said)


def _programs(folder: str) -> str:
    """A hash of the programs and rows of claims in a folder, without those in folders below."""
    made = programs.sha256(own_folders.files(folder, "*.py"))
    tables = [repr(claim_rows.tables(file)) for file in own_folders.files(folder, "*.toml").values()]
    return " ".join([made, *(sha256(each.encode()).hexdigest() for each in tables)])


def _stamp(name: str, said: Callable[[], str]) -> str:
    file = results.root() / "stamps" / f"{name}.txt"
    if file not in _up_to_date():
        keep(file, said() + "\n")
        _up_to_date().add(file)
    return str(file)


@cache
def _up_to_date() -> set[Path]:
    """The stamps that this process has written or seen to be right: programs do not change while it runs."""
    return set()
