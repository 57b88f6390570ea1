"""How Sphinx makes the site (`make docs`): the Markdown pages as they are, and what their marks ask for.

Where a page says `<!-- site: NAME ... -->`, the site has what the function NAME of `site_parts.py` returns.
On a repository's pages such a line cannot be seen.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import site_parts  # noqa: E402 - it lies beside this file

project = "structbench"
copyright = "structbench contributors"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "README"
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**"]
exclude_patterns = [  # folders that need not be searched
    ".*", "algorithms", "bench", "config", "datasets", "profiles", "results", "structbench*", "tests", "workflow",
    "docs/_*", "docs/results/explorer",
]  # fmt: skip
source_suffix = {".md": "markdown", ".ipynb": "notebook"}
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!structbench\.).*")]  # no network: names of other projects are not looked up
suppress_warnings = ["ref.python"]  # one imported for type checkers only, such as Run, may fit two classes

linkcheck_ignore = [r".*explorer/index\.html"]  # copied when all pages are written
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_url_schemes = {"http": None, "https": None, "mailto": None, "site": "{{path}}#{{fragment}}"}

autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
add_module_names = False
python_maximum_signature_line_length = 80
python_use_unqualified_type_names = True
default_role = "code"
highlight_language = "text"

html_theme = "pydata_sphinx_theme"
html_title = "structbench"
html_static_path = ["_site/site.css"]
html_css_files = ["site.css"]
html_additional_pages = {"index": "to_readme.html"}
templates_path = ["_site"]
html_copy_source = False
html_sidebars = {page: [] for page in site_parts.SECTIONS.values() if not page.endswith("README")}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}


def setup(app):
    app.add_source_parser(site_parts.Notebook)
    app.connect("autodoc-process-docstring", site_parts.adapt_docstring)
    app.connect("autodoc-process-signature", site_parts.adapt_signature)
    app.connect("source-read", site_parts.fill_in)
    app.connect("build-finished", site_parts.copy_explorer)
    return {"parallel_read_safe": True}
