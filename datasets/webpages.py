"""Your own web pages, elements of which you have labelled, as trees: ``webpages:FOLDER``.

``<span class="cost" data-label="Price">$12</span>``: an attribute names the label of an element. Pages are the
files of the folder, and of those in it, that end in .html, .htm or .xhtml. Links to folders are followed, each
folder once.
"""

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.problem import Problem
from structbench.datasets.web import boxes, html

LICENCE = "your own data"
STRUCTURE = "tree"
SCORES = ("attributes",)
ENDINGS = (".html", ".htm", ".xhtml")
EVERY = 5  # this one of each so many pages is tested on
LABELS = 100
GRAMS = 2 * 2**30  # bytes of the inner products of all pairs of elements of an example
NODES = (
    *(*boxes.NODES, "third", "css|above", "tag_before", "tag_after"),
    *("tag|tag_before", "tag|tag_after", "above_css"),
)
SPLITS = ("train", "test")


def load(
    files: Any, *, path: str, test: str | None = None, label: str = "data-label", record: str = "data-record"
) -> Problem:
    """The problem of a folder of pages and, maybe, a folder of test pages; ``files`` is not used.

    Test pages that are in the first folder, too, are not learned from, unless it is the test folder. Without a
    test folder, the pages in the folders ``train`` and ``test`` of the first are the splits. If it has none such,
    every fifth page, in the order of their paths, is tested on.

    Args:
        label: The attribute that names an element's label.
        record: The attribute of elements that are examples of their own. A page without any is one example.

    Raises:
        UserError: There is no page, or one is refused (``html.examples``). The labels are too many, or the
            examples too large to keep. An option is no name of an attribute.
    """
    for option, name in (("label", label), ("record", record)):
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", name):
            raise UserError(f"data set webpages: {option} must be an attribute in small letters, not {name!r}")
    marks = html.Marks(label, record)
    pages = [[html.examples(file, marks) for file in each] for each in splits(path, test)]
    learn, evaluate = ([box for page in each for box in page] for each in pages)
    attributes = tuple(sorted({name for box in learn for name in _labels(box)} - {html.OTHER, html.ABOVE}))
    if len(attributes) > LABELS:
        raise UserError(f"{path}: expected at most {LABELS} labels, found {len(attributes)}: {label} names kinds")
    for where, each in ((path, learn), (test or path, evaluate)):
        size = 8 * sum(len(list(_labels(box))) ** 2 for box in each)
        if size > GRAMS:
            raise UserError(
                f"{where}: inner products of all pairs of elements of an example take {size / 2**30:.1f} GB, "
                f"expected at most {GRAMS >> 30}: mark smaller examples with {record}, or give fewer pages"
            )
    names = (*attributes, html.ABOVE, html.OTHER)
    made = boxes.page_problem(learn, evaluate or learn[:1], names, attributes, attributes, "tree", "sparse", NODES)
    counts = [len(page) for page in pages[0]]  # a page's examples stay together in folds
    documents = np.repeat(np.arange(len(counts)), counts) if len(counts) > 1 else None
    return made._replace(documents=documents) if evaluate else made._replace(documents=documents, test=None)


def user_files(path: str) -> list[str]:
    """The pages in a folder, in the order of their paths.

    Raises:
        UserError: There is no such folder, it cannot be read, or it has no page.
    """

    def refuse(error: OSError) -> None:
        raise UserError(f"{error.filename}: expected a folder that can be read, but: {error.strerror}") from None

    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise UserError(f"{path}: expected a folder of pages, which there is not")
    found, seen = list[Path](), {os.path.realpath(folder)}
    for at, inner, names in os.walk(folder, onerror=refuse, followlinks=True):
        found += [Path(at, name) for name in names]
        real = {name: os.path.realpath(os.path.join(at, name)) for name in sorted(inner)}
        inner[:] = [name for name, place in real.items() if place not in seen and not seen.add(place)]
    pages = sorted(str(file) for file in found if file.suffix.lower() in ENDINGS and file.is_file())
    if not pages:
        raise UserError(f"{path}: expected pages, files that end in {', '.join(ENDINGS)}; found none")
    return pages


def splits(path: str, test: str | None) -> tuple[list[Path], list[Path]]:
    """The training pages and the test pages; raises as ``user_files`` does."""
    if test is not None:
        learn, evaluate = user_files(path), user_files(test)
        if Path(path).resolve() != Path(test).resolve():  # who gives one folder twice wants the training error
            tested = {Path(page).resolve() for page in evaluate}
            learn = [page for page in learn if Path(page).resolve() not in tested]
        if not learn:
            raise UserError(f"{path}: all of its pages are test pages, in {test}: expected others to learn from")
    elif all(Path(path, name).expanduser().is_dir() for name in SPLITS):
        learn, evaluate = (user_files(str(Path(path, name))) for name in SPLITS)
    else:
        pages = user_files(path)
        evaluate = pages[EVERY - 1 :: EVERY]
        learn = [page for page in pages if page not in set(evaluate)]
    return [Path(file) for file in learn], [Path(file) for file in evaluate]


def _labels(box: boxes.Box) -> list[str]:
    """The labels of all boxes of a tree."""
    return [box.label, *(label for child in box.children for label in _labels(child))]
