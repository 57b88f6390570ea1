"""``bench claims``: a claim is found by its ID, with its paper or without."""

import json

import pytest

from structbench.bench.__main__ import main

ID = "beats-lbfgs-mnist"


@pytest.mark.parametrize("words", [f"eg2008 {ID}", ID, f"eg2008/{ID}", f"eg2008 eg2008/{ID}"])
@pytest.mark.parametrize("of", [["--published"], ["--config", "tiny"]])
def test_a_claim_is_found_by_its_id(words, of, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    assert main(["claims", *words.split(), *of, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [claim["id"] for claims in found.values() for claim in claims] == [f"eg2008/{ID}"]
    assert found["eg2008"][0]["answer"]
    assert main(["claims", *words.split(), *of]) == 0
    assert found["eg2008"][0]["answer"] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("beats-lbfg-mnist", "no claim has this ID: did you mean 'beats-lbfgs-mnist'? there are eg2004, eg2008"),
        ("eg2009", "unknown paper 'eg2009', and no claim has this ID: did you mean 'eg2008'?"),
        (f"eg2009 {ID}", "unknown paper 'eg2009': did you mean 'eg2008'?"),
        ("eg2008 beats-lbfg-mnist", "eg2008 has no claim 'beats-lbfg-mnist': did you mean 'beats-lbfgs-mnist'?"),
    ],
)
def test_an_id_that_is_wrong_is_said_with_the_right_one(words, said, capsys):
    assert main(["claims", *words.split(), "--published"]) == 2
    assert said in capsys.readouterr().err
