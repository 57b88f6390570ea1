"""A full disk, folders that cannot be written, odd clocks, names and environments, two workflows at once.

    .venv/bin/python -m tests.campaigns.surroundings --rounds 100 --seed 0

A round calls a command in such surroundings: it must succeed, or fail with a sentence. Then the surroundings are
mended. The same command must then give the numbers of an undisturbed run, bit for bit, and leave nothing behind.
Full disks and read-only folders are mounted, by root only; others get a limit on the size of files.
"""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.campaigns import rounds, small_work
from tests.campaigns.guarded import SENTENCE, TRACEBACK
from tests.campaigns.rounds import Outcome
from tests.campaigns.small_work import SNAKEMAKE, Work

NAMES = (
    *("a b", "ü ß é", "new\nline", "{b}", "{b}{{c}}", "<x>", "$(touch x)`id`", 'it\'s "q"', "-rf", "%41%", "a#b"),
    *("日本", "tab\there", "semi;colon&", "*?[a-z]", "back\\slash", "wild__card=1", "e\u0301", "x" * 200),
)
LIMITS = (0, 200, 5_000, 40_000, 200_000, 1_000_000)  # bytes
FOLDERS = ("results", "results/runs", "results/problems", "results/batches", "results/mine", ".")
CLOCK = """
import time
_time, _time_ns, _off = time.time, time.time_ns, {off}
time.time = lambda: _time() + _off
time.time_ns = lambda: _time_ns() + int(_off * 1e9)
"""
DAY = 24 * 3600.0


class Reference:
    """What the commands give in usual surroundings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = Work(folder / "made")
        code, said = self.made.make("--until", "batch")
        if code:
            raise RuntimeError(said)
        self.numbers = self.made.numbers()
        self.keys = sorted(self.numbers)

    def command(self, rng: random.Random) -> tuple[str, ...]:
        """One that needs little time, mostly."""
        batch = ("bench", "batch", "--out", "results/batches/b.1.journal", *self.keys)
        workflow = (*SNAKEMAKE, "--configfile", "mine.yaml", "--until", "batch")
        track = ("bench", "track", "--config", "mine.yaml", "--stale")
        return rng.choices([batch, track, workflow], [4, 3, 1])[0]

    def trouble(self, work: Work, words: tuple[str, ...]) -> str:
        """What is wrong when the command is called in surroundings that are mended."""
        code, said = work.run(*words)
        if code:
            return f"ended with {code} when all was mended: {_last(said)}"
        found = work.numbers()
        if words[1] != "track" and found != self.numbers:
            return f"other numbers: {[key for key in self.numbers if found.get(key) != self.numbers[key]]}"
        left = work.left()
        return f"left: {', '.join(left)}" if left else ""


def _last(said: str) -> str:
    return " | ".join(said.strip().splitlines()[-4:])[-600:]


def _said_well(done: tuple[int, str]) -> str:
    """What is wrong with an answer: a traceback, or a failure without a sentence."""
    code, said = done
    if TRACEBACK in said:
        return f"a traceback: {_last(said)}"
    if code not in (0, 1, 2) or (code and not SENTENCE.search(said)):
        return f"ended with {code}: {_last(said)}"
    return ""


def _mount(*words: str) -> bool:
    """Whether it could be mounted."""
    return subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0


@contextmanager
def _full(folder: Path, size: int) -> Iterator[Callable[[], object] | None]:
    """A disk of so many bytes at the folder, and a function that frees space; None if none can be mounted."""
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", f"size={max(size, 4096)}", "tmpfs", str(folder)):
        yield None
        return
    try:
        yield lambda: subprocess.run(["mount", "-o", "remount,size=500M", str(folder)], check=True)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def full_disk(reference: Reference, rng: random.Random, place: Path) -> Outcome:
    words, size = reference.command(rng), rng.choice(LIMITS) + rng.randrange(20_000)
    with _full(place, size) as free:
        work = Work(place / "w")
        work.said = place.parent / "said"  # on another disk
        if words[1] == "track":  # the runs lie on another disk
            (work.results).mkdir()
            (work.results / "runs").symlink_to(reference.made.results / "runs")
        work.limit = size if free is None else None
        wrong = _said_well(work.run(*words))
        if free:
            free()
        work.limit = None
        return Outcome(f"full disk, {words[1]}", wrong or reference.trouble(work, words))


def read_only(reference: Reference, rng: random.Random, place: Path) -> Outcome:
    words, name = reference.command(rng), rng.choice(FOLDERS)
    work = small_work.copied(reference.made, place)
    if words[1] != "track":
        shutil.rmtree(work.results / "runs" / rng.choice(reference.keys))
    folder = work.folder / name
    folder.mkdir(parents=True, exist_ok=True)
    if not _mount("--bind", str(folder), str(folder)):
        return Outcome("read-only, not tried: only root can mount")
    try:
        _mount("-o", "remount,ro,bind", str(folder))
        wrong = _said_well(work.run(*words))
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
    return Outcome(f"read-only {name}, {words[1]}", wrong or reference.trouble(work, words))


def clock(reference: Reference, rng: random.Random, place: Path) -> Outcome:
    """Files of the future, or a clock that is set back or forth after half of the runs were made."""
    words, off = reference.command(rng), rng.choice([-400, -1, -0.01, 0.01, 1, 400]) * DAY
    work = small_work.copied(reference.made, place)
    half = reference.keys[::2]
    for key in half if words[1] != "track" else ():
        shutil.rmtree(work.results / "runs" / key)
    kept = {
        key: (work.results / "runs" / key / "summary.json").read_bytes() for key in set(reference.keys) - {*half}
    }
    if rng.random() < 0.5:
        tried, when = "clock of files", time.time() + off
        for file in work.folder.rglob("*"):
            os.utime(file, (when, when), follow_symlinks=False)
    else:
        tried = "clock of programs"
        (place / "site").mkdir()
        (place / "site" / "sitecustomize.py").write_text(CLOCK.format(off=off))
        work.env["PYTHONPATH"] = f"{place / 'site'}{os.pathsep}{work.env['PYTHONPATH']}"
    wrong = reference.trouble(work, words)
    again = [key for key in kept if (work.results / "runs" / key / "summary.json").read_bytes() != kept[key]]
    return Outcome(f"{tried}, {words[1]}", wrong or (f"made again: {again}" if again else ""))


def names(reference: Reference, rng: random.Random, place: Path) -> Outcome:
    """A folder and a file of data with odd names."""
    name = rng.choice(NAMES)
    work = Work(place / rng.choice(NAMES))
    rows = "".join(f"{k % 3} 1:{k % 3 + 0.1 * (k % 7):.1f} 2:{k % 5}\n" for k in range(60))
    (work.folder / f"{name}.txt").write_text(rows)
    data = f"svmlight:{name}.txt"
    grid = small_work.GRID | {"data": [data], "C": [1], "algorithms": {"lbfgs": {}}, "figures": ["gap-passes"]}
    work.write({"scale": "tiny", "figures": [], "grids": [grid | {"timed": False}]})
    one = ("bench", "run", "--data", data, "--loss", "log", "--C", "1", "--algorithm", "lbfgs")
    whole = (*SNAKEMAKE, "--configfile", "mine.yaml", "--until", "report")
    words = rng.choices([one, whole], [3, 1])[0]
    code, said = work.run(*words)
    wrong = _said_well((code, said))
    if not wrong and code == 1:
        wrong = f"failed: {_last(said)}"
    if not wrong and not code and len(work.numbers()) != 1:
        wrong = "there is no run"
    return Outcome(
        f"names, {words[1]}, exit code {code}", f"{name!r} in {work.folder.name!r}: {wrong}" if wrong else ""
    )


def environment(reference: Reference, rng: random.Random, place: Path) -> Outcome:
    words = reference.command(rng)
    work = small_work.copied(reference.made, place) if words[1] == "track" else Work(place)
    changes = rng.sample(
        ["no HOME", "no such HOME", "no USER", "LANG=C", "no TMPDIR", "no locale", "a closed stdin"], 3
    )
    for change in changes:
        if change == "no HOME":
            work.env.pop("HOME", None)
        elif change == "no such HOME":
            work.env["HOME"] = "/no/such/folder"
        elif change == "no USER":
            for each in ("USER", "LOGNAME", "USERNAME", "LNAME"):
                work.env.pop(each, None)
        elif change == "LANG=C":
            work.env |= {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        elif change == "no TMPDIR":
            work.env["TMPDIR"] = "/no/such/folder"
        elif change == "no locale":
            work.env |= {"LC_ALL": "xx_XX.UTF-8"}
    said = f"{' and '.join(sorted(changes))}: "
    wrong = reference.trouble(work, words)
    return Outcome(f"environment, {words[1]}", said + wrong if wrong else "")


def two_at_once(reference: Reference, rng: random.Random, place: Path) -> Outcome:
    """Two workflows or batches that start together, in one folder or in two."""
    words = reference.command(rng)
    while words[1] == "track":
        words = reference.command(rng)
    one = rng.random() < 0.5
    first = Work(place / "one")
    second = first if one else Work(place / "two")
    with ExitStack() as ends:
        ends.callback(first.kill)
        ends.callback(second.kill)
        processes = []
        for number, work in enumerate((first, second)):
            processes.append(work.start(*words, said=place / f"said{number}"))
            time.sleep(rng.choice([0, 0.2, 2]))
        codes = [process.wait() for process in processes]
    said = [(place / f"said{number}").read_text(errors="replace") for number in range(2)]
    wrong = "".join(filter(None, (_said_well(each) for each in zip(codes, said, strict=True))))
    refused = words[0] == "snakemake" and one
    if not wrong and any(codes) and not (refused and "a workflow makes results already" in "".join(said)):
        wrong = f"ended with {codes}: {_last(said[0])} || {_last(said[1])}"
    tried = f"two at once in {'one folder' if one else 'two folders'}, {words[1]}"
    for work in {first, second} if not wrong else ():
        wrong = wrong or reference.trouble(work, words)
    return Outcome(tried, wrong)


CASES = (full_disk, read_only, clock, names, environment, two_at_once)


@contextmanager
def prepared(folder: Path) -> Iterator[Callable[[random.Random], Outcome]]:
    """The reference, made once."""
    reference = Reference(folder)

    def one(rng: random.Random) -> Outcome:
        place = folder / "round"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        return rng.choice(CASES)(reference, rng, place / "here")

    yield one


if __name__ == "__main__":
    rounds.main(__doc__, prepared, 100)
