"""Markdown of pages: cells, tables and bars."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template

COLOURS = {
    "reproduced": "#1a7f46", "weaker": "#8fbf9f", "in part": "#d9a441", "open": "#b8bfc7",
    "not reproduced": "#c4302b", "not run": "#e5e8eb",
}  # fmt: skip
TEMPLATES = Path(__file__).with_name("templates")
MARKUP = re.compile(r"[\\`*_|]")
WIDTH, HEIGHT = 240, 12  # pixels


def document(*blocks: str) -> str:
    """Headings, paragraphs and tables, with a blank line between each two; empty ones are left out."""
    return "\n\n".join(block.rstrip() for block in blocks if block) + "\n"


def quoted(*blocks: str) -> str:
    """A warning."""
    return "\n".join(f"> {line}".rstrip() for line in document(*blocks).splitlines())


def prose(name: str, **values: str) -> str:
    """The text that a page always has: a file of Markdown, with values in the place of their names."""
    text = Template((TEMPLATES / f"{name}.md").read_text(encoding="utf-8")).substitute(values)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def table(heading: Iterable[object], rows: Iterable[Sequence[object]]) -> str:
    """A table of cells that are Markdown already."""
    heads = [*heading]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in (heads, ["---"] * len(heads), *rows))


def bullets(lines: Iterable[str]) -> str:
    """A list of lines that are Markdown already."""
    return "\n".join(f"- {line}" for line in lines)


def cell(text: object) -> str:
    """Text of data as it can stand anywhere on a page: nothing in it is markup."""
    said = str(text).replace("\n", " ").replace("&", "&amp;").replace("<", "&lt;")
    return MARKUP.sub(r"\\\g<0>", said).replace("](", "]\\(")


def sentence(text: str) -> str:
    """A sentence of ours: what it has between backticks is in the type of programs."""
    return cell(text).replace("\\`", "`")


def code(text: object) -> str:
    """Text of data in the type of programs, if it can be."""
    said = str(text)
    return cell(said) if not said or {*said} & {*"`|\n"} else f"`{said}`"


def slug(heading: str) -> str:
    """The address of a heading in its page, as GitHub has it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def bar(counts: Mapping[str, int]) -> str:
    """A stacked bar of how many claims have which verdict, as SVG."""
    total, x, parts = sum(counts.values()), 0.0, []
    for verdict, colour in COLOURS.items():
        width = WIDTH * counts.get(verdict, 0) / total if total else 0.0
        if width:
            parts.append(f'<rect x="{x:.1f}" width="{width:.1f}" height="{HEIGHT}" fill="{colour}"/>')
            x += width
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>\n'
