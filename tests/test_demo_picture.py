"""README's picture is what `make demo` draws today, and the sentences below it say what it shows."""

import csv
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from structbench.bench.drawing import curves, method_looks
from structbench.bench.workflow import config

ROOT = Path(__file__).resolve().parent.parent
EG = "Exponentiated gradient (EG), with examples drawn by their duality gaps,"
NAMES = {EG: "EG, order gap", "EG in random order": "EG, order random"}
NAMES |= {"scikit-learn's saga": "scikit-learn", "L-BFGS": "L-BFGS"}
HOW = "make the demo again: docs/demo.png and docs/demo.csv are its figure and the numbers beside it"


@pytest.fixture(scope="module")
def drawn() -> dict[str, np.ndarray]:
    """Name of each line of the picture -> its points: seconds, distances."""
    found = defaultdict(list)
    with (ROOT / "docs/demo.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            assert row["kind"] == "line" and row["title"] == "C = 300", HOW
            found[row["series"]].append((float(row["x"]), float(row["y"])))
    return {name: np.array(points).T for name, points in found.items()}


def test_its_lines_have_todays_names_and_colours(drawn):
    names = method_looks.labels(config.read_config(str(ROOT / "config/demo.yaml")).specs)
    assert {*drawn} == {*names.values()}, HOW
    pixels = np.asarray(Image.open(ROOT / "docs/demo.png").convert("RGB")).reshape(-1, 3)
    for name, look in method_looks.looks(names).items():
        away = np.abs(pixels - 255 * np.array(to_rgb(look["color"]))).max(axis=1)
        assert (away < 1).sum() > 100, f"{name} has another colour: {HOW}"


def test_the_sentences_below_it_have_its_numbers(drawn):
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    first, rest = re.findall(r"\(MNIST.*?\)\.\* (.*?)\. On CoNLL", text)[0].split(" CPU seconds. ")
    seconds = {name: curves.settled(x, curves.decades_above(y, 1e-3)) for name, (x, y) in drawn.items()}
    best, said = first.split(" is within 0.1 % of the optimum after ")
    assert min(seconds, key=seconds.__getitem__) == NAMES[best] and said == f"{seconds[NAMES[best]]:.2f}", seconds
    ratios = {NAMES[name]: ratio for name, ratio in re.findall(r"(\w[\w' -]+?) (?:takes )?([\d.]+) times", rest)}
    assert ratios == {name: f"{seconds[name] / min(seconds.values()):.1f}" for name in ratios}
    assert {*ratios, NAMES[best], "SGD"} == {*drawn} and seconds["SGD"] == np.inf
