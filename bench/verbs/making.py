"""``new`` and ``check``: write code templates for a user's own algorithms, data or papers, and test such code."""

import argparse
import keyword
import os
import re
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import algorithm_files
from structbench.bench.verbs.saying import say
from structbench.bench.verbs.verb import argument, verb

SKELETONS = Path(__file__).with_name("skeletons")
FILES = {  # kind -> file, as it would be called in the project, and its skeleton
    "algorithm": {"algorithms/MODULE.py": "algorithm"},
    "data": {"datasets/MODULE.py": "data"},
    "structure": {"algorithms/structures/MODULE.py": "structure", "datasets/MODULE_points.py": "structure_data"},
    "loss": {"algorithms/losses/MODULE.py": "loss"},
    "paper": {"bench/papers/MODULE/__init__.py": "paper", "bench/papers/MODULE/claims.toml": "claims"},
}
NEXT = {
    "algorithm": "run --with DIR --data toy-points --loss log --C 1 --algorithm ID",
    "data": "run --with DIR --data ID --loss log --C 1 --algorithm lbfgs",
    "structure": "run --with DIR --data ID-points --loss log --C 1 --algorithm lbfgs",
    "loss": "run --with DIR --data toy-points --loss ID --C 1 --algorithm lbfgs",
    "paper": "list figures --with DIR",
}


@verb(
    argument("kind", choices=[*FILES]),
    argument("name", metavar="NAME", help="small letters, digits and hyphens, such as my-steps"),
    argument("--in", dest="folder", metavar="DIR", required=True, help="a folder of yours; made if need be"),
    examples=("new algorithm my-steps --in mine", "new data my-points --in mine", "new paper mine2026 --in mine"),
)
def do_new(given: argparse.Namespace) -> int:
    """Write a skeleton of your own into a folder of yours: it works, and you change it."""
    folder = Path(given.folder).expanduser()
    module = given.name.replace("-", "_")
    if not own_folders.is_module_name(module):
        odd = f"{given.name!r}{', a word of Python' * keyword.iskeyword(module)}"
        raise UserError(f"NAME must be small letters, digits and hyphens, such as my-steps, not {odd}")
    words = {"MODULE": module, "ID": module.replace("_", "-"), "CLASS": module.title().replace("_", "")}
    texts = {}
    for file, skeleton in FILES[given.kind].items():
        name, text = Path(filled(file, words)), (SKELETONS / f"{skeleton}.txt").read_text(encoding="utf-8")
        own = own_folders.inside(name) or name
        texts[folder / own] = filled(text, words)
        same = [own_folders.place(name), own_folders.place(name.with_suffix("")), folder / own]
        if given.kind == "algorithm" and words["ID"] in algorithm_files.by_family():
            same.append(own_folders.place(algorithm_files.file_of(words["ID"])))
        for there in same:
            if there.exists():
                raise UserError(f"{own_folders.shown(there)} is there already: choose another name")
    for file, text in texts.items():
        with write_or_explain(file):
            write_atomically(file, text)
        say(f"wrote {file}")
    told = [given.folder if word == "DIR" else word for word in filled(NEXT[given.kind], words).split()]
    say(f"try it: {command(*told)}")
    say(f"check it: {command('check', given.folder)}")
    return 0


@verb(
    argument("folders", nargs="+", metavar="DIR", help="a folder of yours"),
    examples=("check mine", "check mine theirs"),
)
def do_check(given: argparse.Namespace) -> int:
    """Test what lies in folders of yours on small problems, and say what is wrong.

    Return 1 if anything is.
    """
    from structbench.bench.checks import own

    for each in map(Path, given.folders):
        if each.expanduser().is_file():
            raise UserError(f"{each} is a file: give the folder of yours in which algorithms/ or datasets/ lie")
    own_folders.use(given.folders)
    failed = 0
    for folder in (Path(os.path.abspath(os.path.expanduser(each))) for each in given.folders):
        checked = 0
        for kind, name, wrong, note in own.check_folder(folder):
            checked += 1
            print(f"{kind} {name}: {'' if wrong else note or 'all is well'}".rstrip(), flush=True)
            for sentence in wrong:
                print(f"  {sentence}", flush=True)
            failed += bool(wrong)
        if not checked:
            raise UserError(f"nothing was checked: {folder} holds no {' or '.join(FILES)} (bench new writes one)")
    return int(failed > 0)


def filled(text: str, words: dict[str, str]) -> str:
    """A text with these words in place of their names."""
    return re.sub(r"\b(MODULE|ID|CLASS)(?=\b|_)", lambda found: words[found[1]], text)
