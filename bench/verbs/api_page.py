"""The page docs/reference/api.md: what ``import structbench`` offers, from its docstrings."""

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import structbench

PAGE = Path("docs", "reference", "api.md")
INTRODUCTION = """# What `import structbench` offers

Each name is `structbench.NAME`, except the last three: these are bases of the classes above. This page is
written from the docstrings: `python -m bench list --page`."""
SECTION = re.compile(r"(Args|Attributes|Raises|Returns|Warns):$")
ENTRY = re.compile(r" {4}([\w, *`]+): (.*)")
CODE = re.compile(r"``(.+?)``")


def text() -> str:
    """The page."""
    offered = {name: getattr(structbench, name) for name in sorted(structbench.OFFERED, key=str.lower)}
    parts = [INTRODUCTION]
    for name, thing in offered.items():
        parts += _offered(name, thing)
    for base, classes in _bases(offered).items():
        name = (
            base.__qualname__
            if base.__name__ not in offered
            else f"{base.__module__.rpartition('.')[2]}.{base.__name__}"
        )
        parts += [*_offered(name, base), f"It is the base of {', '.join(classes)}."]
    return "\n\n".join(parts) + "\n"


def _bases(offered: dict[str, object]) -> dict[type, list[str]]:
    """The classes of this project that are not offered themselves, and the offered ones that inherit from them."""
    found: dict[type, list[str]] = {}
    for name, thing in offered.items():
        for base in inspect.getmro(thing)[1:] if inspect.isclass(thing) else ():
            if base.__module__.startswith("structbench") and base not in offered.values():
                found.setdefault(base, []).append(name)
    return found


def _offered(name: str, thing: Any) -> Iterator[str]:
    if not isinstance(thing, ModuleType):
        yield from _described(name, thing, "##")
    if not (isinstance(thing, ModuleType) or inspect.isclass(thing)):
        return
    level, home = ("##", thing.__name__) if isinstance(thing, ModuleType) else ("###", thing.__module__)
    for each, member in vars(thing).items():
        function = isinstance(member, FunctionType) and member.__module__ == home
        if each[0] != "_" and (function or isinstance(member, property | cached_property)):
            yield from _described(f"{name}.{each}", member if function else inspect.getdoc(member) or "", level)


def _described(name: str, thing: Any, level: str) -> Iterator[str]:
    """A heading, the signature and the docstring; ``thing`` may be the docstring of a property."""
    yield f"{level} {name}"
    if not isinstance(thing, str):
        yield f"```text\n{name}{_signature(thing)}\n```"
    yield _markdown(thing if isinstance(thing, str) else inspect.getdoc(thing) or "")


def _signature(thing: Any) -> str:
    """Parameters with defaults; their types are in the source."""
    try:
        found = inspect.signature(thing)
    except ValueError:
        return "(...)"
    plain = [
        each.replace(annotation=inspect.Parameter.empty)
        for name, each in found.parameters.items()
        if name != "self"
    ]
    written = str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return written.replace("'", '"')  # as this project's style has it


def _markdown(doc: str) -> str:
    """A docstring of this project as Markdown: sections become lists."""
    lines, inside = [], False
    for line in doc.splitlines():
        if section := SECTION.match(line):
            lines += [f"**{section[1]}**", ""]
            inside = True
        elif inside and (entry := ENTRY.match(line)):
            lines.append(f"- `{entry[1].strip('`')}`: {entry[2]}")
        elif inside and line.strip():
            lines.append(f"  {line.strip()}")
        else:
            inside = inside and not line.strip()
            lines.append(line)
    return CODE.sub(r"`\1`", "\n".join(lines)).strip()
