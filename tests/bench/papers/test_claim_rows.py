"""Rows: every paper's claims.toml can be read, and a row that is wrong is named."""

import re
from pathlib import Path

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.papers.claim_rows import ADVERBS, rows

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
        ("[other]\n", "expected [[claim]] tables"),
        ("[[claim]\n", "is not TOML"),
    ],
)
def test_a_wrong_row_is_named(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=re.escape(said)):
        rows(file, {"m": max, "min": min})
