"""Draw a table of texts as a Matplotlib figure, from one dictionary per row."""

from collections.abc import Mapping, Sequence
from typing import Any

from structbench.bench.drawing import style
from structbench.bench.drawing.plotted import Drawn

ROW, CHARACTER, PADDING = 0.215, 0.073, 0.25  # inches: a row's height, the width of a character and of a gap


def draw_table(lines: Sequence[Mapping[str, str]]) -> Drawn:
    """Draw these rows, each from heading to text. The first row has the headings.

    A comma in a heading begins a new line of it.
    """
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    heads = {key: key.replace(", ", "\n") for key in (lines[0] if lines else ())}
    columns = [[*head.split("\n"), *(line[key] for line in lines)] for key, head in heads.items()]
    widths = [PADDING + CHARACTER * max(map(len, column)) for column in columns]
    deep = 1 + max((head.count("\n") for head in heads.values()), default=0)
    figure = Figure(figsize=(max(2.0, sum(widths)), ROW * (len(lines) + deep + 0.8)))
    wide, high = figure.get_size_inches()

    def write(text: str, x: float, row: float, **look: Any) -> None:
        figure.text(x / wide, 1 - ROW * row / high, text, ha="right", va="baseline", color=style.INK, **look)

    right = 0.0
    for (key, head), width in zip(heads.items(), widths, strict=True):
        right += width
        for k, words in enumerate(reversed(head.split("\n"))):
            write(words, right - PADDING / 2, deep - k, weight="bold")
        for k, line in enumerate(lines):
            write(line[key].replace("$", r"\$"), right - PADDING / 2, deep + 1.1 + k)
    level = [1 - ROW * (deep + 0.35) / high] * 2
    figure.add_artist(Line2D([0.01, 0.99], level, color="#777777", linewidth=0.7))
    return figure
