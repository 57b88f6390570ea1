"""The rules' ``conda:`` lines, with a conda that notes what it is asked for: Snakemake installs nothing else."""

import json
import sys
from pathlib import Path

import pytest

CONDA = """#!/bin/sh
echo "conda $*" >> "{base}/calls"
case "$*" in
  "info --json") echo '{{"conda_prefix": "{base}", "platform": "linux-64"}}' ;;
  --version) echo "conda 25.1.0" ;;
  "config --get "*) echo '{{"get": {{"channel_priority": "strict"}}}}' ;;
  "env create "*) for prefix; do :; done; mkdir -p "$prefix/bin"; cp "{base}/python" "$prefix/bin/python" ;;
esac
"""
PYTHON = """#!/bin/sh
echo "python $* in $PWD" >> "{base}/calls"
case "$*" in "-m pip "*) ;; *) exec {python} "$@" ;; esac
"""
MINE = {
    "scale": "tiny",
    "figures": [],
    "grids": [{"name": "mine", "data": ["synthetic:sequences=100"], "C": [1], "algorithms": {"eg": None}}],
}


@pytest.fixture
def conda(checkout, tmp_path) -> Path:
    """The folder of a conda on the path of the checkout's commands, with the file ``calls``."""
    base = tmp_path / "conda"
    (base / "bin").mkdir(parents=True)
    for file, text in ((base / "bin" / "conda", CONDA), (base / "python", PYTHON)):
        file.write_text(text.format(base=base, python=sys.executable))
        file.chmod(0o755)
    (base / "bin" / "activate").write_text('PATH="$1/bin:$PATH"\n')
    checkout.env["PATH"] = f"{base / 'bin'}:{checkout.env['PATH']}"
    return base


def test_a_job_runs_in_the_environment_of_the_lock(checkout, conda):
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(MINE))
    code, said = checkout.snakemake("--sdm", "conda", "--configfile", "config/mine.yaml", "--until", "problem")
    assert code == 0, said
    calls = (conda / "calls").read_text().splitlines()
    created = [call for call in calls if call.startswith("conda env create")]
    assert len(created) == 1, calls
    install, itself, job = (call for call in calls if call.startswith("python"))
    assert install == f"python -m pip install --quiet --require-hashes -r requirements.lock in {checkout.folder}"
    assert itself == f"python -m pip install --quiet --no-deps --editable . in {checkout.folder}"
    assert job.startswith("python -m bench problem synthetic:")
