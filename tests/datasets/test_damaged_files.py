"""Readers of the user's files, and damage of every kind: a sentence with the line, or what the file says."""

import bz2
import gzip
import io
import lzma
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.datasets.problems import new_examples
from structbench.datasets.problems.problem import Problem
from structbench.datasets.problems.storage import fingerprint
from tests.datasets.damaged import DAMAGES, FILES, LINES, PLAIN, gold

ROUNDS = 12  # files for each kind of damage


@pytest.fixture
def undamaged(written: Callable) -> Callable[[str, random.Random], tuple[list[str], str]]:
    """The lines of a drawn file with two labels at least, and the path of another one."""

    def draw(name: str, rng: random.Random) -> tuple[list[str], str]:
        train, other = LINES[name](rng), LINES[name](rng)
        more = {"columns": ["x N O", ""], "crfsuite": ["O\tw=x", ""]}.get(name, [])
        return [*train, *more], written("\n".join([*other, *more, ""]), "other")

    return draw


def refused(read: Callable[[], Any], path: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        read()
    text = str(error.value)
    assert text.startswith(path) and re.search(said, text.removeprefix(path)), f"{text!r}, expected {said!r}"
    assert "\n" not in text and len(text) < len(path) + 250


def of_both(name: str, bad: str, good: str) -> Iterator[Callable[[], Problem]]:
    """Reading it as the training file, and as the test file."""
    yield lambda: datasets.build(f"{name}:{bad}")
    yield lambda: datasets.build(f"{name}:{good}", bad)


@pytest.mark.parametrize(
    ("name", "damage"),
    [(name, damage) for name in LINES for damage in DAMAGES[name]],
    ids=lambda each: str(each)[:30],
)
def test_a_damaged_line_is_named_with_what_was_expected(undamaged, written, name, damage):
    for seed in range(ROUNDS):
        rng = random.Random(f"{name} {damage} {seed}")
        lines, good = undamaged(name, rng)
        places = [k for k, line in enumerate(lines) if line and not line.startswith("-DOC")]
        at = rng.choice(places[damage == "% x" :])  # a column more in the first line is wrong with the next one
        if isinstance(damage, str):
            new = damage.replace("%", lines[at].partition(" #")[0])
        else:
            cells = lines[at].split("\t")
            cells[damage[0]] = damage[1]
            new = "\t".join(cells)
        lines[at] = new
        mark, end = rng.choice([("", "\n"), ("", "\r\n"), ("\ufeff", "\n")])
        bad = written(mark + end.join([*lines, ""]))
        for read in of_both(name, bad, good):
            refused(read, bad, rf"^, line {at + 1}: {DAMAGES[name][damage]}")


def zipped(data: bytes) -> bytes:
    """A zip file with a single file."""
    with zipfile.ZipFile(made := io.BytesIO(), "w") as archive:
        archive.writestr("train.txt", data)
    return made.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
    "zstd": lambda data: b"\x28\xb5\x2f\xfd\x04\x00" + data,  # how one begins
}


def damaged_file(kind: str, text: str, at: int) -> bytes | None:
    """A file as a whole; ``at`` is the place of a line. None if it is not written."""
    lines = text.split("\n")
    match kind:
        case "gzip" | "bzip2" | "xz" | "zip" | "zstd":
            return PACKED[kind](text.encode())
        case "UTF-16":
            return text.encode("utf-16")
        case "CR alone":
            return text.replace("\n", "\r").encode()
        case "latin-1":
            return "\n".join([*lines[:at], "\udce9", *lines[at:]]).encode(errors="surrogateescape")
        case "a mark within":
            return "\n".join([*lines[:at], f"\ufeff{lines[at]}", *lines[at + 1 :]]).encode()
        case "empty" | "blank":
            return b"" if kind == "empty" else b"\n \t\n\n"
    return None


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("kind", FILES)
def test_what_is_no_such_file_is_said(undamaged, written, tmp_path, name, kind):
    for seed in range(3):
        rng = random.Random(f"{name} {kind} {seed}")
        lines, good = undamaged(name, rng)
        at = rng.randrange(1, len(lines) - 1)
        content = damaged_file(kind, "\n".join(lines), at)
        bad = str(tmp_path / kind if content is None else written(content))
        if kind == "a folder":
            Path(bad).mkdir(exist_ok=True)
        for read in of_both(name, bad, good):
            refused(read, bad, FILES[kind].format(at + 1))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "a mark first": lambda text: f"\ufeff{text}",
    "no last line end": lambda text: text.rstrip("\n"),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_same_problem_in_other_spellings(undamaged, written, name, spelling):
    lines, good = undamaged(name, random.Random(name))
    text = "\n".join([*lines, ""]) if lines[-1] else "\n".join(lines)
    plain, other = written(text, "plain"), written(SPELLINGS[spelling](text), "spelled")
    for left, right in zip(of_both(name, plain, good), of_both(name, other, good), strict=True):
        assert fingerprint(left()) == fingerprint(right())
    assert datasets.data_ref(f"{name}:x").structure == datasets.build(f"{name}:{other}").train.id


ODD = [*"0|()#:²@-\\\r\t\0 \u2028\x1c\u00a0\ufeff", "", "nan", "inf", "-1", "1e999", "|||", "B-", "1_0"]


def accident(kind: str, text: str, rng: random.Random) -> str:
    """What a bad copy or an editor leaves."""
    lines, at = text.split("\n"), rng.randrange(len(text))
    k, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    new = "é" * 10_000 if kind == "a long cell" else rng.choice(ODD)
    match kind:
        case "cut":
            return text[:at]
        case "gone":
            return "\n".join(lines[:k] + lines[k + 1 :])
        case "twice":
            return "\n".join([*lines[:k], lines[k], *lines[k:]])
        case "swapped":
            lines[k], lines[other] = lines[other], lines[k]
            return "\n".join(lines)
        case "a letter gone":
            return text[:at] + text[at + 1 :]
        case "joined":
            return "\n".join([*lines[:k], "".join(lines[k : k + 2]), *lines[k + 2 :]])
        case "inserted":
            return text[:at] + new + text[at:]
        case "a cell" | "a long cell":
            place = rng.choice([*re.finditer(r"[^ \t\n]+", text)])
            return text[: place.start()] + new + text[place.end() :]
    return text.replace("\n", rng.choice(["\n\n", "\n \n", " \n", "\r\n\r\n"]))


ACCIDENTS = [
    "cut",
    "gone",
    "twice",
    "swapped",
    "a letter gone",
    "joined",
    "inserted",
    "a cell",
    "a long cell",
    "ends",
]
WITHOUT_LINE = r" has no |at least two (labels|classes)|first words of its lines|the cost of label"


def judged(read: Callable[[], Any], path: str, text: str) -> Any:
    """What is read; None if a sentence refuses it."""
    try:
        return read()
    except UserError as error:
        said = str(error)
        assert said.startswith(path) and "\n" not in said and len(said) < len(path) + 300, said
        line = re.match(r", line (\d+): ", said.removeprefix(path))
        assert 1 <= int(line[1]) <= text.count("\n") + 1 if line else re.search(WITHOUT_LINE, said), said


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("kind", ACCIDENTS)
def test_an_accident_is_refused_in_a_sentence_or_read_as_it_is_written(undamaged, written, name, kind):
    for seed in range(ROUNDS):
        rng = random.Random(f"{name} {kind} {seed}")
        lines, good = undamaged(name, rng)
        text = accident(kind, "\n".join(lines), rng)
        bad = written(text)
        problem = judged(partial(datasets.build, f"{name}:{bad}"), bad, text)
        assert problem is None or gold(name, problem) == PLAIN[name](text.removeprefix("\ufeff")), (seed, text)
        data = datasets.data_ref(f"{name}:{good}")
        known = datasets.build(data)
        encode = partial(new_examples.encode, data, text.encode(), "new", known.labels, known.vocabulary)
        encoded = judged(encode, "new", text)
        if encoded is not None and problem is not None:
            assert parts.num_examples(encoded.split) == parts.num_examples(problem.train), (seed, text)


OPTIONS = {"costs": "toy-points:costs={}", "templates": "columns:{}/train,templates={}/data"}
TEXTS = {
    "costs": "class 1\tclass 2\nclass 1\t0\t2.5\nclass 2\t1\t0\n",
    "templates": "# ours\nw[0]\n\nw[-1]|c2[0]\n",
}


def plain_option(name: str, text: str) -> list[Any]:
    """The costs by label, or the templates, that a text has."""
    lines = [line.strip() for line in text.removeprefix("\ufeff").split("\n") if line.strip()]
    if name == "templates":
        return [line for line in lines if not line.startswith("#")]
    columns, *others = ([word.strip() for word in line.split("\t" if "\t" in line else None)] for line in lines)
    return sorted(
        (row[0], label, float(cost)) for row in others for label, cost in zip(columns, row[1:], strict=True)
    )


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("kind", ACCIDENTS)
def test_files_that_options_name_are_refused_in_a_sentence_or_read(written, tmp_path, name, kind):
    written("a X\nb Y\n", "train")
    for seed in range(ROUNDS):
        text = accident(kind, TEXTS[name], random.Random(f"{name} {kind} {seed}"))
        bad = written(text)
        ref = OPTIONS[name].format(bad if name == "costs" else tmp_path, tmp_path)
        problem = judged(partial(datasets.build, ref), bad, text)
        if problem is not None and name == "costs":
            costs = parts.unwrap(problem.train).costs
            found = [
                (a, b, costs[i, j]) for i, a in enumerate(problem.labels) for j, b in enumerate(problem.labels)
            ]
            assert sorted(found) == plain_option(name, text), text
        elif problem is not None:
            assert problem.vocabulary["templates"] == [*dict.fromkeys(plain_option(name, text))], text
