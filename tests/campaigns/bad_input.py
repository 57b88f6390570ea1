"""Damaged files of ours and of users: does every verb end with a sentence, without traceback, hang or much memory?

    .venv/bin/python -m tests.campaigns.bad_input --rounds 4000 --seed 0

A round damages one file of a small results folder, or of a user's folder of modules, and calls one verb that reads
it. Exit code 0, 1 or 2 is allowed, and a sentence with the last two.
"""

import importlib
import os
import random
import shlex
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.bench.__main__ import main
from structbench.bench.report import published
from structbench.bench.runs import algorithm_files, algorithm_module, catalogue, results, store
from structbench.bench.workflow import batches, config, plan, starting, view_inputs
from tests.bench import fake_runs
from tests.campaigns import guarded, mutations, rounds
from tests.campaigns.rounds import ROOT, Outcome

CONFIG = """
scale: tiny
grids:
  - {name: mine, data: ["columns:train.txt"], test: test.txt, C: [1], algorithms: {lbfgs: {}, perceptron: {}},
     passes: 3, figures: [gap-passes], timed: false}
"""
POINTS = "--data svmlight:rows.txt --loss log --C 1"
RUNS = (
    "run --data columns:train.txt --test test.txt --loss log --C 1 --algorithm lbfgs --passes 3",
    "run --data columns:train.txt --test test.txt --algorithm perceptron --passes 3",
    f"run {POINTS} --algorithm lbfgs --passes 3",
)
OWN = {  # a module of the user's -> a call that needs it
    "algorithms/mine_a.py": f"run --with own {POINTS} --algorithm mine-a --passes 2",
    "datasets/mine_d.py": "run --with own --data mine-d --loss log --C 1 --algorithm lbfgs --passes 2",
    "structures/mine_s.py": "run --with own --data mine-s-points --loss log --C 1 --algorithm lbfgs --passes 2",
    "losses/mine_l.py": "run --with own --data svmlight:rows.txt --loss mine-l --C 1 --algorithm lbfgs --passes 2",
    "papers/mine_p/*": "list figures --with own",
}
KINDS = {"algorithm": "mine-a", "data": "mine-d", "structure": "mine-s", "loss": "mine-l", "paper": "mine-p"}
TARGETS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _do(words: str, folder: Path, damaged: Path) -> int:
    """Call the verb in the folder."""
    os.chdir(folder)
    if words == "PLAN":
        return _plan()
    if damaged.parts[0] == "own":  # this process knew its modules before that folder was there
        for module in (algorithm_files, algorithm_module, catalogue, own_folders):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()
    if words == "OWN":
        words = next((verb for files, verb in OWN.items() if damaged.match(f"own/{files}")), "check own")
    return main(_words(Path("batch").read_text() if words == "BATCH" else words.format(folder=damaged.parent)))


def _words(line: str) -> list[str]:
    """The words of a line; one with a star is the first file of that pattern."""
    return [str(next(Path().glob(word), word)) if "*" in word else word for word in shlex.split(line)]


def _plan() -> int:
    """What the workflow reads before its first job and while it runs; its sentences end Snakemake."""

    with starting.sentences():
        checked = config.read_config("mine.yaml")
        todo = plan.make_plan(checked, 2)
        print(plan.describe(todo, checked))
        print(batches.failures(), batches.read_jobs("mine"))
        view_inputs.sweep(checked)
    return 0


def _write_inputs(folder: Path) -> None:
    """Two data sets and a config."""
    rng = random.Random(0)
    for name, count in (("train", 40), ("test", 10)):
        sentences = []
        for _ in range(count):
            tags = [rng.choice(["O", "B-NP", "B-VP"]) for _ in range(rng.randrange(1, 7))]
            sentences.append(
                "".join(f"{rng.choice('abcdef')}{tag[-1]} x{rng.randrange(3)} {tag}\n" for tag in tags)
            )
        (folder / f"{name}.txt").write_text("\n".join(sentences))
    lines = [" ".join(line.split()[:2]) for line in (folder / "test.txt").read_text().splitlines()]
    (folder / "new.txt").write_text("\n".join(f"{line} O" if line else "" for line in lines) + "\n")
    rows = (f"{k % 3} 1:{k % 3 + 0.1 * (k % 7):.1f} 2:{k % 5}\n" for k in range(60))
    (folder / "rows.txt").write_text("".join(rows))
    (folder / "mine.yaml").write_text(CONFIG)
    (folder / "eg.yaml").write_text("scale: tiny\nfigures: [eg2008]\nname: mine\n")


def _make_world(folder: Path) -> None:
    """A results folder with everything in it, models, what was published, and a folder of modules."""
    os.chdir(folder)
    _write_inputs(folder)

    def do(line: str) -> None:
        with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            code = main(_words(line))
        if code:
            raise RuntimeError(f"{line}: exit code {code}")

    for words in RUNS:
        do(words)
    lbfgs = next(results.runs().glob("columns*lbfgs*"))
    shutil.copytree(results.runs(), folder / "other" / "runs")
    checked = config.read_config("mine.yaml")
    ((name, batch),) = batches.cut(checked.specs, frozenset(), frozenset()).items()
    keys = shlex.join(spec.key for spec in batch.specs)
    (folder / "batch").write_text(f"batch --out results/batches/{name}.1.journal {batch.options} {keys}")
    do((folder / "batch").read_text())
    do("figures --config mine.yaml")
    batches.write_jobs("mine", {name: batch})
    do("report --config mine.yaml")
    do(f"export --model {shlex.quote(str(lbfgs))} --out model")
    do("predict model new.txt --k-best 2")
    shutil.copytree(lbfgs.parent, folder / "results" / "hosts" / "elsewhere" / "runs")
    begun = lbfgs.with_name(f"{lbfgs.name}.partial")
    begun.mkdir()
    shutil.copy(lbfgs / "spec.json", begun)
    (begun / "begun.json").write_text(f'{{"key": "{lbfgs.name}", "provenance": {{"host": "h", "started": 0.0}}}}')
    (begun / "curve.jsonl").write_text('{"passes": 0.0, "primal": 5.0}\n{"passes": 1.0, "primal": 4.0}\n')
    (begun / "lock").touch()
    images = shutil.ignore_patterns("*.svg", "*.png")
    shutil.copytree(ROOT / "docs" / "results", folder / "published", ignore=images)
    fake_runs.claims(folder / "results" / "mine" / "claims", [store.read_run(lbfgs)])
    for kind, name in KINDS.items():
        do(f"new {kind} {name} --in own")
    # in another process: this one must not have the database open that others damage
    tracked = guarded.call(lambda: main(_words("track --config mine.yaml")), folder / "said")
    if tracked.code:
        raise RuntimeError(tracked.said)
    importlib.import_module("structbench.bench.tracking.collector")


@contextmanager
def prepared(folder: Path) -> Iterator[Callable[[random.Random], Outcome]]:
    """A world, made once, and damaged a little in each round."""
    world, pristine, said = folder / "world", folder / "pristine", folder / "said.txt"
    world.mkdir()
    before, cwd = dict(os.environ), Path.cwd()
    os.environ |= {"STRUCTBENCH_RESULTS": "results", "OMP_NUM_THREADS": "1"}
    os.environ.pop("MLFLOW_TRACKING_URI", None)
    theirs, published.RESULTS = published.RESULTS, world / "published"  # where `claims --published` looks
    try:
        _make_world(world)
        os.chdir(folder)
        world.rename(pristine)

        def one(rng: random.Random) -> Outcome:
            shutil.rmtree(world, ignore_errors=True)
            shutil.copytree(pristine, world, symlinks=True)
            name = rng.choices([*TARGETS], [target["weight"] for target in TARGETS.values()])[0]
            file = rng.choice(sorted(each for each in world.glob(TARGETS[name]["files"]) if each.is_file()))
            words = rng.choice(TARGETS[name]["verbs"])
            words = rng.choice(RUNS) if words == "RUN" else words
            done = mutations.mutate(file, rng)
            ended = guarded.call(lambda: _do(words, world, file.relative_to(world)), said)
            where = f"{file.relative_to(world)} ({done}), {words}: " if ended.wrong else ""
            return Outcome(f"{name}, exit code {ended.code}", where + ended.wrong)

        yield one
    finally:
        os.environ.clear()
        os.environ.update(before)
        published.RESULTS = theirs
        with suppress(OSError):
            os.chdir(cwd)


if __name__ == "__main__":
    rounds.main(__doc__, prepared, 4000)
