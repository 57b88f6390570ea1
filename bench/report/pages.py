"""HTML pages that need no network: a template of this folder filled in, every text escaped.

The words for numbers, seconds and dates that the templates use are here, too.
"""

import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.files import atomic_file
from structbench.bench.drawing.draw import plural

TEMPLATES = Path(__file__).with_name("templates")
SHOWN = 200  # letters of a caption that are not folded, some two lines


def write(out: Path, template: str, **contents: object) -> None:
    """Fill in a template of the folder ``templates``; the file ``out`` appears when it is complete.

    Raises:
        OSError: It cannot be written.
    """
    templates = environment(autoescape=True)
    templates.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    templates.filters |= {word.__name__: word for word in (number, duration, utc, plural, short, named, folded)}
    templates.globals["now"] = lambda: datetime.now(UTC).timestamp()
    page = templates.get_template(template).generate(**contents)
    with atomic_file(out) as partial, partial.open("w", encoding="utf-8") as file:
        file.writelines(page)


@cache  # it keeps the compiled templates
def environment(autoescape: bool) -> Any:
    """What fills in the templates of this folder: a name that a template misspells is an error."""
    import jinja2

    found = jinja2.Environment(autoescape=autoescape, trim_blocks=True, lstrip_blocks=True)
    found.loader, found.undefined = jinja2.FileSystemLoader(TEMPLATES), jinja2.StrictUndefined
    return found


def number(value: float | None, digits: int = 4) -> str:
    """A number with ``digits`` significant digits, or a dash."""
    if value is None:
        return "-"
    if 1 <= abs(value) < 1e9:
        whole, point, rest = f"{value:,.{max(0, digits - len(str(int(abs(value)))))}f}".partition(".")
        return (whole + point + rest.rstrip("0")).rstrip(".")
    return f"{value:.{digits}g}"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, whichever can be grasped."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def utc(seconds: float) -> str:
    """The date and minute of seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def short(commit: str) -> str:
    """The start of a hash, and the + of a checkout with changes."""
    return commit[:10] + ("+" if commit.endswith("+") else "")


def named(text: str) -> str:
    """The text as the name of a CSS class."""
    return "".join(letter if letter.isalnum() else "-" for letter in text)


def sentences(caption: str) -> list[str]:
    """The sentences of a caption."""
    return re.split(r"(?<=[.!?]) (?=[A-Z])", caption)


def folded(caption: str) -> tuple[str, str]:
    """A caption's first sentences, as many as two lines hold and at least one, and the others."""
    shown, *others = sentences(caption)
    for k, sentence in enumerate(others):
        if len(shown) + 1 + len(sentence) > SHOWN:
            return shown, " ".join(others[k:])
        shown += f" {sentence}"
    return shown, ""
