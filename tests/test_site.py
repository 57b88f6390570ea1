"""What the site adds to the pages (docs/site_parts.py). `make docs` fails at a link that leads nowhere."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import structbench
from docs import site_parts
from structbench.algorithms.losses import terms
from structbench.algorithms.structures import interface, whole_splits
from structbench.bench.report import published
from structbench.bench.runs import algorithm_module

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
APP: Any = SimpleNamespace(config=SimpleNamespace(root_doc="README"))


def filled_in(page: str, text: str) -> str:
    source = [text]
    site_parts.fill_in(APP, page, source)
    return source[0]


def adapted(what: str, *lines: str) -> list[str]:
    kept = [*lines]
    site_parts.adapt_docstring(None, what, "name", None, None, kept)
    return kept


def test_pages_are_markdown_that_a_repository_shows():
    """They have no directives: marks, which nobody sees there, stand for what the site adds."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"^(:::|```\{)|(^|[\s(])\{\w+\}`", text, re.MULTILINE), page
        assert {name for name, _ in site_parts.MARK.findall(text)} <= site_parts.PARTS.keys(), page


def test_the_links_of_a_readme_are_the_contents_of_its_section():
    text = (
        "[one](one.md#there), [deep](a/b.md), [note](n.ipynb), [up](../up.md), [web](https://x/y.md), [1](one.md)"
    )
    contents = "```{toctree}\n:hidden:\none\na/b\nn\n```\n"
    assert filled_in("docs/why/README", text).endswith(contents)
    assert "toctree" not in filled_in("docs/why/page", text)
    assert "Start <docs/start/README>" in filled_in("README", text)


def test_each_page_is_in_the_contents_of_a_section():
    missing = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]
    reached = [ROOT / f"{page}.md" for page in site_parts.SECTIONS.values()]
    while reached:
        page = reached.pop()
        missing = [each for each in missing if each != page]
        links = site_parts.CHILD.findall(page.read_text(encoding="utf-8")) if page.stem == "README" else []
        reached += [page.parent / f"{link}.md" for link in links if (page.parent / f"{link}.md") in missing]
    assert not missing, "link to it in the README.md of its folder"


def test_the_explorer_is_linked_as_the_page_that_it_is():
    assert filled_in("a/b", "[c](../explorer/index.html#paper=x)") == "[c](site:../explorer/index.html#paper=x)"


def test_the_gallery_has_every_published_figure_with_what_it_says():
    gallery, shown = "\n".join(site_parts.gallery()), 0
    for paper in published.papers_of(site_parts.RESULTS):
        figures = (site_parts.RESULTS / paper / "figures.md").read_text(encoding="utf-8")
        name = (site_parts.RESULTS / paper / "README.md").read_text(encoding="utf-8").splitlines()[0]
        assert f"\n#{name}\n\n[All of its results]" in f"\n{gallery}", name
        for picture in re.findall(r"^!\[.*\]\((.*)\)$", figures, re.MULTILINE):
            assert f"](results/{paper}/{picture})](results/{paper}/figures.md#" in gallery, picture
            shown += 1
    assert gallery.count("::{container} figure") == shown > 50
    (entry,) = [part for part in gallery.split(":::{container} figure") if "figures.md#fig04c)" in part]
    assert "**eg2004, the hybrid of SMO and EG" in entry and "- **open**: A hybrid algorithm could" in entry
    assert "(Section 5; CoNLL-2002 Spanish) Open: the hybrid has" in entry
    assert "Dual objective of factored SMO" in entry and "reaches" not in entry


def test_the_reference_has_all_that_structbench_offers():
    marks = [names for page in PAGES for _, names in site_parts.MARK.findall(page.read_text())]
    asked = " ".join(marks).split()
    offered = {f"structbench.{name}" for name in structbench.OFFERED} - {"structbench.plot"}
    assert offered <= {*asked} and "structbench.bench.report.plot" in asked
    assert ".. autofunction:: structbench.results" in site_parts.reference("structbench.results")


NAMES = {
    terms: ("augment", "soft_max"),
    interface: ("scores", "marginals"),
    whole_splits: ("take", "label_sequences"),
}


@pytest.mark.parametrize("module", NAMES)
def test_the_reference_has_kernels_and_operations_with_their_arguments(module):
    lines = site_parts.reference(module.__name__)
    assert f".. automodule:: {module.__name__}" in lines
    for name in NAMES[module]:
        assert f".. autofunction:: {module.__name__}.{name}" in lines
    assert interface.scores.__doc__ == "out[r] = w . f(x_i, r)."


def test_every_algorithm_is_in_the_reference():
    lines = site_parts.algorithms()
    assert {f"### `{name}`" for name in algorithm_module.algorithms()} <= {*lines}
    at = lines.index("### `eg`")
    assert lines[at + 3 : at + 6] == [
        "- Loss: any; penalty: l2, elastic-A",
        "- Asks of a structure: parts, argmax, marginals",
        "- Draws at random: `mode` online; `order` random, permuted, gap",
    ]
    assert "- Loss: any, log with `method=lbfgs`, log with `method=l2sgd`; penalty: l2, elastic-A" in lines


def test_docstrings_keep_equations_and_words_before_a_colon():
    assert adapted("module", "It moves s,", "", "    s <- s * 2", "    * t,", "", "and so on.")[:6] == [
        "It moves s,", "", "::", "", "    s <- s * 2", "    * t,",
    ]  # fmt: skip
    assert adapted("property", "The column: CPU seconds.")[0] == "The column: CPU seconds."
    assert adapted("attribute", "Alias for field number 0") in ([], [""])
    assert ":param C: Strength." in adapted("function", "Fit.", "", "Args:", "    C: Strength.")


def test_signatures_have_defaults_that_are_expressions():
    given = "(a: list = <factory>, b: Annotated[float, '< 2', '> 1'] = 1.5)", "int"
    signature, returns = site_parts.adapt_signature(None, "class", "name", None, None, *given)
    assert (signature, returns) == ("(a: list = ..., b: Annotated[float, '< 2', '> 1'] = 1.5)", "int")


def test_a_notebook_is_a_page_of_its_cells():
    outputs = [{"text": ["said\n"]}, {"data": {"image/png": "aGk=\n"}}, {"data": {"text/plain": "<Figure>"}}]
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {"cell_type": "code", "source": ["x = 1"], "outputs": outputs},
    ]
    text = site_parts.page_of(json.dumps({"cells": cells}))
    assert text.startswith("# Title\nwords\n") and "```python\nx = 1\n```" in text and "```text\nsaid\n```" in text
    assert 'src="data:image/png;base64,aGk="' in text and "<Figure>" not in text
