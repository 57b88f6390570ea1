"""Draw the figures of a paper, or of the user's grid, from finished runs. Nothing is run here.

Every figure becomes ``<stem>.png`` and ``.svg``, and ``.pdf`` if asked for; at the scale ``tiny``, a PNG alone.
``<stem>.csv`` has the numbers shown. The sidecar ``<stem>.json`` names the figure's runs, commit and data. The
same runs give the same files, byte for byte.
"""

import errno
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.names import plural
from structbench.bench.runs import records
from structbench.bench.runs.finished import Machine, Runs, machine_of, machines
from structbench.bench.runs.merged import is_merged
from structbench.datasets import DataRef

if TYPE_CHECKING:
    import matplotlib.figure

DPI = 150
# a date would make two drawings of the same runs differ
UNDATED = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}}

TIME = re.compile(r"seconds|CPU|\d s$")  # in a label or a cell
TICK_SPACING = 4  # pixels, between two numbers of an axis
LISTED = 3  # problems of a data set that a caption lists; of more it says how many there are
Rows = Iterable[dict[str, str]]  # of a table, each from heading to text
USUAL = ("png", "svg")  # a PDF takes longer than both


@dataclass(frozen=True)
class Figure:
    """What to draw, or the rows of a table; ``draw_figures`` gives the runs, without those that are missing."""

    title: str
    caption: str
    draw: "Callable[[Runs], matplotlib.figure.Figure | Rows]"


@dataclass(frozen=True, kw_only=True)
class Sidecar:
    """What a figure says of itself, ``STEM.json`` beside its images: what it shows, and of what it was made."""

    title: str
    caption: str
    paper: str = ""
    images: list[str] = field(default_factory=lambda: ["svg"])  # kinds of files
    runs: list[str]  # this and the next three: keys
    missing: list[str]
    stale: list[str] = field(default_factory=list)
    disturbed: list[str] = field(default_factory=list)  # whose seconds are shown and mean little
    commit: str
    data_sha256: dict[str, str]
    table: list[dict[str, str]] | None = None  # the rows of a table, each from heading to text
    failed: str | None = None  # why it cannot be drawn: its images hold a sentence

    def record(self) -> dict[str, object]:
        """The figure as its file holds it."""
        return {name: value for name, value in records.plain(self).items() if value is not None}


def read_sidecar(file: Path) -> Sidecar:
    """Raises:
    UserError: It is broken.
    """
    return records.read_record(Sidecar, file, "draw it again (`python -m bench figures`)")


def draw_figures(
    paper: str, figures: dict[str, Figure], runs: Runs, folder: Path, kinds: Iterable[str] | None = None
) -> list[Path]:
    """Draw figures (stem -> Figure) into ``folder/paper``; returns the sidecars' paths.

    If no run of a figure is finished, or drawing it raises an exception, a sentence says so in its place. In the
    second case the sidecar has the reason as ``failed``. ``kinds`` are of ``UNDATED``, by default ``USUAL``. The
    sidecar names them, and files of other kinds go.

    Raises:
        UserError: A file cannot be written.
    """
    kinds = tuple(USUAL if kinds is None else kinds)
    return [
        _draw(paper, stem, figure, runs.afresh(), Path(folder) / paper, kinds) for stem, figure in figures.items()
    ]


def _draw(paper: str, stem: str, figure: Figure, runs: Runs, folder: Path, kinds: tuple[str, ...]) -> Path:
    from structbench.bench.drawing import style

    try:
        files, about = _drawn(paper, figure, runs, kinds)
    except Exception as error:  # of any kind: the figure may be anybody's
        own = own_folders.place(f"bench/papers/{paper}")
        said = str(error) if isinstance(error, UserError) else f"it failed with {modules.failure(error, own)}"
        sentence = replace(figure, draw=lambda _: style.sentence(f"{stem} is not drawn: {said}"))
        files, about = _drawn(paper, sentence, runs, kinds)
        if runs.used or not runs.missing:
            about = replace(about, failed=said)
    sidecar = folder / f"{stem}.json"
    try:
        for kind, content in files.items():
            write_atomically(folder / f"{stem}.{kind}", content)
        for kind in UNDATED.keys() - set(kinds):  # of an earlier drawing
            (folder / f"{stem}.{kind}").unlink(missing_ok=True)
        write_atomically(sidecar, json.dumps(about.record(), indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        remedy = "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "make the folder writable"
        raise UserError(f"cannot write figure {stem} to {folder} ({error.strerror}): {remedy}") from error
    return sidecar


def _drawn(
    paper: str, figure: Figure, runs: Runs, kinds: tuple[str, ...]
) -> tuple[dict[str, bytes | str], Sidecar]:
    """The files of a figure, and what is said of it. Raises what its functions raise."""
    from structbench.bench.drawing import marks, plotted, style

    with style.context(), np.errstate(all="ignore"):  # what is not finite is left out
        drawn, table = _shown(figure, runs)
        joined = runs if _shows_seconds(drawn, table) else runs.joined([*runs.asked])
        if joined is not runs:
            more = _shown(figure, joined)
            if joined.is_of_one_cpu and not _shows_seconds(*more):
                runs, (drawn, table) = joined, more
        if len(machines(runs.used)) > 1 or any(map(is_merged, runs.used)):  # their seconds do not compare
            runs = runs.comparable([*runs.asked])
            drawn, table = _shown(figure, runs)
        if runs.missing and not runs.used:
            drawn = style.sentence(f"None of the {plural(len(runs.missing), 'run')} of this figure is finished.")
        marks.hide_open_ends(drawn.axes)
        caption = " ".join([figure.caption, *marks.explained(drawn.axes)])
        if layout := drawn.get_layout_engine():
            layout.execute(drawn)
            drawn.set_layout_engine(None)  # it is laid out now: once, not once for every kind of file
        _thin_ticks(drawn)
        shaken = runs.disturbed if _shows_seconds(drawn, table) else []
        if stale := runs.stale:
            style.mark(drawn, stale_runs(len(stale)))
        files: dict[str, str | bytes] = {kind: rendered(drawn, kind, bool(stale)) for kind in kinds}
        files["csv"] = plotted.csv_text([*table[0]], table) if table else plotted.as_csv(drawn)
    shas = {run.spec.data.text: run.summary["provenance"]["data_sha256"] for run in runs.used}
    return files, Sidecar(
        title=figure.title,
        caption=f"{caption} {provenance(runs, shaken)}",
        paper=paper,
        images=[*kinds],
        runs=[run.key for run in runs.used],
        missing=runs.missing,
        stale=runs.stale,
        disturbed=shaken,
        commit=", ".join(sorted({str(run.summary["provenance"]["git_commit"]) for run in runs.used})),
        data_sha256=dict(sorted(shas.items())),
        table=table,
    )


def _thin_ticks(figure: "matplotlib.figure.Figure") -> None:
    """Give linear x axes whose numbers would touch fewer numbers. Call it after layout."""
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    for axis in (axes.xaxis for axes in figure.axes if axes.get_visible()):
        for most in (5, 4, 3, 2):
            if not isinstance(axis.get_major_formatter(), ScalarFormatter) or axis.get_scale() != "linear":
                break
            boxes = [box for box in (label.get_window_extent() for label in axis.get_ticklabels()) if box.width]
            if all(left.x1 + TICK_SPACING < right.x0 for left, right in pairwise(boxes)):
                break
            axis.set_major_locator(MaxNLocator(most))


def _shown(figure: Figure, runs: Runs) -> tuple["matplotlib.figure.Figure", list[dict[str, str]] | None]:
    from matplotlib.figure import Figure as Drawn

    from structbench.bench.drawing.tables import draw_table

    made = figure.draw(runs)
    return (made, None) if isinstance(made, Drawn) else (draw_table(rows := [*made]), rows)


def _shows_seconds(drawn: "matplotlib.figure.Figure", table: Rows | None) -> bool:
    """Whether an axis, or a column or cell of the table, is of seconds."""
    texts = [text for axes in drawn.axes for text in (axes.get_xlabel(), axes.get_ylabel())]
    texts += [text for row in table or () for cell in row.items() for text in cell]
    return any(map(TIME.search, texts))


def stale_runs(count: int) -> str:
    """The warning beside a figure of stale runs."""
    return f"{plural(count, 'run')} of other programs, data or settings"


def rendered(drawn: "matplotlib.figure.Figure", kind: str, is_marked: bool = False) -> bytes:
    """The figure as a file of this kind, of ``UNDATED``."""
    buffer = io.BytesIO()
    whole = "tight" if is_marked else None  # a mark is written outside of the figure
    drawn.savefig(buffer, format=kind, dpi=DPI, metadata=UNDATED[kind], bbox_inches=whole)
    return buffer.getvalue()


def provenance(runs: Runs, shaken: Sequence[str] = ()) -> str:
    """Sentences that say how many runs, of what size, on which machine, and which are missing.

    shaken: those whose seconds are shown and mean little.
    """
    said = [_made_of(runs)] if runs.used else []
    if runs.missing:
        named = ", ".join(runs.missing[:3]) + (" ..." if len(runs.missing) > 3 else "")
        said.append(f"Missing: {plural(len(runs.missing), 'run')} ({named}).")
    if stale := runs.stale:
        said.append(f"Stale: {stale_runs(len(stale))} ({stale[0]} ...).")
    if shaken:
        said.append(f"Not timed alone, or disturbed: {plural(len(shaken), 'run')} ({shaken[0]} ...).")
    return " ".join(said)


def _made_of(runs: Runs) -> str:
    examples = {run.spec.data: run.summary["num_examples"] for run in runs.used}
    linear = [run for run in runs.used if run.summary.get("weights_of", "features") == "features"]
    weights = {run.spec.data: f", {run.summary['num_weights']:,} weights" for run in linear}
    groups: dict[str, list[DataRef]] = {}
    for data in sorted(examples):
        groups.setdefault(data.name, []).append(data)
    problems = "; ".join(
        _variants(name, [examples[data] for data in some])
        if len(some) > LISTED
        else "; ".join(f"{data.shown}: n = {examples[data]:,}{weights.get(data, '')}" for data in some)
        for name, some in groups.items()
    )
    threads = sorted({run.spec.threads for run in runs.used})
    each = " or ".join(map(str, threads)) + (" thread" if threads == [1] else " threads")
    first, *others = machines(runs.used)
    said = f"Drawn from {plural(len(runs.used), 'run')} of ours ({problems}) on {first[1]}, {each} a run."
    if count := sum(map(is_merged, runs.used)):
        said += f" {plural(count, 'run')} of these came from other machines with this type of CPU."
    elif others:
        away = sum(machine_of(run) != first for run in runs.used)
        alike = len({machine[:2] for machine in (first, *others)}) <= len(others)
        kept, *named = (_named(machine, alike) for machine in (first, *others))
        said += f" Seconds are those of {kept} alone: {plural(away, 'run')} on {' and '.join(named)} left out."
    return said


def _variants(name: str, sizes: Sequence[int]) -> str:
    least, most = min(sizes), max(sizes)
    return f"{len(sizes)} variants of {name}: n = {least:,}" + (f" to {most:,}" if most > least else "")


def _named(machine: Machine, with_versions: bool) -> str:
    more = [machine.host] * bool(machine.host) + [machine.versions] * with_versions
    return f"{machine.cpu} ({'; '.join(more)})" if more else machine.cpu
