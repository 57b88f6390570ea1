"""The pages: their links lead somewhere, they use the words of the glossary, and their examples work as pasted."""

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

import structbench
from structbench.bench.__main__ import main
from structbench.bench.measure import compared
from structbench.bench.report import performance, published
from structbench.bench.runs import catalogue
from structbench.bench.verbs import running
from structbench.bench.verbs.command_line import parse_words
from structbench.bench.workflow import config
from tests.bench.test_own_folder import commands, written

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "docs" / "results"
PAGES = sorted(
    [*(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "AGENTS")), *(ROOT / "docs").rglob("*.md")]
)
FILES = [
    f"/{file.relative_to(ROOT).as_posix()}"
    for folder in ("algorithms", "bench", "config", "datasets", "tests", "workflow")
    for file in (ROOT / folder).rglob("*.*")
]
OURS = [page for page in PAGES if PUBLISHED not in page.parents and page.name != "answers.md"]
DROPPED = "twins?|portraits?|stand-ins?|anew|dear|hangs on|but for|so many|what is left of|is none|alike|touched"


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


@pytest.mark.parametrize("page", named([page for page in OURS if page.parent.name in ("reference", "why")]))
def test_files_that_a_page_names_are_there(page):
    for name in re.findall(r"`([\w./-]+\.(?:py|toml|yaml))`", prose(page)):
        assert any(file.endswith(f"/{name}") for file in FILES), name


def test_tests_that_pages_and_docstrings_name_are_there():
    """Names of five words or more: columns of curves, such as `test_error`, have fewer."""
    code = [ROOT / file[1:] for file in FILES if file.endswith(".py")]
    tests = {name for file in code for name in re.findall(r"^def (test_\w+)", text(file), re.MULTILINE)}
    for file in (*OURS, *code):
        asked = re.findall(r"`(test(?:_[a-z0-9]+){4,})`", text(file))
        assert {*asked} <= tests, file


@pytest.mark.parametrize("page", named([page for page in OURS if "bench run " in text(page)]))
def test_runs_that_a_page_advises_are_accepted(page):
    joined = text(page).replace("\\\n", " ")
    advised = re.findall(r"^(?:\.venv/bin/)?python -m bench (run .*)$", joined, re.MULTILINE)
    for words in (shlex.split(line, comments=True) for line in advised if "--with" not in line):
        assert running.asked(parse_words(words)), words


@pytest.mark.parametrize("page", named(PAGES))
def test_rows_of_a_table_have_as_many_cells_as_its_heading(page):
    for table in re.findall(r"(?:^ *\|.*\n)+", prose(page), re.MULTILINE):
        heading, *rows = [(len(re.findall(r"(?<!\\)\|", row)), row) for row in table.splitlines()]
        assert [row for bars, row in rows if bars != heading[0]] == []


@pytest.mark.parametrize("page", named([page for page in PAGES if page.parent.parent != PUBLISHED]))
def test_a_row_of_a_table_fits_on_a_screen(page):
    """In a repository's diff and search, too. Pages of papers have the papers' own sentences."""
    assert [line for line in prose(page).splitlines() if len(line) > 400] == []


@pytest.mark.parametrize("page", named(OURS))
def test_pages_use_plain_words(page):
    words = re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose(page))
    assert not re.search(r"^(<{7}|={7}|>{7})", words, re.MULTILINE), "a conflict that nobody resolved"
    assert not re.findall(rf"\b({DROPPED})\b", words, re.IGNORECASE)
    assert not re.findall(r"effective (?:iterations|passes)", words, re.IGNORECASE), "passes"


@pytest.mark.parametrize("paper", [file.parent.name for file in sorted(PUBLISHED.glob("*/evidence.csv"))])
def test_each_sentence_that_did_not_reproduce_has_its_cause_on_the_page(paper):
    named = set(re.findall(rf"results/{paper}/evidence\.md#([\w-]+)", text("docs/why/not-reproduced.md")))
    verdicts = {claim.id.partition("/")[2].lower(): claim.verdict for claim in published.claims(PUBLISHED, paper)}
    assert {name for name, verdict in verdicts.items() if verdict == "not reproduced"} <= named
    assert not {verdicts[name] for name in named} & {"reproduced", "not run"}


def chart() -> dict[tuple[str, int], str]:
    """The chart of which algorithm to use: what its problem is, and how large -> what it advises."""
    (table,) = re.findall(
        r"^\| loss \| you want .*\n((?:\|.*\n)+)", text("docs/start/which-algorithm.md"), re.MULTILINE
    )
    found, problem = {}, ""
    for row in table.splitlines()[1:]:
        first, _, *cells = row.removeprefix("|").removesuffix("|").split("|")
        problem = first.strip() or problem
        for size, cell in enumerate(cells):
            found[problem, size] = found.get((problem, size), "") + cell
    return found


def test_the_chart_of_algorithms_names_the_winner_of_each_published_comparison():
    names = {catalogue.label(name): name for name in catalogue.algorithms()}
    advice = chart()
    soonest: dict[str, compared.Side] = {}
    for each in performance.kept(PUBLISHED).contests:
        if each.part in ("peers", "many") and each.quantity in ("distance-seconds", "gap-seconds"):
            soonest[each.what] = min(each.ours, soonest.get(each.what, each.ours), key=lambda side: side.middle)
    assert len(soonest) > 8
    for what, side in soonest.items():
        if "hinge loss" in what:
            problem = "hinge, classes" if "mnist" in what or "points" in what else "hinge, sequences, trees"
        else:
            problem = "log, `--penalty l1`" if what.endswith(", l1") else "log, softmax-margin"
        cell = advice[problem, 2 if "00000" in what else 1]
        assert re.search(rf"`{names[side.method.partition(',')[0]]}[`:]", cell), (what, side.method, cell)


def test_the_example_of_your_own_data_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page, sentences = "docs/how-to/your-data.md", block("docs/how-to/your-data.md", "text")
    Path("train.txt").write_text(sentences)
    Path("new.txt").write_text("the\ncat\nbarks\n")
    check, learn, label = (line.split()[3:] for line in block(page, "sh").splitlines())
    assert main(check) == 0 and "chain, 153 weights" in capsys.readouterr().out
    assert main(learn) == 0 and json.loads(capsys.readouterr().out)["status"] == "converged"
    assert main(label) == 0 and capsys.readouterr().out.split() == ["the", "D", "cat", "N", "barks", "V"]
    Path("train.txt").write_text(f"{sentences}\n" * 4)
    Path("mine.yaml").write_text(block(page, "yaml"))
    found = config.read_config("mine.yaml")
    assert len({spec for specs in found.experiments.values() for spec in specs}) == 6


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, in which examples are pasted."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    return tmp_path


def test_the_example_of_comparing_algorithms_works(here, capsys):
    page = "docs/how-to/config.md"
    (here / "config").mkdir()
    Path("config/chunks.yaml").write_text(block(page, "yaml"))
    assert len(structbench.grid("config/chunks.yaml")) == 11
    asked = block(page, "sh", 1).splitlines()
    assert len(asked) == 3
    for line in (*asked, block(page, "sh").splitlines()[1]):
        assert main(line.split()[3:]) == 0, line
    said = capsys.readouterr().out
    assert "by validation error" in said and "11     finished" in said
    assert re.search("by (CPU s|passes) to 0.1 %", said), "passes where runs are too short to time"


def test_the_example_of_using_a_model_works(here, capsys):
    page = "docs/how-to/models.md"
    Path("new.txt").write_text("the DT\ndog NN\n")
    lines = [*block(page, "sh").splitlines(), *block(page, "sh", 1).splitlines()]
    assert lines.pop(1) == "printf 'the DT\\ndog NN\\n' > new.txt" and len(lines) == 6
    for line in lines:
        assert main(line.split()[3:]) == 0, line
    assert Path("labelled.txt").read_text() == "the DT B-NP\ndog NN I-NP\n\n"
    assert capsys.readouterr().out.endswith("the DT B-NP\ndog NN I-NP\n\n")
    names = {}
    exec(block(page, "python"), names)
    assert names["model"].predict("new.txt") == [["B-NP", "I-NP"]]


def test_the_algorithm_and_the_paper_of_contributing_work(here):
    page, paper = "CONTRIBUTING.md", Path("mine/papers/new2026")
    algorithm, told, row = block(page, "python"), block(page, "python", 1), block(page, "toml")
    assert len(algorithm.splitlines()) <= 35 and len((told + row).splitlines()) <= 60
    config = f"with: {here / 'mine'}\nscale: quick\nfigures: [new2026]\n"
    written(here, {"mine/algorithms/plain_sgd.py": algorithm, "c.yaml": config})
    written(here / paper, {"__init__.py": told, "claims.toml": row})
    run = "run --data toy-points:kind=overlapping --loss log --C 1 --passes 200 --algorithm"
    lines = [f"{run} eg --seed {seed}" for seed in range(3)]
    env = {"STRUCTBENCH_RESULTS": str(here)}
    checked, *made = commands(f"check {here / 'mine'}", *lines, f"{run} lbfgs", **env)
    (judged,) = commands(f"claims new2026 --config {here / 'c.yaml'}", **env)
    assert checked[0] == 0 and "algorithm plain-sgd: all is well" in checked[1]
    assert "paper new2026: all is well" in checked[1]
    assert [code for code, _ in (*made, judged)] == [0] * 5 and "1 not reproduced" in judged[1], judged[1]


def test_the_page_of_clusters_names_what_there_is():
    page = text("docs/how-to/clusters.md")
    profile = yaml.safe_load(text("workflow/profiles/slurm/config.yaml"))
    for key in ("group-components", "preemptible-retries", "jobs", "default-resources"):
        assert f"`{key}`" in page and key in profile, key
    for file in re.findall(r"(?:workflow|config)/[\w/.-]+(?:yaml|slurm)", page):
        assert (ROOT / file).exists(), file
