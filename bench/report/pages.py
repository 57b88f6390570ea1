"""Turn Markdown into HTML pages with style and scripts inside, and write the page of the curve explorer.

Markdown holds no HTML: what looks like it is shown as text. Links between pages in Markdown become links between
their HTML. ``figures.md`` and ``evidence.md`` are parts of the page of the ``README.md`` beside them.
"""

import html
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from os.path import normpath
from pathlib import Path, PurePosixPath
from string import Template
from typing import TYPE_CHECKING

from structbench.algorithms.runtime.files import atomic_file
from structbench.algorithms.runtime.names import plural
from structbench.bench.drawing.draw import DPI
from structbench.bench.report.markdown import TEMPLATES, slug

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

EXPLORER = (
    "curves.js",
    "choices.js",
    "opens.js",
    "drawing.js",
    "lines.js",
    "levels.js",
    "again.js",
    "explorer.js",
)
PARTS = ("figures", "evidence")  # of the page of README.md
PIXELS = 90  # of a page, for an inch of a figure: three panels fit a screen


def write(
    file: Path, title: str, parts: Iterable[Path], links: Iterable[tuple[str, str]], data: object = None
) -> None:
    """Write the page of some files of Markdown, in their order.

    Args:
        links: A title and an address for each page that there is.
        data: For the script.

    Raises:
        OSError: It cannot be written.
    """
    texts = [(part, part.read_text(encoding="utf-8")) for part in parts]
    shown = []
    for name, to in links:
        here = ' aria-current="page"' if normpath(file.parent / to) == normpath(file) else ""
        shown.append(f'<a href="{html.escape(to)}"{here}>{html.escape(name)}</a>')
    _write(
        file, "page.html", ["page.css"], ["page.js"],
        title=html.escape(title),
        links="\n".join(shown),
        body="\n".join(f'<div id="{it.stem}">\n{render(text, it.stem, it.parent)}</div>' for it, text in texts),
        data=_json(data),
    )  # fmt: skip


def write_explorer(
    file: Path, data: Mapping[str, list] | None = None, papers: Iterable[tuple[str, str]] = ()
) -> None:
    """Write the explorer of a report's runs, or without data that of published papers, each an id and a title.

    Raises:
        OSError: It cannot be written.
    """
    choices = "".join(f'<option value="{name}">{html.escape(title)}</option>' for name, title in papers)
    first = '<p><a href="index.html">Report</a></p>'
    choice = f'<label>Paper <select name="paper">{choices}</select></label>'
    _write(
        file, "explorer.html", ["page.css", "explorer.css"], EXPLORER,
        title=plural(len(data["runs"]), "run") if data else "published runs",
        first=first if data else choice,
        figure="Paper and figure" if data else "Figure",
        data=f'<script type="application/json" id="data">{_json(data)}</script>' if data else "",
        own="" if data else "'self' ",
    )  # fmt: skip


def _write(file: Path, template: str, styles: Iterable[str], scripts: Iterable[str], **values: str) -> None:
    values = {"own": ""} | values
    values |= {"style": "".join(map(_read, styles)), "script": "".join(map(_read, scripts))}
    values["policy"] = Template(_read("policy.html")).substitute(values)
    with atomic_file(file) as partial:
        partial.write_text(Template(_read(template)).substitute(values), encoding="utf-8")


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _json(data: object) -> str:
    """Data for a script: nothing in it ends the script."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def render(text: str, name: str = "", folder: Path | None = None) -> str:
    """Markdown as HTML, a section for each heading of the second level, with an address for each heading.

    Args:
        name: Of the file without its ending; addresses in ``PARTS`` begin with it.
        folder: Of its images, whose sizes are written then: all are drawn at one scale.
    """
    parser = _parser()
    tokens = parser.parse(text)
    for token, inside in pairwise(tokens):
        if token.type == "heading_open":
            place = slug("".join(child.content for child in inside.children or ()))
            token.attrSet("id", f"{name}/{place}" if name in PARTS else place)
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", link(str(child.attrGet("href"))))
            if child.type == "image":
                child.attrSet("loading", "lazy")
                for side, pixels in drawing_size(folder / str(child.attrGet("src"))).items() if folder else ():
                    child.attrSet(side, pixels)
    made = parser.renderer.render(tokens, parser.options, {}).replace('<a href="">', "<a>")
    made = made.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    first, *sections = re.split(r"(?=<h2 )", made)
    return first + "".join(f"<section>\n{section}</section>\n" for section in sections)


def drawing_size(file: Path) -> dict[str, str]:
    """The pixels that a page gives an image of matplotlib: as many for each inch; empty for another file."""
    if not file.is_file():
        return {}
    with file.open("rb") as image:
        start = image.read(1000)
    if start.startswith(b"\x89PNG"):
        inches = [int.from_bytes(start[at : at + 4], "big") / DPI for at in (16, 20)]
    else:
        points = re.search(rb'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"', start)
        inches = [float(each) / 72 for each in points.groups()] if points else []
    return {name: f"{PIXELS * length:.0f}" for name, length in zip(("width", "height"), inches, strict=False)}


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def link(to: str) -> str:
    """Where a link leads in HTML; empty if it leads to the documentation, which is not beside the pages."""
    page, _, anchor = to.partition("#")
    path = PurePosixPath(page)
    if path.suffix != ".md":
        return to
    if page.startswith("../../"):
        return ""
    if path.stem in PARTS:
        anchor = f"{path.stem}/{anchor}" if anchor else path.stem
    made = path.with_name("index.html") if path.stem in ("README", *PARTS) else path.with_suffix(".html")
    return f"{made}#{anchor}" if anchor else str(made)
