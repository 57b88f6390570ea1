"""``mistakes``: what a model labels wrong, and what two models label differently."""

import argparse
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.drawing.intervals import percentiles, resampled
from structbench.bench.drawing.ranking import in_points
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import confusion_matrix, predicted, problem_store, quality, state
from structbench.bench.runs.store import Run
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import document, say, text
from structbench.bench.verbs.verb import A_RUN, JSON, argument, verb
from structbench.datasets import build
from structbench.datasets.problems import new_examples
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.problems.validation import with_validation
from structbench.datasets.scores.labels.table import OfLabel
from structbench.datasets.text.columns import CELL

SHOWN, SHOWN_OF_TWO = 10, 20  # decisions that are listed: a run's mistakes, what two runs label differently
SHARES = ("precision", "recall", "f1")
ARTICLE = b"-DOCSTART-"


@verb(
    argument("run", metavar="RUN", help=A_RUN),
    argument("--against", metavar="RUN", help="another run on these data: what the two label differently"),
    argument(
        "--examples",
        type=int,
        metavar="N",
        help=f"how many decisions to list (default: {SHOWN}; with --against {SHOWN_OF_TWO})",
    ),
    argument("--split", choices=("test", "validation"), help="of what (default: test, if there is one)"),
    JSON,
    examples=("mistakes RUN", "mistakes RUN --against OTHER --split validation"),
)
def do_mistakes(given: argparse.Namespace) -> int:
    """Show how each label is predicted and the first mistakes, or what two runs label differently."""
    if given.examples is not None and given.examples < 0:
        raise UserError(f"--examples must be at least 0, not {given.examples}")
    run, *others = named.runs_named([given.run, *([given.against] if given.against else [])])
    stale = [sentence for each in (run, *others) for sentence in _stale(each)]
    there = (each for each in ("test", "validation") if predicted.last(run, f"predicted_{each}") is not None)
    split = given.split or next(there, "test")
    found = _judged(run, split)
    second = _judged_beside(run, found, others[0]) if others else None
    names, table = confusion_matrix.confusion(found)
    if not (names or second):
        raise UserError(f"{run.key}: its decisions are no labels")
    say(*stale)  # not before: a run whose data changed is not shown
    if second:
        return _apart((run, others[0]), found, second, given)
    of_chunks, by_label = quality.quality_of_labels([found]).values()
    wrong = _listed(run, found, np.flatnonzero(found.predicted != found.right), predicted=found.predicted)
    if given.json:
        about = {"run": run.key, "split": split, "by_label": by_label, "mistakes": wrong[: given.examples]}
        return document(about | {"labels": names, "confusion": table.tolist()})
    heads = [f"{name} %" if name in SHARES else name for name in OfLabel._fields]
    rows = [
        [label, *(text(round(100 * value, 2) if name in SHARES else value) for name, value in row.items())]
        for label, row in by_label.items()
    ]
    print_table(["chunk" if of_chunks else "label", *heads], rows)
    say(f"gold labels of the {split} split in rows, predicted ones in columns")
    print_table(*confusion_matrix.confusion_rows(names, table))
    say(f"{len(wrong):,} of {len(found.right):,} are wrong; examples and decisions are counted from 1")
    _print_some(wrong, SHOWN if given.examples is None else given.examples)
    return 0


def _stale(run: Run) -> Iterator[str]:
    """What to say of a stale run; raises a UserError if it is torn."""
    found = state.of_folder(run.folder)
    if found.run is None:
        raise UserError(f"{run.key} is {found.state}: {found.reason}: make it again")
    if not found.is_finished:
        yield f"{run.key} is {found.state}: {found.reason}; its predictions are shown as they are"


def _judged(run: Run, split: str) -> Judged:
    if predicted.last(run, f"predicted_{split}") is None:
        why = "it diverged" if run.summary["status"] == "diverged" else "make a run of data that have one"
        raise UserError(f"{run.key} keeps no predictions of a {split} split: {why}")
    if (found := confusion_matrix.judged(run, split)) is None:
        raise UserError(f"{run.key}: its data changed, or are no longer stored: make it again")
    return found


def _judged_beside(run: Run, found: Judged, other: Run) -> Judged:
    """What another run labels; raises a UserError if its examples differ from the first's."""
    split, second = found.which, _judged(other, found.which)
    if not (np.array_equal(found.right, second.right) and np.array_equal(found.starts, second.starts)):
        raise UserError(f"{run.key} and {other.key} have different {split} examples: compare runs on equal data")
    return second


def _apart(runs: tuple[Run, Run], found: Judged, second: Judged, given: argparse.Namespace) -> int:
    """The paired difference of two runs, and the examples that they label differently."""
    split = found.which
    counts = [predicted.counts(each, split, "error") for each in runs]
    first, last = (resampled([each], "one") for each in counts if each is not None)
    error = percentiles(first - last)
    differ = np.flatnonzero(found.predicted != second.predicted)
    listed = _listed(runs[0], found, differ, first=found.predicted, second=second.predicted)
    if given.json:
        about = {"runs": [each.key for each in runs], "split": split}
        return document(about | {"difference": error._asdict(), "differ": listed})
    if not listed:
        print(f"Nothing differs: both label all {len(found.right):,} decisions of the {split} split alike.")
        return 0
    examples = len({each["example"] for each in listed}), len(found.starts) - 1
    say(f"{len(differ)} of {len(found.right)} differ, in {examples[0]} of {examples[1]} examples, counted from 1")
    _print_some(listed, SHOWN_OF_TWO if given.examples is None else given.examples)
    told = "they cannot be told apart" if error.low <= 0 <= error.high else "they differ"
    print(f"The second errs {in_points(error)} more (95 % interval of a paired bootstrap over examples): {told}.")
    return 0


def _listed(run: Run, found: Judged, places: np.ndarray, **labels: np.ndarray) -> list[dict[str, str]]:
    """A row for each of these decisions: where it is, on what, its gold label, and these labels."""
    names, gold = found.as_written()
    example, words = np.searchsorted(found.starts, places, side="right") - 1, _words(run, found)
    rows = []
    for i, k in zip(example.tolist(), places.tolist(), strict=True):
        begin, end = found.starts[i : i + 2].tolist()
        row = {"example": str(i + 1), "decision": str(k - begin + 1)}
        row |= {"token": _near(words[begin:end], k - begin)} if words else {}
        for name, each in {"gold": gold, **labels}.items():
            is_named = each[k] < len(names) and not found.problem.tags
            row[name] = names[each[k]] if is_named else str(each[k])
        rows.append(row)
    return rows


def _print_some(rows: list[dict[str, str]], count: int) -> None:
    """Print the first rows, and how many more there are."""
    if rows[:count]:
        print_table([*rows[0]], [[*row.values()] for row in rows[:count]])
    if len(rows) > count:
        print(f"and {len(rows) - count} more: --json has all")


def _words(run: Run, found: Judged) -> list[str]:
    """What each decision is on, such as a word, from the user's file of the split; empty if that has none."""
    data, test = run.spec.data, run.spec.test
    held = str(data.options.get("validation", "")) if found.which == "validation" else ""
    is_file = bool(held) and Path(held).is_file()
    file = (held if is_file else data.path) if held else test or data.files.get("test")
    if not file:
        return []
    with suppress(UserError, OSError):
        labels, vocabulary = problem_store.labels_and_vocabulary(data, test, run.key, run.summary["provenance"])
        content = Path(file).read_bytes()
        new = new_examples.encode(data, content, file, labels, vocabulary)
        words = [*map(_first_cell, new.before, new.after)]
        if held and not is_file:
            if parts.num_examples(parts.unwrap(new.split)) != run.summary["num_examples"] + len(found.starts) - 1:
                return []  # the run has a part of the file
            documents = build(data.whole, test).documents if data.folds and ARTICLE in content else None
            both = Problem(new.split, None, labels, punctuation=np.arange(len(words)), documents=documents)
            order = with_validation(both, held, None).punctuation
            words = [words[k] for k in order[len(order) - len(found.right) :]]
        if len(words) == len(found.right):
            return words
    return []


def _first_cell(before: str, after: str) -> str:
    """What a decision's line has first, without its label; where tabs separate cells, they may have blanks."""
    line = before.rpartition("\n")[2] + after
    cells = line.split("\t") if "\t" in before + after[:1] else CELL.findall(line)
    return next(filter(None, cells), "")


def _near(words: list[str], place: int) -> str:
    """A word in brackets between its neighbours."""
    return " ".join([*words[max(0, place - 1) : place], f"[{words[place]}]", *words[place + 1 : place + 2]])
