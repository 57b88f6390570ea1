"""The notebooks' cells run from the first to the last, and print what their pages show."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs" / "start").glob("*.ipynb"))
NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]\d+)?")  # machines differ in the last digits, and in seconds
BLANKS = re.compile(r"[ \t]+")


def shown(outputs: list[list[dict]]) -> list[list[str]]:
    """The texts of each cell without their numbers, and how many pictures it has."""
    return [
        [BLANKS.sub(" ", NUMBER.sub("0", "".join(each.get("text", ["a picture"])))) for each in cell]
        for cell in outputs
    ]


@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_a_notebook_prints_what_its_page_shows(page, tmp_path):
    """Otherwise its outputs are written again: read them before you commit them."""
    kept = json.loads(page.read_text(encoding="utf-8"))
    codes = [cell for cell in kept["cells"] if cell["cell_type"] == "code"]
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in ("STRUCTBENCH_RESULTS", "STRUCTBENCH_WITH")
    }
    words = [sys.executable, str(ROOT / "tests" / "notebooks.py"), str(page)]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env=env | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if shown(found) != shown([cell["outputs"] for cell in codes]):
        for cell, outputs in zip(codes, found, strict=True):
            cell["outputs"] = outputs
        page.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        pytest.fail(f"{page.name} had other outputs: they are written again, read them before you commit them")


def test_the_tutorial_is_certified_and_each_notebook_has_a_picture():
    for page in PAGES:
        outputs = [each for cell in json.loads(page.read_text())["cells"] for each in cell.get("outputs", ())]
        assert any("data" in each for each in outputs), page
    said = (ROOT / "docs" / "start" / "tutorial.ipynb").read_text()
    (gap,) = re.findall(r"relative gap (\d\.\de-\d\d)\\n", said)
    assert float(gap) <= 1e-6
