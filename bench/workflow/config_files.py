"""The files of configs: found by name, and read."""

import json
import os
import re
import shlex
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import write_if_changed
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.own_folders import ROOT
from structbench.bench.runs import results

DEFAULT = ROOT / "config" / "quick.yaml"
ENDINGS = ".yaml", ".yml", ".json"
HAS = "a config has figures, such as figures: [eg2008], or grids"
OWNER = "config.path"  # in a config's folder of results: whose it is
ODD_NUMBER = re.compile(r"[-+]?(0[0-7_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)")  # of base 8 or 60 in YAML
FRESH = "fresh"  # the folder of a config's runs with fresh seeds


def loaded(file: str) -> Any:
    """What a YAML or JSON file holds; raises a UserError, which says the line, if it cannot be read."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        hint = f"{meant(file, _beside(file))}give the path of one, or its name in config/"
        raise UserError(f"cannot read the config {file}: {error.strerror}: {hint}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"the config {file} is not YAML: it is not UTF-8 text: {error.reason}") from error
    with suppress(ValueError, RecursionError):  # JSON is YAML, and this is a hundred times as fast
        return json.loads(text, object_pairs_hook=_unrepeated)
    import yaml

    from structbench.algorithms.runtime import yaml_text

    try:
        if (found := yaml_text.parsed(text)) is None:
            raise UserError(f"{file} is empty: {HAS}")
        _check_nodes(file, yaml.compose(text, yaml.SafeLoader))
        return found
    except yaml.MarkedYAMLError as error:
        mark, context = error.problem_mark, error.context_mark
        line = mark.line + 1 if mark else 1
        since = f" that begins in line {context.line + 1}" if context and context.line + 1 != line else ""
        begun = f" ({error.context}{since})" if error.context else ""
        raise UserError(f"{file}, line {line}: not YAML: {error.problem}{begun}") from error
    except UserError:
        raise
    except ValueError as error:  # such as 2026-02-30, which is read as a date
        raise UserError(f"{file}: not YAML: {error}: put a text that looks like a date in quotes") from error
    except yaml.YAMLError as error:
        raise UserError(f"the config {file} cannot be read as YAML: {str(error).replace(chr(10), ' ')}") from error


def _beside(file: str) -> list[str]:
    """The paths of what may be configs in a file's folder."""
    with suppress(OSError, ValueError):  # there is no such folder, or its name may be too long, or have a NUL byte
        return [str(each) for each in Path(file).parent.iterdir() if each.suffix in ENDINGS]
    return []


@contextmanager
def named(file: str, changed: bool = False) -> Iterator[None]:
    """Have a UserError that begins with the word config begin with its file; ``changed``: by ``--config``."""
    blamed = f"{file} with --config" if changed else file
    try:
        yield
    except UserError as error:
        raise UserError(re.sub("^config(?=[,:] )", lambda _: blamed, str(error))) from error


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is given twice")  # read as YAML, it has a line
    return found


def _check_nodes(file: str, root: Any) -> None:
    """Raise a UserError if the parser would read these nodes of YAML as nobody means them, in silence.

    Of a key that is given twice it takes the last. 010 is eight to it, 1:30 is 90.
    """
    nodes, known = [root], set[int]()
    while nodes:
        if id(node := nodes.pop()) in known:
            continue
        known.add(id(node))
        if not isinstance(node.value, list):
            if not node.style and not node.tag.endswith(":str") and ODD_NUMBER.fullmatch(node.value):
                where = f"{file}, line {node.start_mark.line + 1}"
                raise UserError(f"{where}: YAML reads {node.value} as another number: write it in decimals")
            continue
        if node.id == "sequence":
            nodes += node.value
            continue
        first = dict[str, int]()
        for key, value in node.value:
            nodes.append(value)
            line = key.start_mark.line + 1
            if (name := str(key.value)) in first and name != "<<":
                raise UserError(
                    f"{file}, line {line}: {name} is given twice, first in line {first[name]}: keep one"
                )
            first[name] = line


def config_file(text: str) -> str:
    """The path of a config that is given by its path or its name in ``config``, here or in structbench itself.

    A name may also be that of a folder of results, which says whose it is.
    """
    text = os.path.expanduser(text)
    named = [text, *(f"config/{text}{ending}" for ending in ENDINGS)]
    own, ours = ([Path(folder, each) for each in named] for folder in ("", ROOT))
    places = [*own, *filter(None, [_owner(results.root() / text)]), *ours]
    return next((str(place) for place in places if place.is_file()), text)


def is_config(text: str) -> bool:
    """Whether a text names the file of a config that is there; a file with another ending may be data."""
    file = Path(config_file(text))
    return file.suffix in ENDINGS and file.is_file()


def is_fresh(text: str) -> bool:
    """Whether a config is given by the name of the folder of runs with fresh seeds."""
    return text == FRESH and config_file(text) == str(_owner(results.root() / FRESH))


def unless_usual(config: str, *before: str) -> list[str]:
    """The words of a command that name a config, with the words ``before`` it; none for the usual one.

    A file of the results, which a workflow wrote, is of the config that its folder is named after.
    """
    name = Path(config).resolve().parts[-3] if is_written(config) else config
    return [] if Path(config_file(name)).resolve() == DEFAULT.resolve() else [*before, name]


def make_command(config: str) -> str:
    """What makes the runs of a config, given by its path or its name."""
    if is_fresh(config):
        return fresh_command(config)
    file = Path(config_file(config))
    ours = {DEFAULT: "make run", **{DEFAULT.with_stem(name): f"make {name}" for name in ("demo", "paper")}}
    makes = ours.get(file.resolve(), f"make run CONFIG={shlex.quote(str(file))}")
    return f"{makes}{results.words_of_make()}"


def fresh_command(config: str, papers: Collection[str] = ()) -> str:
    """What makes the runs with fresh seeds that claims of a config read: of all its papers, or of some."""
    file, some = Path(config_file(config)), ",".join(papers)
    if file.resolve() == DEFAULT.with_stem("paper"):
        return "make paper" + f" PAPER={some}" * bool(some) + f" FRESH=1{results.words_of_make()}"
    words = f"fresh=true name={FRESH}" + f" figures=[{some}]" * bool(some) + " grids=[]"
    return f'make run ARGS="--configfile {shlex.quote(str(file))} --config {words}"{results.words_of_make()}'


def check_owner(name: str, file: str) -> None:
    """Raise a UserError if the folder of a config's name is of another config's file, which is still there.

    In results that the call names, one with the same text is no other: they may be of another checkout.
    """
    folder = results.root() / name
    other = _owner(folder)
    if other and _place(folder, str(other)) != _place(folder, file) and other.is_file():
        if results.is_of_call() and other.read_bytes() == Path(file).read_bytes():
            return
        raise UserError(f"{folder} holds what {other} made: set `name:` in {file} for a folder of its own")


def note_owner(name: str, file: str) -> None:
    """Remember which config's file a folder is of, before something is written there; raises as ``check_owner``.

    A folder of a file with the same text stays that file's. A workflow notes whose a file is that it writes.
    """
    if is_written(file):
        return
    check_owner(name, file)
    folder = results.root() / name
    if not ((other := _owner(folder)) and other.is_file()):
        with write_or_explain(folder):
            write_if_changed(folder / OWNER, _place(folder, file))


def is_written(file: str) -> bool:
    """Whether a workflow wrote a config's file, among results: it was checked before."""
    path, root = Path(file).resolve(), results.root().resolve()
    return path.suffix == ".json" and path.parent.name == "parts" and path.parent.parent.parent == root


def _owner(folder: Path) -> Path | None:
    """The config's file that made a folder of results; None if the folder does not say it."""
    with suppress(OSError, ValueError):  # a name may be too long, or have a NUL byte
        return Path(os.path.normpath(folder.resolve() / (folder / OWNER).read_text(encoding="utf-8")))
    return None


def _place(folder: Path, file: str) -> str:
    """A file's path, from the folder: a copy of both finds its own file."""
    return os.path.relpath(Path(file).resolve(), folder.resolve())


def named_after(file: str) -> str:
    """The name of the config in a file."""
    return re.sub("[^a-z0-9]+", "-", Path(file).stem.lower()).strip("-") or "config"
