"""Pages in Markdown, filled in from templates."""

from collections.abc import Mapping

from structbench.bench.papers import verdicts
from structbench.bench.report import pages


def filled_in(template: str, **contents: object) -> str:
    environment = pages.environment(autoescape=False)  # Markdown: ``cell`` escapes what would be markup
    environment.filters |= {"cell": cell, "count_of": verdicts.tally, "sentences": pages.sentences}
    environment.filters["anchor"] = lambda name: name.partition("/")[2].lower()
    return environment.get_template(template).render(**contents)


COLOURS = {
    "reproduced": "#1a7f46", "at least in part": "#8fbf9f", "in part": "#d9a441", "open": "#b8bfc7",
    "not reproduced": "#c4302b", "not run": "#e5e8eb",
}  # fmt: skip
WIDTH, HEIGHT = 240, 12  # pixels


def bar(counts: Mapping[str, int]) -> str:
    """A stacked bar of how many claims have which verdict, as SVG."""
    total, x, parts = sum(counts.values()), 0.0, []
    for verdict, colour in COLOURS.items():
        width = WIDTH * counts.get(verdict, 0) / total if total else 0.0
        if width:
            parts.append(f'<rect x="{x:.1f}" width="{width:.1f}" height="{HEIGHT}" fill="{colour}"/>')
            x += width
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>\n'


def cell(text: object) -> str:
    """Text as it can stand in a cell of a Markdown table."""
    said = str(text).replace("\n", " ").replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    return said.replace("*", "\\*").replace("_", "\\_")
