"""The pages: their links lead somewhere, they use the words of the glossary, and their examples work as pasted."""

import json
import re
from pathlib import Path

import pytest

from structbench.bench.__main__ import main
from structbench.bench.workflow import config

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "docs" / "results"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
OURS = [page for page in PAGES if PUBLISHED not in page.parents and page.name not in ("glossary.md", "api.md")]
DROPPED = r"\b(twins?|portraits?|stand-ins?|anew|dear|hangs on|but for|so many|what is left of|is none|alike|touched)\b"


def named(pages):
    return [pytest.param(page, id=page.relative_to(ROOT).as_posix()) for page in pages]


def text(page: str | Path) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def block(page: str, kind: str, number: int = 0) -> str:
    return re.findall(rf"```{kind}\n(.*?)```", text(page), re.DOTALL)[number]


def prose(page: Path) -> str:
    """A page without code blocks."""
    return re.sub(r"```.*?```", "", text(page), flags=re.DOTALL)


def anchor(heading: str) -> str:
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", shown.replace("`", "").strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", named(PAGES))
def test_links_lead_to_files_and_headings(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith(("http:", "https:", "mailto:")):
            continue
        path, _, heading = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        if heading and there.suffix == ".md":
            headings = {anchor(each) for each in re.findall(r"^#+ (.*)$", prose(there), re.MULTILINE)}
            assert heading in headings | {*re.findall(r'id="(.*?)"', prose(there))}, target


@pytest.mark.parametrize("page", named(OURS))
def test_pages_use_plain_words(page):
    words = re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose(page))
    assert not re.findall(DROPPED, words, re.IGNORECASE)
    assert not re.findall(r"effective (?:iterations|passes)", words, re.IGNORECASE), "passes"


def test_the_example_of_your_own_data_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page, sentences = "docs/how-to/your-data.md", block("docs/how-to/your-data.md", "text")
    Path("train.txt").write_text(sentences)
    Path("new.txt").write_text("the\ncat\nbarks\n")
    check, learn, label = (line.removeprefix("python -m bench ").split() for line in block(page, "sh").splitlines())
    assert main(check) == 0 and "chain, 153 weights" in capsys.readouterr().out
    assert main(learn) == 0 and json.loads(capsys.readouterr().out)["status"] == "converged"
    assert main(label) == 0 and capsys.readouterr().out.split() == ["the", "D", "cat", "N", "barks", "V"]
    Path("train.txt").write_text(f"{sentences}\n" * 4)
    Path("mine.yaml").write_text(block(page, "yaml"))
    found = config.read("mine.yaml")
    assert len({spec for specs in found.experiments.values() for spec in specs}) == 6
