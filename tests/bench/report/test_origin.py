"""Which data are a paper's own, which stand in their place, which are made up."""

from pathlib import Path

import pytest

from structbench.bench.report import published, published_claims
from structbench.bench.report.origin import GENERATED, ORIGINS, OURS, OWN, SUBSTITUTE, origin


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
        ("scaling", ["toy-english", "mnist"], OURS),
        ("grid-hinge", ["mnist"], OURS),
    ],
)
def test_the_origin_of_data(paper, data, expected):
    assert origin(paper, data) == expected
    assert expected in ORIGINS


def test_a_published_claim_without_runs_keeps_the_origin_of_its_data(monkeypatch):
    claims = {"loops-ocr": {"runs": [], "origin": "substitute"}, "older": {"runs": [0]}}
    monkeypatch.setattr(published, "record", lambda folder: {"claims": claims})
    monkeypatch.setattr(published, "code", lambda folder: {"ocr__log__C=1__eg": ""})
    assert published_claims.origins(Path(), "eg2008") == {"loops-ocr": "substitute", "older": "substitute"}
