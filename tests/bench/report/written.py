"""Reports that tests write and read: their pages, whose tags are closed and whose links lead somewhere."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote

from structbench.bench.report import explorer, report
from structbench.bench.runs import store


def write(results, runs=None, **rest):
    """The pages of the report by their addresses. Their tags are closed and their links lead somewhere."""
    runs = store.all_runs(results / "runs") if runs is None else runs
    index = report.write_report(results / "report", runs, results / "figures", results / "claims", **rest)
    folder = index.parent
    files = folder.rglob("*.html")
    pages = {file.relative_to(folder).as_posix(): file.read_text(encoding="utf-8") for file in files}
    for name, text in pages.items():
        assert Text(text).open == [], f"a tag of {name} is not closed"
        targets = re.findall(r'\bid="([^"]+)"', text)
        assert len(targets) == len({*targets}), name
        for link in () if name == explorer.NAME else re.findall(r'(?:href|src)="([^"]+)"', text):
            file, _, anchor = link.partition("#")
            there = (folder / name).parent / unquote(file) if file else folder / name
            assert file == "data:," or there.is_file(), f"{name}: {link}"
            if anchor and not anchor.startswith("of:") and there.name != explorer.NAME:
                to = pages[there.resolve().relative_to(folder.resolve()).as_posix()]
                assert f'id="{unquote(anchor)}"' in to, f"{name}: {link}"
    return pages


def in_order(text, *words):
    places = [text.index(each) for each in words]
    assert places == sorted(places)


class Text(HTMLParser):
    """The words of a page, without tags, styles and scripts; spaces made one."""

    def __init__(self, page):
        super().__init__()
        self.words, self.skipping, self.open = [], False, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.skipping = tag in ("style", "script")
        if tag not in ("meta", "link", "img", "br", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass  # an image

    def handle_endtag(self, tag):
        self.skipping = False
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.skipping:
            self.words += data.split()

    def __str__(self):
        return " ".join(self.words)
