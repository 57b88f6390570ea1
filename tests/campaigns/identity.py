"""Does a run whose curve a change of the code alters still pass for current? A campaign beside the suite.

    .venv/bin/python -m tests.campaigns.identity --count 60 --seed 0

For a run of each kind it draws changes of the modules that the run's process loads, one operator at a time. It
makes the run with each change in a copy of the checkout. A run whose curve or weights differ must have another
hash of its programs. It prints how many changes altered a run, how many ended it, and each that altered it unseen.
"""

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.bench.runs.test_programs import KEYS, LOADED
from tests.campaigns.mutants import ROOT, Mutant, as_mutant, changes, nodes

# Makes a run and prints a hash of all that is not a time, and the hash of its programs.
MAKE = """
import hashlib, sys
from pathlib import Path
import numpy as np
from structbench.bench.runs import execute, programs
from structbench.bench.runs.spec import parse
key, folder = sys.argv[1:]
run = execute.run_one(parse(key), Path(folder, key), lambda line: None, again=True)
curve = run.curve[[name for name in run.curve if "seconds" not in name]]
digest = hashlib.sha256(np.nan_to_num(curve.to_numpy(float)).tobytes())
digest.update((run.folder / "weights.npz").read_bytes())
print(digest.hexdigest(), programs.sha256_of_run(parse(key)))
"""


def drawn(files: list[str], count: int, rng: random.Random) -> list[Mutant]:
    """So many changes of these files, of each file as many as of the others."""
    by_file = []
    for name in files:
        content = (ROOT / name).read_bytes()
        every = (change for node in nodes(ast.parse(content)) for change in changes(node))
        found = [as_mutant(name, content, change) for change in every]
        by_file += [found] if found else []
    return [rng.choice(rng.choice(by_file)) for _ in range(count if by_file else 0)]


def ran(tree: Path, words: list[str], seconds: float) -> str:
    """What a program prints in the copy of the checkout; empty if it fails, or takes too long."""
    env = os.environ | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "STRUCTBENCH_KERNELS": str(tree / "kernels"),
        "STRUCTBENCH_RESULTS": str(tree / "results"),
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", *words],
            cwd=tree, env=env, capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return ""
    return "" if done.returncode else done.stdout.strip()


def outcome(mutant: Mutant, key: str, tree: Path, before: list[str]) -> str:
    """What a change does to a run: nothing, ends it, alters it seen, or alters it unseen."""
    file = tree / mutant.file
    content = file.read_bytes()
    file.write_bytes(content[: mutant.begin] + mutant.new.encode() + content[mutant.end :])
    try:
        after = ran(tree, [MAKE, key, str(tree / "runs")], 120).split()
    finally:
        file.write_bytes(content)
    if len(after) != len(before):
        return "ended"
    if after[0] == before[0]:
        return "the same"
    return "altered, seen" if after[1] != before[1] else "altered, UNSEEN"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60, help="changes for each kind of run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keys", type=int, default=len(KEYS), help="how many kinds of runs")
    given = parser.parse_args()
    kernels = Path(os.environ.get("STRUCTBENCH_KERNELS", ROOT / "results" / "kernels"))
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, True, ignore=shutil.ignore_patterns(".*", "results", "__pycache__"))
        if kernels.is_dir():
            shutil.copytree(kernels, tree / "kernels")
        for number, key in enumerate(KEYS[: given.keys]):
            rng = random.Random(f"{given.seed} {key}")
            before = ran(tree, [MAKE, key, str(tree / "runs")], 600).split()
            loaded = json.loads(ran(tree, [LOADED, str(tree), str(tree / "seen"), key], 600))
            files = sorted(file for file in loaded if file.endswith(".py") and (ROOT / file).is_file())
            for mutant in drawn(files, given.count, rng):
                found = outcome(mutant, key, tree, before)
                total[found] += 1
                if found == "altered, UNSEEN":
                    print(f"{key}: {mutant.file}:{mutant.line} {mutant.old} becomes {mutant.new}", flush=True)
            print(f"{number + 1} of {given.keys}: {dict(total)}", file=sys.stderr, flush=True)
    print(dict(total))


if __name__ == "__main__":
    main()
