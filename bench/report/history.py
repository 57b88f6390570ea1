"""Check that the commits of runs are in the history of this branch, as those of published runs must be."""

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.own_folders import ROOT

COMMIT = re.compile("[0-9a-f]{7,64}")


def outside_history(commits: Iterable[str]) -> dict[str, str]:
    """The commits that are not in the branch's history, each with the reason.

    Raises:
        UserError: This is no git checkout, or a shallow clone that lacks one of them.
    """
    top, shallow = _git("rev-parse", "--show-toplevel"), _git("rev-parse", "--is-shallow-repository")
    if top.returncode or Path(top.stdout.strip()).resolve() != ROOT.resolve():
        why = f" ({top.stderr.strip().splitlines()[0]})" if top.stderr.strip() else ""
        raise UserError(
            f"{ROOT} is no git checkout{why}, which would show if commits of runs are in the history: use a clone"
        )
    wrong: dict[str, str] = {}
    for commit in dict.fromkeys(commits):
        if not COMMIT.fullmatch(commit):
            edited = COMMIT.fullmatch(commit.removesuffix("+"))
            wrong[commit] = "has programs that are not committed" if edited else "is no commit"
        elif _git("merge-base", "--is-ancestor", commit, "HEAD").returncode:
            if shallow.stdout.strip() == "true":
                raise UserError(
                    f"this clone is shallow and lacks the commit {commit}: get its history "
                    "(`git fetch --unshallow`)"
                )
            wrong[commit] = "is not in the history of this branch"
    return wrong


def text_at(commit: str, file: Path) -> str:
    """The text of a file as a commit has it; empty if the commit, or the file in it, is not there."""
    return _git("show", f"{commit}:{file.as_posix()}").stdout


def require(commits: Mapping[str, str]) -> None:
    """Check that runs may be published. ``commits``: run -> the commit of its programs.

    Raises:
        UserError: The commit of one is outside of the history, or as ``outside_history``.
    """
    wrong = outside_history(commits.values())
    if bad := [key for key, commit in commits.items() if commit in wrong]:
        commit = commits[bad[0]]
        raise UserError(
            f"cannot publish {len(bad)} of {len(commits)} runs: the commit {commit} of {bad[0]} {wrong[commit]}; "
            "commit the programs, and make these runs again (`python -m bench run --again`)"
        )


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    except OSError as error:  # there is no git
        return subprocess.CompletedProcess(words, 1, "", str(error))
