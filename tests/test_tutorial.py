"""The tutorial's cells run from the first to the last, and say what its text says."""

import json
import re
from pathlib import Path

import matplotlib.pyplot as plt

from structbench.bench.runs import results

NUMBER = re.compile(r"\d+(\.\d+)?(e-\d+)?")  # machines differ in the last digits, and in seconds
PAGE = Path(__file__).resolve().parents[1] / "docs" / "start" / "tutorial.ipynb"


def test_the_tutorial_runs(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))  # the tutorial changes it
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    made: dict = {}
    for code in codes:
        exec(compile(code, str(PAGE), "exec"), made)
    plt.close("all")
    assert made["crf"].summary["relative_gap"] <= 1e-6
    assert made["chances"].sum(axis=1).round(9).tolist() == [1.0] * len(made["sentence"])
    stored = "".join("".join(out["text"]) for cell in cells for out in cell.get("outputs", []) if "text" in out)
    shown, kept = (NUMBER.sub("0", text) for text in (capsys.readouterr().out, stored))
    assert shown == kept, "make the notebook's outputs again"
