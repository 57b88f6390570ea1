"""Hash the rules by which a paper's claims are judged, and find the commits at which they were different.

Rules are frozen while the hash stays. Comments, docstrings and layout do not count (``program_text``), nor do
words of answers and figures, and sentences that no rule judges.
"""

import ast
import hashlib
import re
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.own_folders import place
from structbench.bench.report import history
from structbench.bench.runs import program_text

ROOM = "bench/papers"
LIST = "changed-rules.md"  # of the published results; written by hand
CURVES = Path("bench/drawing/curves.py")  # what rules read off curves
READS = (CURVES, CURVES.with_name("intervals.py"))
NO_OUTCOME = ("figure_rows.py", "judged.py", "panels.py", "sentences.py", "shown.py", "wording.py")  # of the room
JUDGES = re.compile(r"\bClaim\(")  # in a module that makes a paper's claims
LISTED = re.compile(r"^\| (\w+/[^|]+) \|", re.MULTILINE)  # PAPER/ID, ID; PAPER/ID (words), in a first cell
ID = re.compile(r"[\w*-]+")  # with * for any letters; a first cell has words beside, such as a date
UNSEEN = "before its runs"  # said in a row of a rule that nobody changed after seeing runs

Text = Callable[[Path], str]


def _today(file: Path) -> str:
    return place(file).read_text(encoding="utf-8")


def rules_sha256(paper: str, text: Text = _today) -> str:
    """Hash of a paper's rules.

    Args:
        text: Gives the text of a file, whose name is relative to the project's folder.
    """
    said = hashlib.sha256()
    for file in rule_files(paper):
        said.update(f"{file.as_posix()} {_meaning(file, text(file))}\n".encode())
    return said.hexdigest()


def rule_files(paper: str) -> list[Path]:
    """The programs, rows and settings of a paper's rules, relative to the project's folder."""
    own = own_folders.files(f"{ROOM}/{paper}", "*.py", "*.toml", "*.yaml")
    starts = {file for file in own if file.suffix == ".py" and JUDGES.search(_today(file))}
    waiting, found = [*starts], {file for file in own if file.suffix != ".py" and "figures" not in file.stem}
    while waiting:
        file = waiting.pop()
        if file not in found and (file in starts or _decides(file)):
            found.add(file)
            waiting += map(Path, program_text.imports(ast.parse(_today(file)), file))
    return sorted(found)


def changed_since(paper: str, commits: Iterable[str]) -> set[str]:
    """The commits at which a paper's rules were others, of those that this checkout has.

    A user's own paper is in no commit.
    """
    if any(map(own_folders.owner, rule_files(paper))):
        return set()

    def at(commit: str) -> str:
        return rules_sha256(paper, lambda file: history.text_at(commit, file))

    today = rules_sha256(paper)
    return {each for each in {*commits} if history.text_at(each, CURVES) and at(each) != today}


def changed_rules(results: Path) -> set[str]:
    """The claims whose rules changed after runs were seen, as ``paper/id``, by the list in a folder of results.

    An id may have * for any letters: see ``is_changed``.
    """
    text = (results / LIST).read_text(encoding="utf-8") if (results / LIST).exists() else ""
    cells = (row.replace("\\*", "*") for row in LISTED.findall(text) if UNSEEN not in row)
    return {name for cell in cells for of_paper in cell.split(";") for name in _ids(of_paper)}


def _ids(listed: str) -> Iterable[str]:
    paper, _, names = listed.partition(" (")[0].strip().partition("/")
    return (f"{paper}/{name}" for name in names.split(", ") if ID.fullmatch(name))


def is_changed(claim: str, results: Path) -> bool:
    """Whether the rule of a claim, ``paper/id``, changed after runs were seen."""
    return any(fnmatchcase(claim, each) for each in changed_rules(results))


def _decides(file: Path) -> bool:
    """Whether a file that a rule imports may change an outcome."""
    own = file.as_posix().startswith(f"{ROOM}/") and file.name != "__init__.py"
    return place(file).is_file() and (file in READS or (own and file.name not in NO_OUTCOME))


def _meaning(file: Path, text: str) -> str:
    """What a file says, without comments."""
    if file.suffix == ".py":
        return program_text.sha256(ast.parse(text))
    if file.suffix == ".toml":
        import tomllib

        return repr({key: said for key, said in tomllib.loads(text).items() if key != "unjudged"})
    import yaml

    return repr(yaml.safe_load(text))
