"""A few rounds of each campaign."""

import json
import subprocess
import sys

import pytest

from tests.campaigns.rounds import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rounds"), [("bad_input", 20), ("kills", 2), ("surroundings", 3)])
def test_nothing_is_wrong_in_a_few_rounds(name, rounds):
    words = [sys.executable, "-m", f"tests.campaigns.{name}", "--rounds", str(rounds)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["rounds"] == rounds
