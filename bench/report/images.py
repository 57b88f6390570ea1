"""Drawn figures as pages show them: files of a folder beside the pages, or data addresses in the page itself."""

import base64
import io
from pathlib import Path
from typing import Any
from urllib.parse import quote

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report.gathered import Figure

LARGEST_SVG = 300_000  # bytes; of a larger one the PNG is shown
SMALL = (320, 220)  # pixels: twice what they take on the page, for fine screens
COLOURS = 64  # of a small picture
TYPES = {"svg": "svg+xml", "png": "png"}


class Images:
    """The addresses of figures' images.

    folder: Where to put them, next to the pages; None: the addresses hold the images.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def full(self, figure: Figure) -> str:
        """The figure's SVG, or its PNG if that is large or was not drawn.

        Raises:
            UserError: It cannot be read.
        """
        sidecar = figure.file
        svg = sidecar.with_suffix(".svg")
        try:
            kind = "svg" if "svg" in figure.images and svg.stat().st_size <= LARGEST_SVG else "png"
            content = sidecar.with_suffix(f".{kind}").read_bytes()
        except OSError as error:
            raise _unreadable(sidecar, error) from error
        return self._address(f"{figure.paper}-{figure.stem}.{kind}", content)

    def small(self, figure: Figure) -> str:
        """The figure as a small PNG of a few kilobytes.

        Raises:
            UserError: It cannot be read.
        """
        return self._address(f"{figure.paper}-{figure.stem}.small.png", _small(figure.file))

    def size(self, figure: Figure) -> tuple[int, int]:
        """Width and height of the figure, in pixels of its PNG, so that a page keeps room for it."""
        return _opened(figure.file).size

    def _address(self, name: str, content: bytes) -> str:
        if self._folder is None:
            kind = TYPES[name.rpartition(".")[2]]
            return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
        self._folder.mkdir(exist_ok=True)
        (self._folder / name).write_bytes(content)
        return f"{self._folder.name}/{quote(name)}"


def _small(sidecar: Path) -> bytes:
    from PIL import Image, ImageFilter

    picture = _opened(sidecar).convert("RGB")
    picture.thumbnail([2 * side for side in SMALL], Image.Resampling.BOX, reducing_gap=1.0)
    picture = picture.filter(ImageFilter.MinFilter(3))  # thicker lines, or they fade
    picture.thumbnail(SMALL, Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.quantize(COLOURS).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _opened(sidecar: Path) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(io.BytesIO(sidecar.with_suffix(".png").read_bytes()))
    except (OSError, UnidentifiedImageError) as error:
        raise _unreadable(sidecar, error) from error


def _unreadable(sidecar: Path, error: OSError) -> UserError:
    name, reason = error.filename or sidecar.with_suffix(".png"), error.strerror or "it is no image"
    return UserError(f"cannot read {name} ({reason}): draw {sidecar.stem} again")
