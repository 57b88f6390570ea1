"""Hash a Python file by its syntax tree, so that comments do not count, and list the files that it imports.

Comments, docstrings, references and layout do not count. Nor does what only a type checker reads: ``typing.cast``,
and ``...`` below a docstring. Annotations count, since those of structures give the types of arrays. Calls of our
``REFUSALS`` do not count: they end a run, or do nothing.
"""

import ast
import hashlib
import re
from pathlib import Path
from typing import Any

PACKAGE = "structbench"  # of which all rooms are parts
REFUSALS = {f"{PACKAGE}.{room}" for room in ("algorithms.learning", "bench.runs")}  # which have refusals.py
LEFT_OUT = {"ctx", "kind", "type_comment", "type_ignores"}  # of syntax trees: what says nothing, or not always


def sha256(tree: ast.Module) -> str:
    """Hash of what a program says; all versions of Python give the same. The tree is changed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
            if [ast.unparse(each) for each in node.body] == ["..."]:
                node.body = []
        if isinstance(node, ast.Call):
            node.keywords = [each for each in node.keywords if each.arg != "references"]
        if isinstance(node, ast.Module):
            node.body = [each for each in node.body if not _is_references(each)]
    if any(_casts(node) for node in ast.walk(tree)):
        tree = _WithoutCasts().visit(tree)
    if any(_has_refusals(node) for node in ast.walk(tree)):
        tree = _WithoutRefusals().visit(tree)
    return hashlib.sha256(text(tree).encode()).hexdigest()


def _is_references(node: ast.stmt) -> bool:
    """Whether a statement is what a data set declares, ``REFERENCES = ("key", ...)``."""
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "REFERENCES"


def _casts(node: ast.AST) -> bool:
    if not isinstance(node, ast.ImportFrom) or node.module != "typing":
        return False
    return any(each.name == "cast" for each in node.names)


class _WithoutCasts(ast.NodeTransformer):
    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        if _casts(node):
            node.names = [each for each in node.names if each.name != "cast"]
        return node if node.names else None

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.args[1] if isinstance(node.func, ast.Name) and node.func.id == "cast" else node


def _has_refusals(node: ast.AST) -> bool:
    if not isinstance(node, ast.ImportFrom) or node.module not in REFUSALS:
        return False
    return any(each.name == "refusals" and each.asname is None for each in node.names)


class _WithoutRefusals(ast.NodeTransformer):
    """Takes out each statement ``refusals.NAME(...)`` whose arguments are names and attributes alone."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        if _has_refusals(node):
            node.names = [each for each in node.names if each.name != "refusals"]
        return node if node.names else None

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        called = node.value.func if isinstance(node.value, ast.Call) else None
        if not isinstance(called, ast.Attribute) or ast.unparse(called.value) != "refusals":
            return node
        plain = ast.Call, ast.Attribute, ast.Name, ast.Load, ast.keyword
        parts = [*ast.walk(node.value)]
        is_plain = all(isinstance(each, plain) for each in parts)
        return None if is_plain and sum(isinstance(each, ast.Call) for each in parts) == 1 else node


def text(node: Any) -> str:
    """A syntax tree as text: its fields by name, without empty ones, in which versions of Python differ."""
    if isinstance(node, ast.JoinedStr):  # Python 3.12 has empty pieces in some
        node.values = [each for each in node.values if getattr(each, "value", None) != ""]
    if isinstance(node, ast.AST):
        fields = ((name, getattr(node, name, None)) for name in node._fields if name not in LEFT_OUT)
        said = [f"{name}={text(value)}" for name, value in fields if value is not None and value != []]
        return f"{type(node).__name__}({','.join(said)})"
    if isinstance(node, list):
        return f"[{','.join(map(text, node))}]"
    return repr(node)


def imports(tree: ast.Module, file: Path) -> list[str]:
    """The files that a program may import, and the ``__init__.py`` of the rooms on the way there."""
    modules = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = file.parts[: len(file.parts) - node.level]
            room = ".".join((PACKAGE, *above, *filter(None, [node.module])))
            package = room if node.level else node.module or ""
            modules += [package, *(f"{package}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            modules += [each.name for each in node.names]
    paths = [Path(*path) for package, *path in (module.split(".") for module in modules) if package == PACKAGE]
    rooms = dict.fromkeys(room for path in paths for room in (path, *path.parents) if room.parts)
    return sorted({*(f"{path}.py" for path in paths), *(f"{room}/__init__.py" for room in rooms)})


def beside(text: str) -> set[str]:
    """The files beside a script that it may import."""
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError):  # it is for another Python: each word may be a module
        return {f"{name}.py" for name in re.findall(r"\w+", text)}
    names = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    names |= {f"{node.module or ''}.{each.name}".strip(".*") for node in froms for each in node.names}
    modules = (Path(*name.split(".")) for name in names)
    paths = {path for each in modules for path in (each, *each.parents) if path.name}
    return {f"{path.as_posix()}{end}" for path in paths for end in (".py", "/__init__.py")}
