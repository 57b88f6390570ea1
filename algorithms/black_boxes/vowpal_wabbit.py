"""Learn with Vowpal Wabbit from a file in svmlight's format and label another.

Arguments: train, test, labels, seconds, and its options. Its own format has a bar between label and features.
The seconds are of its learning alone, as it reads the file.
"""

import sys
import time
from pathlib import Path


def converted(file: str, to: Path, labelled: bool) -> None:
    """Write a file in svmlight's format as Vowpal Wabbit has it."""
    lines = (line.split(" ", 1) for line in Path(file).read_text().splitlines())
    to.write_text("".join(f"{label if labelled else ''} | {rest}\n" for label, rest in lines))


def vw(*options: str) -> tuple[float, float]:
    """Run it; returns wall and CPU seconds."""
    from vowpalwabbit import Workspace

    wall, cpu = time.perf_counter(), time.process_time()
    Workspace(arg_list=["--quiet", "--no_stdin", *options]).finish()
    return time.perf_counter() - wall, time.process_time() - cpu


def main(train: str, test: str, labels: str, seconds: str, *options: str) -> None:
    """Do it all in the current folder."""
    learn, new = Path("train.vw"), Path("test.vw")
    converted(train, learn, True)
    converted(test, new, False)
    vw("--data=/dev/null")  # for what is loaded late
    found = vw("--data=train.vw", "--cache_file=train.cache", "--kill_cache", "--final_regressor=model", *options)
    Path(seconds).write_text(f"{found[0]} {found[1]}\n")
    vw("--data=test.vw", "--testonly", "--initial_regressor=model", f"--predictions={labels}")


if __name__ == "__main__":
    main(*sys.argv[1:])
