"""Hide needless dots at the ends of lines, and explain a figure's dots, bands and leaders in captions."""

from collections.abc import Sequence

from structbench.bench.drawing import plotted
from structbench.bench.drawing.plotted import Axes

AT_END = 0.985  # of the width of a panel: from there on a line goes on to the end


def hide_open_ends(panels: Sequence[Axes]) -> None:
    """Remove the open dots of lines that go on to the end of the axis, where they say nothing."""
    for axes in panels:
        to_fraction = axes.transData + axes.transAxes.inverted()
        for drawn in plotted.lines(axes):
            if drawn.is_open and drawn.dot and to_fraction.transform((drawn.x[-1], drawn.y[-1]))[0] > AT_END:
                drawn.dot.remove()
                drawn.dot = None


def explained(panels: Sequence[Axes]) -> list[str]:
    """Sentences on what is drawn of lines besides: bands, dots at their ends, thin lines to their names."""
    shown = [(axes, line) for axes in panels for line in plotted.lines(axes)]
    dots = [line for axes, line in shown if line.dot and axes.viewLim.contains(line.x[-1], line.y[-1])]
    counts = sorted({len(line.runs) for _, line in shown if line.band})
    gaps = sorted({run.spec.gap for line in dots if not line.is_open for run in line.runs})
    said = []
    if counts:
        many = " to ".join(f"{count}" for count in sorted({counts[0], counts[-1]}))
        said.append(f"A line with a band is the mean over {many} repetitions, the band their range.")
        if any(run.summary["status"] == "diverged" for _, line in shown if line.band for run in line.runs):
            said.append("It ends where one of them diverged.")
    if gaps:
        said.append(
            f"A full dot ends runs that reached a relative gap of {' or '.join(f'{gap:g}' for gap in gaps)}."
        )
    if any(line.is_open for line in dots):
        said.append("An open dot ends runs that came to a limit before the axis ends.")
    if any(line.is_led for _, line in shown):
        said.append("Grey dots lead from the end of a line to its name.")
    return said
