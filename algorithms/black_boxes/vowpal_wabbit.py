"""Learn with Vowpal Wabbit from a file in svmlight's or CRFsuite's format and label another.

Arguments: train, test, labels, seconds, and its options. Its own format has a bar between label and features, and
its labels are numbers from 1 on. The seconds are of its learning alone, as it reads the file.
"""

import re
import sys
import time
from pathlib import Path


def converted(file: str, to: str, numbers: dict[str, int]) -> None:
    """Write a file as Vowpal Wabbit has it. Labels are these ``numbers``, and others are left out."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    cut = (line.replace("\t", " ").partition(" ") for line in lines)
    rows = (f"{numbers.get(label, '')} |{gap}{rest}" if label + gap else "" for label, gap, rest in cut)
    Path(to).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


def vw(*options: str) -> tuple[float, float]:
    """Run it; returns wall and CPU seconds."""
    from vowpalwabbit import Workspace

    wall, cpu = time.perf_counter(), time.process_time()
    Workspace(arg_list=["--quiet", "--no_stdin", *options]).finish()
    return time.perf_counter() - wall, time.process_time() - cpu


def main(train: str, test: str, labels: str, seconds: str, *options: str) -> None:
    """Do it all in the current folder."""
    known = {*re.findall(r"^\S+", Path(train).read_text(encoding="utf-8"), re.MULTILINE)}
    names = sorted(known, key=lambda name: (len(name), name))  # of svmlight's format in the order of the numbers
    converted(train, "train.vw", {name: k for k, name in enumerate(names, 1)})
    converted(test, "test.vw", {})
    vw("--data=/dev/null")  # for what is loaded late
    found = vw("--data=train.vw", "--cache_file=train.cache", "--kill_cache", "--final_regressor=model", *options)
    Path(seconds).write_text(f"{found[0]} {found[1]}\n")
    vw("--data=test.vw", "--testonly", "--initial_regressor=model", "--predictions=found")
    given = (re.sub(r"\\(.)", r"\1", names[int(k) - 1]) for k in Path("found").read_text().split())
    Path(labels).write_text("".join(f"{name}\n" for name in given), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
