"""Drawn figures as data addresses, so that a page holds them itself: in full, and small for an overview."""

import base64
import io
import json
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError

LARGEST_SVG = 300_000  # bytes; of a larger one the PNG is shown
SMALL = (320, 220)  # pixels: twice what they take on the page, for fine screens
COLOURS = 64  # of a small picture


def full(sidecar: Path) -> str:
    """The figure next to its sidecar: its SVG, or its PNG if that is large or was not drawn.

    Raises:
        UserError: It cannot be read.
    """
    svg = sidecar.with_suffix(".svg")
    try:
        drawn = json.loads(sidecar.read_text(encoding="utf-8")).get("images", ["svg"])
        vector = "svg" in drawn and svg.stat().st_size <= LARGEST_SVG
        content = (svg if vector else sidecar.with_suffix(".png")).read_bytes()
    except OSError as error:
        raise _unreadable(sidecar, error) from error
    return _address("svg+xml" if vector else "png", content)


def small(sidecar: Path) -> str:
    """The figure next to its sidecar as a small PNG of a few kilobytes.

    Raises:
        UserError: It cannot be read.
    """
    from PIL import Image, ImageFilter, UnidentifiedImageError

    try:
        with Image.open(sidecar.with_suffix(".png")) as image:
            picture = image.convert("RGB")
    except (OSError, UnidentifiedImageError) as error:
        raise _unreadable(sidecar, error) from error
    picture.thumbnail([2 * side for side in SMALL], Image.Resampling.BOX, reducing_gap=1.0)
    picture = picture.filter(ImageFilter.MinFilter(3))  # thicker lines, or they fade
    picture.thumbnail(SMALL, Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.quantize(COLOURS).save(buffer, "PNG", optimize=True)
    return _address("png", buffer.getvalue())


def _address(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _unreadable(sidecar: Path, error: OSError) -> UserError:
    name, reason = error.filename or sidecar.with_suffix(".png"), error.strerror or "it is no image"
    return UserError(f"cannot read {name} ({reason}): draw {sidecar.stem} again")
