"""Does a run whose stored numbers a change of the code alters still pass for current? A campaign beside the suite.

    .venv/bin/python -m tests.campaigns.identity --tries 3 --seed 0

It looks at each module that a run of some kind loads, with the first such run. It changes one operator of the
module in a copy of the checkout, and asks whether the run that was made before is current there. If it is, it
makes the run there: all numbers that it stores, but times, must be the same. It prints a row for each module that
is not noticed: how many changes altered nothing, ended the run, or altered it unseen.
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

# Makes a run and prints a hash of all that is not a time, or says whether a run is current.
MAKE = """
import hashlib, json, sys
from pathlib import Path
import numpy as np
from structbench.bench.runs import execute
from structbench.bench.runs.spec import parse
key, folder = sys.argv[1:]
run = execute.run_one(parse(key), Path(folder, key), lambda line: None, again=True)
curve = run.curve[[name for name in run.curve if "seconds" not in name]]
summary = {name: value for name, value in run.summary.items() if name not in ("provenance", "sha256", "message")}
summary = {name: value for name, value in summary.items() if "seconds" not in name and "memory" not in name}
digest = hashlib.sha256(np.nan_to_num(curve.to_numpy(float)).tobytes())
digest.update((run.folder / "weights.npz").read_bytes() + json.dumps(summary, sort_keys=True).encode())
print(digest.hexdigest())
"""
JUDGE = """
import sys
from pathlib import Path
from structbench.bench.runs import state
from structbench.bench.runs.spec import parse
key, folder = sys.argv[1:]
print(state.of_spec(parse(key), Path(folder, key)).reason or "current")
"""
NOTICED, SAME, ENDED, UNSEEN = "noticed", "the same", "ended", "altered, UNSEEN"


def mutants(tree: Path, name: str) -> list[Mutant]:
    """All changes of a file."""
    content = (tree / name).read_bytes()
    every = (change for node in nodes(ast.parse(content)) for change in changes(node))
    return [as_mutant(name, content, change) for change in every]


def ran(tree: Path, results: Path, *words: str) -> str:
    """What a program prints in the copy of the checkout; empty if it fails, or takes too long."""
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "STRUCTBENCH_KERNELS": str(tree / "kernels")}
    env |= {"STRUCTBENCH_RESULTS": str(results)}
    command = [sys.executable, "-c", *words]
    try:
        done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return ""
    return "" if done.returncode else done.stdout.strip()


def outcome(mutant: Mutant, key: str, tree: Path, digest: str) -> str:
    """What a change does to a run."""
    file, made, other = tree / mutant.file, tree / "made", tree / "other"
    content = file.read_bytes()
    file.write_bytes(content[: mutant.begin] + mutant.new.encode() + content[mutant.end :])
    try:
        judged = ran(tree, made, JUDGE, key, str(made / "runs"))
        if judged != "current":
            return NOTICED if judged else ENDED
        shutil.rmtree(other, ignore_errors=True)
        after = ran(tree, other, MAKE, key, str(other / "runs"))
    finally:
        file.write_bytes(content)
    return (SAME if after == digest else UNSEEN) if after else ENDED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=3, help="changes of a module, until one is noticed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keys", type=int, default=len(KEYS), help="how many kinds of runs")
    given = parser.parse_args()
    kernels = Path(os.environ.get("STRUCTBENCH_KERNELS", ROOT / "results" / "kernels"))
    total, tried = Counter[str](), set[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, True, ignore=shutil.ignore_patterns(".*", "results", "__pycache__"))
        if kernels.is_dir():
            shutil.copytree(kernels, tree / "kernels")
        for number, key in enumerate(KEYS[: given.keys]):
            digest = ran(tree, tree / "made", MAKE, key, str(tree / "made" / "runs"))
            loaded = json.loads(ran(tree, tree / "seen", LOADED, str(tree), str(tree / "seen"), key))
            files = {file for file in loaded if file.endswith(".py") and (tree / file).is_file()} - tried
            tried |= files
            for file in sorted(files):
                rng = random.Random(f"{given.seed} {file}")
                every = mutants(tree, file)
                found = Counter[str]()
                for mutant in rng.sample(every, min(given.tries, len(every))):
                    found[what := outcome(mutant, key, tree, digest)] += 1
                    if what == UNSEEN:
                        print(f"{file}:{mutant.line} {mutant.old} becomes {mutant.new}", flush=True)
                    if what == NOTICED:
                        break
                word = NOTICED if found[NOTICED] else "not noticed" if found else "has no operator"
                total[word] += 1
                if word == "not noticed":
                    print(f"{file}: {dict(found)}", flush=True)
            print(f"{number + 1} of {given.keys}: {dict(total)}", file=sys.stderr, flush=True)
    print(dict(total))


if __name__ == "__main__":
    main()
