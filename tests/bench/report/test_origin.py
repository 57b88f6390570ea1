"""Which data are a paper's own, which stand in their place, which are made up."""

import pytest

from structbench.bench.report.origin import GENERATED, NONE, ORIGINS, OURS, OWN, RECIPE, SUBSTITUTE, origin
from structbench.datasets import data_ref


@pytest.mark.parametrize(
    ("paper", "data", "expected"),
    [
        ("eg2008", ["mnist"], OWN),
        ("eg2008", ["mnist:train=100"], OWN),
        ("eg2008", ["ocr"], SUBSTITUTE),
        ("eg2008", ["mnist", "ocr"], SUBSTITUTE),
        ("eg2008", ["mnist", "ocr", "toy-english:sentences=5"], GENERATED),
        ("eg2004", ["conll2002:sentences=1000"], SUBSTITUTE),
        ("eg2004", ["conll2003:eng.train,sentences=1000"], OWN),
        ("eg2004", ["crfsuite:mine.txt"], SUBSTITUTE),
        ("laso2005", ["conll2000:sentences=500"], OWN),
        ("laso2005", ["toy-english:task=joint"], GENERATED),
        ("l1m3n2009", ["synthetic:crf=1", "ocr"], OWN),
        ("l1m3n2009", ["synthetic:crf=1", "synthetic:crf=2"], RECIPE),
        ("klein2011", ["mnist", "ocr"], NONE),
        ("bcfw2013", ["ocr:costs=share", "conll2000:costs=share"], OWN),
        ("sag2015", ["ocr", "conll2000"], OWN),
        ("scaling", ["toy-english", "mnist"], OURS),
        ("grid-hinge", ["mnist"], OURS),
    ],
)
def test_the_origin_of_data(paper, data, expected):
    assert origin(paper, map(data_ref, data)) == expected
    assert expected in ORIGINS
