"""The explorer of published runs: a folder that opens from a disk and holds the curves that figures draw."""

import json
import shutil
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report import publish, published, published_check, published_explorer
from structbench.bench.verbs.sharing import _check_published
from tests.bench import fake_runs
from tests.bench.chromium import BINARY
from tests.bench.report.explorer_page import choose, drawn, lines

PUBLISHED = Path(__file__).resolve().parents[3] / "docs" / "results"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Runs, figures and claims of two papers."""
    folder = tmp_path_factory.mktemp("made")
    kinds = [(data, name) for data in fake_runs.EXAMPLES for name in ("eg", "lbfgs")]
    runs = [fake_runs.write(folder / "runs", data=data, algorithm=name) for data, name in kinds]
    runs.append(fake_runs.write(folder / "runs", C=1.0))  # no figure draws it
    fake_runs.figures(folder / "figures", runs)
    fake_runs.claims(folder / "claims", runs)
    shutil.copytree(folder / "figures" / "eg2008", folder / "figures" / "laso2005")
    return folder, runs


@pytest.fixture
def results(made, tmp_path):
    folder = shutil.copytree(made[0], tmp_path / "made")

    def make(*papers):
        out = folder / "results"
        publish.publish(out, made[1], folder / "figures", folder / "claims", papers)
        return out

    return folder / "figures", make


def data_of(file):
    text = file.read_text()
    assert text.startswith("begin(") and text.endswith(");\n")
    return json.loads(text[len("begin(") : -len(");\n")])


def test_a_paper_has_a_file_of_the_curves_that_its_figures_draw(results, made, capsys, monkeypatch):
    monkeypatch.setattr("structbench.bench.report.history.outside_history", lambda commits: {})
    figures, make = results
    (figures / "eg2008" / "fig04-ocr.csv").write_text("C,passes\n10,3\n")  # a table
    out = make("eg2008", "laso2005")
    folder, file = out / "explorer", out / "explorer" / "eg2008.js"
    assert {each.name for each in folder.iterdir()} == {"index.html", "eg2008.js", "laso2005.js"}
    data = data_of(file)
    drawn = sorted(run.key for run in made[1] if run.key.startswith("mnist__log__C=10__"))
    assert [run["key"] for run in data["runs"]] == drawn and len(data_of(folder / "laso2005.js")["runs"]) == 4
    assert data["paper"] == "eg2008" and [one["title"] for one in data["figures"]] == ["Figure 4 on mnist"]
    link = "explorer/index.html#paper=eg2008)"
    for page in (out / "README.md", out / "eg2008" / "README.md"):
        assert link in page.read_text()
    published_check.write_derived(out)
    assert _check_published(out) == 0 and "wrote" not in capsys.readouterr().err
    before, page = file.read_bytes(), folder / "index.html"
    page.write_text(page.read_text().replace("Explorer", "Mine"))
    assert _check_published(out) == 1 and f"wrote {page}: it was not" in capsys.readouterr().err
    assert "Mine" not in page.read_text()
    file.write_text("begin({});\n")
    assert published.altered(out / "eg2008") == ["../explorer/eg2008.js"] and _check_published(out) == 1
    assert "wrote" not in capsys.readouterr().err
    make("eg2008")
    assert file.read_bytes() == before and published.altered(out / "laso2005") == []
    shutil.rmtree(figures / "eg2008")
    make("eg2008")
    assert not file.exists() and link not in (out / "README.md").read_text()


def test_curves_are_thinned_until_they_fit_and_else_refused(results, monkeypatch):
    _, make = results
    full = (make("eg2008") / "explorer" / "eg2008.js").stat().st_size
    monkeypatch.setattr(published_explorer, "THIN_FROM", full // 2)
    out = make("eg2008")
    points = {len(run["curve"][0]) for run in data_of(out / "explorer" / "eg2008.js")["runs"]}
    assert points == {24}
    monkeypatch.setattr(published_explorer, "LARGEST", full // 2)
    with pytest.raises(UserError, match=r"the curves of laso2005 take .* 16 checkpoints a run, expected at most"):
        make("laso2005")
    assert published.papers_of(out) == ["eg2008"]


@pytest.mark.page
@pytest.mark.slow
@pytest.mark.skipif(BINARY is None, reason="Chromium is not installed")
def test_the_page_opens_from_a_disk_and_reads_the_paper_that_is_chosen(results, browser):
    page = results[1]("eg2008", "laso2005") / "explorer" / "index.html"
    browser.open("about:blank")
    browser.open(page.as_uri() + "#paper=laso2005&data=ocr")
    browser.wait_for("DATA")
    assert browser.evaluate("at('title').innerText") == "OCR letters, log loss, C = 10"
    assert lines(browser) == ["EG", "L-BFGS"] and len(drawn(browser)) == 2
    files = [Path(url).name for url in browser.requests if not url.startswith("data:")]
    assert files == ["index.html", "laso2005.js"] and browser.problems == []
    choose(browser, "paper", "eg2008")
    browser.wait_for("DATA.paper === 'eg2008'")
    assert browser.evaluate("location.hash") == "#paper=eg2008"
    choose(browser, "y", "error")
    assert "paper=eg2008" in browser.evaluate("location.hash") and len(drawn(browser)) == 2


@pytest.mark.skipif(not (PUBLISHED / "explorer").exists(), reason="no curves are published")
def test_the_published_page_is_that_of_this_checkout(tmp_path):
    """``python -m bench publish --check`` writes it."""
    shutil.copytree(PUBLISHED / "explorer", tmp_path / "explorer")
    published_explorer.write_page(tmp_path)
    made, kept = (folder / "explorer" / published_explorer.PAGE for folder in (tmp_path, PUBLISHED))
    assert made.read_bytes() == kept.read_bytes()
