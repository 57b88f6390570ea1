"""A few rounds of each campaign, as its command line plays them."""

import json
import subprocess
import sys

import pytest

from tests.bench.tracking.servers import postgresql_programs
from tests.campaigns.mutants import AREAS
from tests.campaigns.rounds import ROOT


def played(name: str, rounds: int) -> None:
    words = [sys.executable, "-m", f"tests.campaigns.{name}", "--rounds", str(rounds)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["rounds"] == rounds


def test_every_program_is_in_an_area_of_changes():
    programs = {file for room in ("algorithms", "bench", "datasets") for file in (ROOT / room).rglob("*.py")}
    globs = [glob for area in AREAS.values() for glob in area.split()]
    assert programs == {file for glob in globs for file in ROOT.glob(glob)}


@pytest.mark.slow
def test_damaged_files_end_in_sentences():
    played("bad_input", 8)


@pytest.mark.slow
def test_no_false_certificate_is_believed():
    played("certificates", 60)


@pytest.mark.long
@pytest.mark.parametrize("name", ["kills", "surroundings"])
def test_what_is_disturbed_goes_on(name):
    played(name, 3)


@pytest.mark.long
@pytest.mark.skipif(postgresql_programs() is None, reason="PostgreSQL's server is not installed")
def test_servers_come_and_go():
    pytest.importorskip("psycopg2", reason="psycopg2 is not installed: `uv pip install --group postgresql`")
    played("servers", 2)
