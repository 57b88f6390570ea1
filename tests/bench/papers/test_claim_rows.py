"""Rows: every paper's claims.toml can be read, and a row that is wrong is named."""

import re
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.papers.claim_rows import ADVERBS, rows, unjudged

FILES = sorted((ROOT / "bench" / "papers").glob("*/*claims.toml"))
PLAIN = '[[claim]]\nid = "a"\nwhere = "Figure 1"\ntext = "It is."\nmeasure = "m"\nsays = "it is {}"\n'


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}-{file.stem}" for file in FILES])
def test_the_rows_of_a_paper(file: Path) -> None:
    for row in rows(file):
        assert row.where and row.text and row.text[-1] in '.!?")', row.id
        for part in row.parts:
            assert part.says.count("{}") == 1, f"{row.id}: {part.says}"
            assert len(part.says) <= 70, f"{row.id}: {part.says}"
            assert part.adverb in (*ADVERBS, "around", "")


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}-{file.stem}" for file in FILES])
def test_sentences_that_are_not_judged_have_a_quote_and_a_reason(file: Path) -> None:
    said, judged = unjudged(file), {row.text for row in rows(file)}
    assert all(each.text[-1] in ".!?" and each.where and not each.reason.endswith(".") for each in said)
    assert len({each.text for each in said} - judged) == len(said), "one is there twice, or is judged"


@pytest.mark.parametrize("lacking", ["text", "where", "reason"])
def test_a_sentence_that_is_not_judged_without_its_reason_is_refused(lacking: str, tmp_path: Path) -> None:
    given = {"text": "It is fast.", "where": "Section 1", "reason": "no measure"} | {lacking: ""}
    file = tmp_path / "claims.toml"
    file.write_text(PLAIN + "[[unjudged]]\n" + "".join(f'{key} = "{said}"\n' for key, said in given.items()))
    assert len(rows(file)) == 1
    with pytest.raises(UserError, match=f"claims.toml, unjudged .*: no {lacking}"):
        unjudged(file)


def test_what_a_row_says(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(
        PLAIN
        + 'is = "number"\ntheirs = "5 passes"\nnumber = 5\nother = "lbfgs"\nC = [1, 10]\nfigures = ["fig1"]\n'
    )
    (row,) = rows(file)
    (part,) = row.parts
    assert (row.figures, row.theirs, part.compare, part.number) == (("fig1",), "5 passes", "number", 5.0)
    assert part.given == {"other": "lbfgs", "C": [1, 10]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PLAIN.replace('id = "a"\n', ""), "claim '?': no id"),
        (PLAIN.replace('measure = "m"\n', ""), "claim 'a': no measure"),
        (PLAIN + 'is = "about"\n', "claim 'a': is 'about', expected one of above"),
        (PLAIN + 'adverb = "wildly"\n', "adverb 'wildly', expected one of significantly"),
        (PLAIN + 'quantifier = "none"\n', "quantifier 'none', expected one of all, most, some"),
        (PLAIN + PLAIN, "a is there twice"),
        (PLAIN + '[[claim.part]]\nmeasure = "m"\nsays = "{}"\n', "measure, says belongs to a part"),
        (
            PLAIN.replace('"m"', '"minn"'),
            "claim 'a': unknown measure 'minn': did you mean 'min'? there are",
        ),
        ("[other]\n", "expected [[claim]] and [[unjudged]]"),
        ("[[claim]\n", "is not TOML"),
    ],
)
def test_a_wrong_row_is_named(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=re.escape(said)):
        rows(file, {"m": max, "min": min})
