"""What held, over all papers: kinds of sentences, and our numbers beside the papers'."""

import re

import pytest

from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.papers.claim_rows import Unjudged
from structbench.bench.papers.evidence import Evidence
from structbench.bench.report import fresh_verdicts, judged_twice, their_tables, what_held
from structbench.bench.report.origin import NEAREST, ORIGINS
from structbench.bench.report.published import Published
from structbench.bench.workflow.paper_modules import title

FASTER = Evidence(
    {}, 3.0, band=1.1, theirs=2.5, low=2.0, high=4.0, count=5, says="it takes {} times the passes",
    claimed="above", none=1.0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("says", "unit", "claimed", "kind"),
    [
        ("it takes {} times the seconds of a pass", "", "above", "time"),
        ("it takes {} passes", "", "number", "rate"),
        ("it errs {} more", "points of error", "above", "accuracy"),
        ("it keeps {} weights", "", "number", "number"),
        ("it keeps {} times the weights", "", "above", "order"),
    ],
)
def test_a_sentence_is_about_what_its_first_counted_number_measures(says, unit, claimed, kind):
    told = FASTER._replace(says=says, unit=unit, claimed=claimed)
    control = FASTER._replace(counted=False, says="{} seconds")
    assert what_held.kind_of([control, told]).partition(":")[0] == kind


def claim(name, verdict, *conditions, origin="own"):
    told = dict.fromkeys(("answer", "claim", "where", "theirs", "by"), "")
    return Published(
        id=name, row=name, verdict=verdict, conditions=[*conditions], holds=0, of=1, origin=origin, **told
    )


def test_numbers_are_compared_by_side_interval_and_ratio():
    opposite = FASTER._replace(value=0.5, low=0.4, high=0.6)
    few = FASTER._replace(value=5.0, low=float("-inf"), high=float("inf"))  # no interval: it cannot hold theirs
    exact = FASTER._replace(
        claimed="number", none=2.5, value=2.5, low=2.5, high=2.5
    )  # no width; a number has no side
    points = FASTER._replace(kind="difference", value=1.0, low=0.0, high=2.0, theirs=0.5, none=0.0)
    found = what_held.compared([[FASTER], [opposite], [few], [exact], [points]])
    assert found == (5, "3 of 4", "2 of 3", "1.1 (0.2 to 2)")
    assert what_held.compared([[exact]]) == (1, "-", "-", "1 (1 to 1)")


def test_a_number_of_a_paper_counts_once_and_all_of_ours_have_to_agree():
    opposite = FASTER._replace(value=0.5, low=0.4, high=0.6)
    same = [claim("eg2008/a", "open", FASTER, FASTER._replace(part=1), opposite, FASTER._replace(theirs=9.0))]
    numbers = what_held.numbers_of(same, {})["eg2008"]
    assert [[each.value for each in some] for some in numbers] == [[3.0, 3.0, 0.5], [3.0]]
    assert what_held.compared(numbers) == (2, "1 of 2", "0 of 2", "0.767 (0.333 to 1.2)")
    tabled = {("eg2008", "table2, error"): [(1.0, 9.0)]}
    assert len(what_held.numbers_of(same, tabled)["eg2008"]) == 1, "a number in a table counts there"
    assert not what_held.numbers_of([claim("eg2008/a", "open", FASTER, origin="substitute")], {})


def test_tables_have_each_number_once(tmp_path):
    (tmp_path / "figures.md").write_text(
        "# Figures\n\n## table2\n\n**A | b.**\n\n"
        "| C | iterations, theirs | iterations, ours | total, theirs | total, ours | seconds, theirs |\n"
        "| --- | --- | --- | --- | --- | --- |\n| 10 | 3.0 | 4.5 | 3.0 | 4.5 | 9 |\n"
        "| 1 | - | 4 | 5 | 6 | 1:20 |\n\n"
        "## table3\n\n| beam | 1, ours | 5, ours | 1, theirs | 5, theirs |\n| --- | --- | --- | --- | --- |\n"
        "| 1 | 93.1 | 92 | 93.9 | -1 |\n\n## fig\n\nNo table.\n"
    )
    assert their_tables.columns(tmp_path) == {
        (tmp_path.name, "table2, iterations"): [(4.5, 3.0)],
        (tmp_path.name, "table3"): [(93.1, 93.9), (92.0, -1.0)],
    }
    assert their_tables.columns(tmp_path / "none") == {}


def test_the_page_counts_verdicts_by_paper_data_and_kind(tmp_path):
    seconds = FASTER._replace(says="it takes {} seconds", theirs=float("nan"))
    slower = FASTER._replace(value=0.5, low=0.4, high=0.6, choice="from uniform u", counted=False)
    claims = [
        claim("eg2008/a", "reproduced", FASTER, slower),
        claim("eg2008/b", "reproduced", FASTER._replace(theirs=float("nan"))),
        claim("eg2008/c", "open", seconds._replace(low=0.5), slower._replace(value=3.0, low=2.0, high=4.0)),
        claim("eg2008/d", "open", seconds, origin="substitute"),
        claim("l1m3n2009/e", "reproduced", FASTER._replace(theirs=float("nan")), origin="recipe"),
    ]
    left = [(paper, Unjudged("It is *fast*.", "Section 1", "no measure")) for paper in ("eg2004", "eg2008")]
    columns = {("eg2008", "table2, error"): [(2.0, 1.0), (4.0, 1.0), (3.0, 0.0)]}
    left.append(("bcfw2013", left[0][1]))
    text = what_held.page(claims, left, columns, {"bcfw2013": 11})
    assert (
        "| paper | sentences | reproduced | weaker | in part | open | not reproduced | not run | not judged |"
        in text
    )
    assert "| Collins et al. 2008 (EG) | 4 | 2 | - | - | 1 | - | - | 1 |" in text
    assert "| Collins et al. 2008 (EG), from uniform u (1 from both) | 4 | 2 | - | - | - | 1 | - | 1 |" in text
    assert "| Bartlett et al. 2004 (EG) | 1 | - | - | - | - | - | - | 1 |" in text
    assert "| all that were run | 6 | 3 | - | - | 1 | - | - | 2 |" in text
    assert "| Lacoste-Julien et al. 2013 (BCFW) | 12 | - | - | - | - | - | 11 | 1 |" in text
    assert (
        "| Substitute data, in place of the paper's | Collins et al. 2008 (EG) | 1 | - | - | - | 1 | - |\n" in text
    )
    assert "| Data made here by the paper's recipe | Zhu et al. 2009 (l1-M3N) | 1 | 1 |" in text
    assert "| rate: passes, or the speed of convergence | 3 | 3 |" in text
    assert "| Collins et al. 2008 (EG) | 1 | 1 of 1 | 1 of 1 | 1.2 (1.2 to 1.2) |" in text
    assert "| Collins et al. 2008 (EG) | table2, error | 3 | 3 (1 to 3) |" in text
    assert r"| Collins et al. 2008 (EG) | It is \*fast\*. (Section 1) | no measure |" in text
    what_held.draw_what_held(what_held.numbers_of(claims, columns), columns, tmp_path / "plot.svg")
    assert "Collins" in (tmp_path / "plot.svg").read_text()


@pytest.mark.parametrize(("ours", "told"), [(1.9, False), (2.1, True)])
def test_the_plot_tells_numbers_that_are_far_from_the_papers(tmp_path, ours, told):
    far = {"eg2008": [[FASTER._replace(value=ours, theirs=1.0)]]}
    what_held.draw_what_held(far, {}, tmp_path / "plot.svg")
    assert (f"{ours:g} for 1" in (tmp_path / "plot.svg").read_text()) == told


def test_the_numbers_of_the_readme_are_those_of_the_published_page():
    text, claims = (ROOT / "README.md").read_text(), what_held.published_sentences(ROOT / "docs" / "results")
    said = re.findall(r"On the papers' own data (\d.*?)\[Some rules changed", text, re.DOTALL)[0]
    numbers = [*map(int, re.findall(r"\d+", said))]
    page = (ROOT / "docs" / "results" / "what-held.md").read_text()

    def counted(*kinds: str) -> list[int]:
        verdicts = [each.verdict for each in claims if each.origin in kinds]
        return [verdicts.count("reproduced"), len(verdicts)]

    nearest, others = (
        [kind for kind in NEAREST if kind != "own"],
        [kind for kind in ORIGINS if kind not in NEAREST],
    )
    start, uniform = (
        int(n) for n in re.findall(r"\| Collins .*?(?:\(\d+ from both\) )?\| \d+ \| (\d+) \|", page)[:2]
    )
    theirs = sum(each.origin == "own" and each.paper == "eg2008" for each in claims)
    left = int(re.findall(r"\| all that were run .*\| (\d+) \|$", page, re.MULTILINE)[0])
    of = counted("own")[1]
    assert numbers == [*counted("own"), *counted(*nearest), *counted(*others), of, theirs, start, uniform, left]
    sources = [each for paper in {each.paper for each in claims} for each in title(paper).split("), ")]
    assert f"the {('seven', 'eight', 'nine')[len(sources) - 7]} papers" in said, "sag2015 has two"
    twice = judged_twice.kept(ROOT / "docs" / "results").papers.values()
    stay = fresh_verdicts.share([each for paper in twice for each in paper.verdicts])
    assert f"{stay.partition(' (')[0]}. [All results]" in text


def test_the_published_page_is_what_the_published_results_say(tmp_path):
    """If it is not, `python -m bench publish --check` writes it."""
    results = ROOT / "docs" / "results"
    for file in [results / what_held.PAGE, *results.glob("*/*")]:
        if file.name in (what_held.PAGE, "published.json", "evidence.csv", "figures.md"):
            copy = tmp_path / file.relative_to(results)
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes(file.read_bytes())
    page = what_held.write_what_held(tmp_path).read_text()
    assert page == (results / what_held.PAGE).read_text()
    assert "table2-mnist, error | 24 |" in page and (tmp_path / what_held.PLOT).exists()
