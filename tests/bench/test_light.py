"""Listings and refusals import none of the heavy packages, which take seconds."""

import subprocess
import sys

import pytest

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numba", "llvmlite", "scipy", "pandas", "pyarrow", "matplotlib", "mlflow"}:
            raise AssertionError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
from structbench.bench.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def bench(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED, *words], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_listing_imports_nothing_heavy():
    done = bench("list")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("frank-wolfe", "--set eta0=0.0", "segments", "toy-english", "eg2008"):
        assert name in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "run --data mnist --loss log --C 1 --algorithm gradient",
            "unknown algorithm 'gradient': did you mean 'subgradient'?",
        ),
        ("run --data minst --loss log --C 1 --algorithm eg", "unknown data set 'minst': did you mean 'mnist'?"),
        ("run --data mnist --loss square --C 1 --algorithm eg", "unknown loss 'square': choose log or hinge"),
        (
            "run --data mnist --loss hinge --C 1 --algorithm sgd",
            "sgd minimises the log or",
        ),
        ("run --data mnist --loss log --algorithm eg", "eg needs a C, the strength of the penalty"),
        ("run --data mnist --loss log --C 1 --algorithm eg --set eta", "'eta' is not of the form name=value"),
        ("data show minst", "unknown data set 'minst'"),
        ("data fetch", "name a data set"),
        ("show nothing", "there is no run 'nothing'"),
        ("figures --config nowhere.yaml", "cannot read the config nowhere.yaml"),
        ("measure looks", "unknown part 'looks'"),
    ],
)
def test_a_mistake_is_refused_before_anything_heavy_is_imported(words, said):
    done = bench(*words.split())
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert said in done.stderr


def test_an_unknown_paper_is_refused_before_papers_are_imported(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("scale: tiny\nfigures: [eg2010]\n")
    done = bench("figures", "--config", str(config))
    assert done.returncode == 2
    assert "unknown paper 'eg2010': did you mean 'eg2008'? there are eg2004, eg2008" in done.stderr
