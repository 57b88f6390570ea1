"""What the site adds to the pages: contents of sections, references from docstrings, a gallery, the notebooks."""

import inspect
import json
import re
import shutil
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import GoogleDocstring

from structbench.algorithms.learning.declaration import Declaration
from structbench.algorithms.runtime.kernel import Kernel
from structbench.algorithms.structures.compiled import Operation
from structbench.bench.runs import algorithm_module, catalogue
from structbench.bench.runs.algorithm_files import by_family
from structbench.bench.sharing import citations

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
SECTIONS = {
    "Start": "docs/start/README",
    "How to": "docs/how-to/README",
    "Reference": "docs/reference/README",
    "Why": "docs/why/README",
    "Results": "docs/results/README",
    "Gallery": "docs/gallery",
    "Answers": "docs/answers",
    "Glossary": "docs/glossary",
    "Contributing": "CONTRIBUTING",
    "Changes": "CHANGELOG",
}
MARK = re.compile(r"<!-- site: (\w+)\s?(.*?)\s-->", re.DOTALL)
CHILD = re.compile(r"\]\(((?!\.\./|https?:)[\w/-]+)\.(?:md|ipynb)[#)]")  # a link to a page in or below the folder
EXPLORER = re.compile(r"\]\((?=[\w./]*explorer/index\.html)")
FIGURE = re.compile(r"^## (.+)\n\n(?:\*.*?\* )?\*\*(.+)\*\*\n((?:.+\n)*)\n!\[.*\]\((.+)\)$", re.MULTILINE)
CELL = r" ((?:\\.|[^|\\])+) \|"
CLAIM = re.compile(rf"^\| \*\*(.+?)\*\* \|(?:.*\|)?{CELL}{CELL} \[\d+ of \d+\]\(.*?\) \|{CELL}$", re.MULTILINE)
NAPOLEON: Any = Config(napoleon_use_ivar=True)
KIND = inspect.Parameter.POSITIONAL_OR_KEYWORD
DOCUMENTED = (FunctionType, type, Kernel, Operation)


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the parts of the site in place of a page's marks. A README's own links are its section's contents."""
    text = MARK.sub(lambda mark: "\n".join(PARTS[mark[1]](*mark[2].split())), source[0])
    if page == app.config.root_doc:
        text += _contents(f"{title} <{each}>" for title, each in SECTIONS.items())
    elif page.endswith("README"):
        text += _contents(dict.fromkeys(CHILD.findall(text)))
    source[0] = EXPLORER.sub("](site:", text)


def _contents(pages: Iterable[str]) -> str:
    return "\n".join(["", "```{toctree}", ":hidden:", *pages, "```", ""])


def reference(*names: str) -> list[str]:
    """The docstrings of modules, of classes with their members, and of functions."""
    return _rst(line for name in names for line in _documented(name, _named(name)))


def _named(name: str) -> object:
    """What a dotted name stands for. An attribute comes first: `structbench.results` is a folder, too."""
    place, _, last = name.rpartition(".")
    return getattr(import_module(place), last, None) or import_module(name)


def _documented(name: str, thing: object) -> list[str]:
    if isinstance(thing, ModuleType):
        public = {each: member for each, member in vars(thing).items() if each[0] != "_"}
        own = {each: member for each, member in public.items() if getattr(member, "__module__", "") == name}
        members = [(f"{name}.{each}", member) for each, member in own.items() if isinstance(member, DOCUMENTED)]
        return [f".. automodule:: {name}", "", *(line for each in members for line in _documented(*each))]
    if isinstance(thing, Operation):
        hints = thing._hints
        takes = [inspect.Parameter(each, KIND, annotation=hints.get(each, inspect._empty)) for each in thing.takes]
        vars(thing)["__signature__"] = inspect.Signature(takes, return_annotation=hints["return"])
    if not isinstance(thing, type):
        return [f".. autofunction:: {name}", ""]
    bases = [] if thing.__bases__ in ((object,), (tuple,)) else ["   :show-inheritance:"]
    return [f".. autoclass:: {name}", "   :members:", *bases, ""]


def algorithms() -> list[str]:
    """Each algorithm of ours, by family: what it asks for, what it does, and its parameters."""
    lines, family = [], ""
    for name, (folder, about) in sorted(by_family().items(), key=lambda each: (each[1][0], each[0])):
        module, declared = algorithm_module.algorithm(name), algorithm_module.declaration(name)
        lines += [f"## {folder.replace('_', ' ').capitalize()}", ""] if folder != family else []
        lines += [f"### `{name}`", "", *_facts(name, declared), ""]
        if isinstance(module, ModuleType):
            lines += _rst([f".. automodule:: {module.__name__}", "   :members: solve", ""])
        else:  # declared in YAML
            given = ", ".join(f"`{key}={value}`" for key, value in declared.parameters.items())
            lines += [f"{about}.", "", f"Parameters: {given}." if given else "", ""]
        family = folder
    return lines


def _facts(name: str, declared: Declaration) -> list[str]:
    """What an algorithm declares."""
    only = [f"{loss} with `{key}={value}`" for key, of in declared.loss_with.items() for value, loss in of.items()]
    random = "always" if declared.random else "never"
    if isinstance(declared.random, dict):
        random = "; ".join(f"`{key}` {', '.join(map(str, of))}" for key, of in declared.random.items())
    return [
        f"- In figures: {catalogue.label(name)}",
        f"- Loss: {', '.join([declared.loss, *only])}; penalty: {', '.join(declared.penalties)}",
        f"- Asks of a structure: {', '.join(catalogue.needs_of(name, {}))}",
        f"- Draws at random: {random}",
        *(f"- {citations.plain(key)}" for key in declared.references),
    ]


def gallery() -> list[str]:
    """Each published figure: its picture, its title, the sentences of a paper that it answers, and its caption."""
    lines = []
    for page in sorted(RESULTS.glob("*/figures.md")):
        text, folder = page.read_text(encoding="utf-8"), f"results/{page.parent.name}"
        answers_page = (page.parent / "README.md").read_text(encoding="utf-8")
        claims = CLAIM.findall(answers_page)
        lines += [f"#{answers_page.splitlines()[0]}", "", f"[All of its results]({folder}/README.md)", ""]
        lines += ["::::{container} gallery"]
        for stem, title, caption, picture in FIGURE.findall(text):
            first, *more = caption.splitlines()
            of = [claim[:3] for claim in claims if f"#{stem})" in claim[3]]
            answers = [f"- **{verdict}**: {sentence} {answer}" for verdict, sentence, answer in of]
            shown = f"[![{title}]({folder}/{picture})]({folder}/figures.md#{stem})"
            lines += [":::{container} figure", shown, "", f"**{title}** {first}", "", *answers, ""]
            lines += ["<details><summary>More of the caption</summary>", "", *more, "", "</details>", ":::"]
        lines += ["::::", ""]
    return lines


def _rst(lines: Iterable[str]) -> list[str]:
    return ["```{eval-rst}", *lines, "```", ""]


PARTS = {"reference": reference, "algorithms": algorithms, "gallery": gallery}


def adapt_docstring(app: Any, what: Any, name: str, thing: object, options: Any, lines: list[str]) -> None:
    """Keep equations, which are indented, as they are. Drop Python's own words for a field of a ``NamedTuple``."""
    kept, last = [], ""
    for line in lines:
        if line.startswith("    ") and kept and not kept[-1] and not last.startswith(" "):
            kept += ["::", ""]
        kept.append(line)
        last = line or last
    if lines and lines[0].startswith("Alias for field number"):
        kept = []
    what = "method" if what == "property" else what  # else the words before a colon would be its type
    lines[:] = GoogleDocstring(kept, NAPOLEON, app, what, name, thing, options).lines()


def adapt_signature(
    app: Any, what: Any, name: str, thing: object, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Write dots for a default that is no expression, such as ``<factory>``: Sphinx would not parse the rest."""
    return signature and re.sub("= <[^<>]*>", "= ...", signature), returns


class Notebook(MystParser):
    """A notebook as the page that its cells make."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: Any) -> None:
        super().parse(page_of(inputstring), document)


def page_of(notebook: str) -> str:
    """A notebook in Markdown."""
    return "\n".join(line for cell in json.loads(notebook)["cells"] for line in _cell(cell))


def _cell(cell: dict[str, Any]) -> list[str]:
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [text, ""]
    lines = ["```python", text, "```", ""]
    for output in cell["outputs"]:
        if picture := output.get("data", {}).get("image/png"):
            lines += [
                f'<img alt="What the cell draws" src="data:image/png;base64,{"".join(picture).strip()}">',
                "",
            ]
        elif said := "".join(output.get("text", "")):
            lines += ["```text", said.rstrip(), "```", ""]
    return lines


def copy_explorer(app: Sphinx, error: Exception | None) -> None:
    """Copy the explorer, a page of its own with scripts beside it."""
    if app.builder.format == "html" and not error:
        place = Path(app.outdir, "docs", "results", "explorer")
        shutil.copytree(RESULTS / "explorer", place, dirs_exist_ok=True)
