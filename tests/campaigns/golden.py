"""Do small runs of all kinds of algorithms give the numbers that they gave at another commit?

    .venv/bin/python -m tests.campaigns.golden BASE              # the same bits
    .venv/bin/python -m tests.campaigns.golden BASE --near       # another order of sums is allowed

It makes each run in a copy of both commits. Equal bits: curve (but for seconds) and weights. Near: primal and dual
after one pass, and the best primal and dual, agree to 1e-9; visits agree within 2 %.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
CLOSE = 1e-9
VISITS = 0.02

CLASSES, CHAIN = "mnist:train=300,test=100", "toy-english:sentences=40,test_sentences=15"
SEGMENTS, TREES = f"{CHAIN},task=segments", f"{CHAIN},task=dependencies"
SPANISH = "conll2007:sentences=60,test_sentences=20"
FIVE = (CLASSES, CHAIN, SEGMENTS, TREES, SPANISH)
RUNS = {  # loss, algorithm, and what else is given -> on which data
    "log eg": FIVE,
    "hinge eg": FIVE,
    "log eg mode=batch": (CLASSES, CHAIN),
    "log eg order=gap": (CHAIN,),
    "log eg-path": (CHAIN,),
    "hinge eg-primal": (CLASSES, SEGMENTS),
    "hinge eg-qp": (CLASSES,),
    "log cocoa": (CLASSES, TREES),
    "log sdca": FIVE,
    "log lbfgs": FIVE,
    "log owl-qn penalty=l1": (CHAIN,),
    "log conjugate-gradient": (CHAIN,),
    "log gradient-ascent": (CLASSES,),
    "log iterative-scaling": (CLASSES,),
    "log sgd": (CLASSES, CHAIN, TREES),
    "log sag": (CHAIN, SEGMENTS),
    "hinge subgradient": (CLASSES, CHAIN, SPANISH),
    "hinge smo": FIVE,
    "hinge smo-eg": (CHAIN,),
    "hinge naive-smo": (CLASSES,),
    "hinge coordinate-descent": (CLASSES,),
    "hinge frank-wolfe": FIVE,
    "hinge cutting-plane": (CLASSES, CHAIN, TREES),
    "hinge one-slack": (CHAIN, SEGMENTS),
    "hinge l1m3n-cutting-plane penalty=l1": (CHAIN,),
    "hinge l1m3n-subgradient penalty=l1-ball": (CHAIN,),
    "hinge l1m3n-proximal penalty=l1": (CHAIN,),
    "hinge l1m3n-em penalty=l1-squared": (CHAIN,),
    "hinge lapm3n penalty=laplace-10": (CHAIN,),
    "hinge kernel-svm": (CLASSES,),
    "none perceptron": FIVE,
    "none perceptron beam=3": (CHAIN, SEGMENTS),
    "none laso": (CHAIN, SEGMENTS, f"{CHAIN},task=joint"),
    "none dagger": (CHAIN, SEGMENTS, f"{CHAIN},task=joint"),
    "none max-violation": (CHAIN,),
    "none early-update": (CHAIN,),
    "none mira": (CLASSES, CHAIN, SPANISH),
    "none kernel-perceptron": (CLASSES,),
    "none dual-perceptron": (CHAIN,),
    "none naive-bayes": (CLASSES,),
    "none hidden-markov": (CHAIN,),
    "none minimum-error": (CHAIN,),
    "none latent-svm": ("toy-clusters",),
    "none pcfg": (f"{CHAIN},task=brackets",),
}


def commands() -> dict[str, list[str]]:
    """The words of ``bench run`` for each run, by a short name."""
    found = {}
    for said, data in RUNS.items():
        loss, algorithm, *options = said.split()
        for name in data:
            words = ["--data", name, "--algorithm", algorithm, "--passes", "6", "--C", "1"]
            words += ["--loss", loss] if loss != "none" else []
            for option in options:
                words += ["--penalty", option[8:]] if option.startswith("penalty=") else ["--set", option]
            found[f"{said} on {name}"] = words
    return found


def make(tree: Path, words: list[str], folder: Path) -> dict[str, np.ndarray]:
    """The numbers of one run, made in a copy of a commit."""
    env = os.environ | {"STRUCTBENCH_RESULTS": str(folder.parent / "results")}
    done = subprocess.run(
        [sys.executable, "-m", "bench", "run", *words, "--out", str(folder)],
        cwd=tree, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr.strip().splitlines()[-1:]}")
    curve = pd.read_parquet(folder / "curve.parquet")
    found = {name: curve[name].to_numpy(float) for name in curve if "seconds" not in name}
    with np.load(folder / "weights.npz") as weights:
        return found | {f"weights.{name}": weights[name] for name in weights.files}


def differs(before: dict[str, np.ndarray], after: dict[str, np.ndarray], near: bool) -> str:
    """What differs, in words; empty if nothing does."""
    if not near:
        nothing = np.empty(0)
        pairs = {name: (before.get(name, nothing), after.get(name, nothing)) for name in before | after}
        return ", ".join(name for name, pair in pairs.items() if not np.array_equal(*pair, equal_nan=True))
    said = []
    for name, best in (("primal", np.fmin), ("dual", np.fmax)):
        pairs = [(best.reduce(each[name]), _after_one_pass(each, name)) for each in (before, after)]
        for what, (mine, theirs) in zip(("best", "first"), zip(*pairs, strict=True), strict=True):
            if not (np.isnan(mine) and np.isnan(theirs)) and not np.isclose(mine, theirs, rtol=CLOSE, atol=0):
                said.append(f"{what} {name} {mine:.12g} and {theirs:.12g}")
    visits = [each["visits"][-1] for each in (before, after)]
    if abs(visits[1] - visits[0]) > VISITS * visits[0]:
        said.append(f"visits {visits[0]:g} and {visits[1]:g}")
    return "; ".join(said)


def _after_one_pass(run: dict[str, np.ndarray], name: str) -> float:
    return run[name][min(np.searchsorted(run["passes"], 1.0), len(run[name]) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", help="a commit")
    parser.add_argument("--near", action="store_true", help="another order of sums is allowed")
    parser.add_argument("--only", default="", help="the runs whose name has this in it")
    given = parser.parse_args()
    chosen = {name: words for name, words in commands().items() if given.only in name}
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder, "base")
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", base, given.base], cwd=ROOT, check=True)
        try:
            wrong = 0
            with ThreadPoolExecutor(2) as pool:
                for number, (name, words) in enumerate(chosen.items(), 1):
                    places = [Path(folder, side, f"{number}") for side in ("before", "after")]
                    before, after = pool.map(make, (base, ROOT), (words, words), places)
                    if said := differs(before, after, given.near):
                        wrong += 1
                        print(f"{name}: {said}", flush=True)
                    print(f"{number} of {len(chosen)}", end="\r", file=sys.stderr, flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", base], cwd=ROOT, check=True)
    print(json.dumps({"runs": len(chosen), "differ": wrong}))
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
