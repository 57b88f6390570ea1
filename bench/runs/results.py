"""Where results lie: under one root, ``STRUCTBENCH_RESULTS`` or else ``results``.

All configs share problems, runs, other hosts' runs, batches and measurements of updates. They share published runs
that were made again (``verified``), and files of data that Python held (``given``). What is made of one config
lies in the folder of its name: ``results/quick/figures``, ``claims``, ``report``.
"""

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked

VARIABLE = "STRUCTBENCH_RESULTS"
NAMED = "STRUCTBENCH_RESULTS_NAMED"  # the same folder, if a call of make or of ``bench``, or a config, named it
SHARED = (
    "batches", "breakdown", "data", "export", "given", "hosts", "kernels", "logs", "mlartifacts", "problems",
    "runs", "stamps", "tracked", "verified",
)  # fmt: skip
OF_A_CONFIG = (
    "batches.json", "claims", "complete", "config.json", "config.path", "figures", "parts", "report",
    "runs-tracked", "tracked",
)  # fmt: skip
PROOFS = ("kernels", "problems", "runs")  # a folder without any of them is no folder of results
KEPT = ("data", "README.md")
FILES = (
    "export.parquet", "mlflow.db", "mlflow.db-journal", "mlflow.db.lock", "results-id.json", "seen.json",
    "workflow.holder", "workflow.lock",
)  # fmt: skip
LOCK = "workflow.lock"  # of the workflow that makes these results


# Whether the call itself named the root. Make says so to the process that it starts.
_is_of_call = bool(os.environ.get(NAMED))


def use(folder: str | None, of_call: bool = False) -> None:
    """Have all results in this folder: a config's, or the one that the call names, if any, which comes first."""
    global _is_of_call
    if of_call:
        _is_of_call = bool(folder)
    if folder and (of_call or not _is_of_call):
        os.environ[VARIABLE] = os.environ[NAMED] = folder


def words() -> list[str]:
    """The words by which a printed command finds this folder; none if the user's environment has it anyway."""
    folder = os.environ.get(VARIABLE)
    return ["--results", folder] if folder and folder == os.environ.get(NAMED) else []


def words_of_make() -> str:
    """As ``words``, after a command of make."""
    return "".join(f" RESULTS={shlex.quote(folder)}" for folder in words()[1:])


@contextmanager
def kept() -> Iterator[None]:
    """Have no config that is read meanwhile change where results lie, or which mirror is used, afterwards.

    Folders of the user's that it names stay: their modules are imported.
    """
    before = {name: os.environ.get(name) for name in (VARIABLE, NAMED, "STRUCTBENCH_MIRROR")}
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def is_of_call() -> bool:
    """Whether the call itself named the root."""
    return _is_of_call


def root() -> Path:
    """The folder of all results."""
    return Path(os.environ.get(VARIABLE) or "results").expanduser()


def read_root(folder: str | Path | None = None) -> Path:
    """The folder of results that a call names, else ``STRUCTBENCH_RESULTS``, else ``root()``, maybe missing.

    Raises:
        UserError: The named folder is missing, or holds no results.
    """
    found = Path(folder).expanduser() if folder else root()
    if not (folder or os.environ.get(VARIABLE)):
        return found
    if not found.is_dir():
        raise UserError(f"there is no folder {found}")
    if not any((found / name).is_dir() for name in PROOFS):
        raise UserError(f"{found} is no folder of results: it holds none of {', '.join(PROOFS)}")
    return found


def runs() -> Path:
    """A folder for each run, by its key."""
    return root() / "runs"


def hosts() -> Path:
    """``HOST/runs``: the runs of other machines."""
    return root() / "hosts"


def problems() -> Path:
    """The built problems."""
    return root() / "problems"


def batches() -> Path:
    """What each job of several runs has made."""
    return root() / "batches"


def breakdown() -> Path:
    """What an update costs, operation by operation, by data set."""
    return root() / "breakdown"


def figures(config: str) -> Path:
    """A folder for each paper, and each grid as ``grid-NAME``."""
    return root() / config / "figures"


def claims(config: str) -> Path:
    """A file of judged claims for each paper."""
    return root() / config / "claims"


def report(config: str) -> Path:
    """The pages of the report; it opens with ``index.html``."""
    return root() / config / "report"


def clean() -> str | None:
    """Remove what runs produced, except downloaded data, and nothing else; say what is kept.

    Returns why nothing is removed, if a workflow makes these results.
    """
    lock = root() / LOCK
    with ExitStack() as held:
        try:
            if lock.is_file():
                held.enter_context(locked(lock, patience=0))
        except BlockingIOError:
            return f"a workflow makes {root()}: wait for it, or stop it"
        _clean()


def _clean() -> None:
    """Remove them. Other programs have folders called runs, too: one proves nothing without a run in it."""
    there = [entry for entry in root().glob("*") if entry.name not in KEPT]
    proofs = [root() / name for name in PROOFS if name != "runs"] + [*root().glob("runs/*/spec.json")]
    if not any(proof.exists() for proof in proofs):
        print(f"kept all of {root()}: it holds no results" if there else f"there are no results in {root()}")
        return
    kept = sorted(entry for entry in there if not _is_ours(entry))
    for entry in there:
        if entry not in kept:
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    links = [entry for entry in kept if entry.is_symlink()]
    others = [entry for entry in kept if entry not in links]
    more = f"; kept {', '.join(map(str, others))}, which runs did not produce" if others else ""
    more += f"; kept what is a link: {', '.join(map(str, links))}" if links else ""
    print(f"removed the results in {root()}{more}")


def _is_ours(entry: Path) -> bool:
    if not entry.is_dir() or entry.is_symlink():
        return entry.name in FILES
    inside = {path.name for path in entry.iterdir()}
    return entry.name in SHARED or (inside != set() and inside <= {*OF_A_CONFIG})
