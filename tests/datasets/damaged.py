"""Files of the user's for tests: drawn by a seed, damaged, and read plainly.

``DAMAGES`` are lines that a reader must refuse, and what it says of them. ``PLAIN`` finds the gold outputs that a
text has, and ``gold`` those that a problem has.
"""

import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from structbench.datasets.problems.problem import Problem

WORDS = ("café", "b", "Zug", "7", "x-1", "a\u00a0b")

# ---- files, one line a text -----------------------------------------------------------------------------------


def tokens(rng: random.Random, token: Callable[[int, int], str]) -> list[str]:
    """Sentences of the lines that ``token`` makes of a place and a length, with empty lines around them."""
    lines = [""] * rng.randrange(2)
    for _ in range(rng.randrange(2, 5)):
        length = rng.randrange(1, 5)
        lines += [*(token(k, length) for k in range(length)), ""]
    return lines


def tree_lines(width: int) -> Callable[[random.Random], list[str]]:
    """Sentences whose last token is the root; heads are to the right."""

    def lines(rng: random.Random) -> list[str]:
        def token(k: int, length: int) -> str:
            head = 0 if k == length - 1 else rng.randrange(k + 2, length + 1)
            cells = [k + 1, rng.choice(WORDS), "_", "N", rng.choice("NV_"), "_", head, "x", "_", "_"]
            return "\t".join(map(str, cells[:width]))

        return tokens(rng, token)

    return lines


def pairs(rng: random.Random) -> str:
    left, right = ([rng.choice(WORDS[:5]) for _ in range(rng.randrange(1, 4))] for _ in range(2))
    links = [f"{j}-{min(j, len(right) - 1)}" for j in range(rng.randrange(len(left) + 1))]
    return f"{' '.join(left)} ||| {' '.join(right)} ||| {' '.join(links)}"


LINES: dict[str, Callable[[random.Random], list[str]]] = {
    "columns": lambda rng: tokens(rng, lambda k, _: f"{rng.choice(WORDS)} N {'BI'[k > 0]}-X"),
    "conll2003": lambda rng: ["-DOCSTART- -X- -X- O", "",
                              *tokens(rng, lambda k, _: f"{rng.choice(WORDS)} N I-NP {'BI'[k > 0]}-PER")],
    "conllx": tree_lines(8),
    "conllu": tree_lines(10),
    "crfsuite": lambda rng: tokens(rng, lambda k, _: f"{'BI'[k > 0]}\tw={rng.choice(WORDS[:5])}\ty:{k + 0.5}"),
    "penn": lambda rng: [f"(S (NP (NN {rng.choice(WORDS)})) (VP (VBD {rng.choice(WORDS)})))" for _ in range(4)],
    "pharaoh": lambda rng: [pairs(rng) for _ in range(4)],
    "svmlight": lambda rng: [f"{k % 3} {k}:0.5 {k + 2}:{rng.randrange(1, 9)} # {k}" for k in range(1, 6)],
}  # fmt: skip

# ---- what is wrong with a line: itself (%), or one of its cells, becomes this -> what is said of it -----------

HEAD = "expected the number of a head in the seventh column, found"
WHOLE = "expected a whole number from 0"
ATTRIBUTE = "expected attribute:value with a finite value"
DAMAGES: dict[str, dict[str | tuple[int, str], str]] = {
    "columns": {"b": "expected (3|two) columns .* found .*'b'", "% x": "expected (3|4) columns .* found (3|4)"},
    "conll2003": {"b N": r"expected 4 columns \(w pos chunk tag\), found 2: 'b N'", "% x": "expected 4 .* found 5",
                  "b N O B-PRE": "expected an entity tag, O or .* found 'B-PRE'", "b N O B-": ".* found 'B-'"},
    "conllx": {"%\tx": "expected 8 or 10 columns separated by tabs, found 9", "a N": ".* found 1: 'a N'",
               "# comment": "expected 8 or 10 columns separated by tabs, found 1"},
    "conllu": {"%\tx": "expected 10 columns separated by tabs, found 11", (0, "1-"): ".* found '1-'"},
    "crfsuite": {"\tx": "expected a label at the start of the line", "  ": "expected a label at the start",
                 "B x y": "expected a label and attributes separated by tabs, found blanks in 'B x y'",
                 "@weight:2": "expected a label, found the declaration '@weight:2'",
                 "A:1\tx": "expected a label, its colons written", "%\tx:y": f"{ATTRIBUTE} .* found 'x:y'",
                 "A\tx:nan": ATTRIBUTE, "%\tx:inf": ATTRIBUTE, "A\tx:1_0": ATTRIBUTE, "A\tx:1:2": ATTRIBUTE},
    "penn": {"(S (NN b)": "expected brackets that match, this one is never closed",
             ")": r"expected a tree in brackets, found '\)'", "word": "expected a tree in brackets, found 'word'",
             "(S (NN a) b)": "expected a bracket, found the word 'b'", "()": r"expected .* found '\( \)'",
             "(S (NN\na b c))": r".* found '\( NN a b c \)'",
             "(S (NN a b))": r"expected \(label \(...\) ...\) or \(tag word\), found '\( NN a b \)'",
             "(S (NN))": r"expected .* found '\( NN \)'", "(S ((NN a)))": r"expected .* found '\( \(...\) \)'",
             "(S x (NN a))": r"expected .* found '\( S x \(...\) \)'", "(S (" * 101: "expected at most 200",
             "(S (A+X (NN a)))": r"expected a label without \+, which joins labels here, found 'A\+X'"},
    "pharaoh": {"a ||| b": r"expected source words \|\|\| target words \|\|\| links, found 2 fields: 'a",
                "": "expected source words .*, found 1 field: ''",
                "||| b |||": "expected 1 to 1000 source words, found 0",
                "a ||| |||": "expected 1 to 1000 target words, found 0",
                f"a ||| {'b ' * 1001}|||": "expected 1 to 1000 target words, found 1001",
                "a ||| b ||| 0:0": "expected a link source-target such as 0-1, found '0:0'",
                "a ||| b ||| -1-0": "expected a link source-target such as 0-1, found '-1-0'",
                "a b ||| c ||| 0-0 0-1": "link 0-1 is out of range: there are 2 source and 1 target words, num",
                "a ||| b c ||| 0-0 1-0": "link 1-0 is out of range: there are 1 source and 2 target words, num"},
    "svmlight": {"nan 1:1": r"the label is missing \(nan\)", "-NaN 1:1": r"the label is missing \(-NaN\)",
                 "1:1 2:1": "expected a label first, found '1:1'", "2 3": "expected index:value, found '3'",
                 "2 1:2:3": "expected index:value, found '1:2:3'", "2 1:": "expected a finite number after",
                 "1 x:1": WHOLE, "1 1.5:1": WHOLE, f"1 {'9' * 20}:1": WHOLE, "1 1_0:1": WHOLE,
                 "1 -1:1": "expected an index of 0 or more, found -1",
                 "1 1:nan": "expected a finite number, found nan",
                 "2 1:-inf": "expected a finite number, found -inf", "2 3:1 2:1 3:1": "index 3 occurs twice",
                 "1 qid:3 1:1": "found 'qid:3', but queries belong to ranking"},
}  # fmt: skip
OF_TREES = {(0, "9"): "expected token . of the sentence, found '9'", (6, "9"): "expected a head from 0 to",
            (0, "01"): "expected token . of the sentence, found '01'", (1, ""): "expected a word in the second",
            **{(6, head): f"{HEAD} {head[:60]!r}$" for head in ("_", "", "-1", "²", "nan", "9" * 50)}}  # fmt: skip
for of_trees in ("conllx", "conllu"):
    DAMAGES[of_trees] |= OF_TREES
FILES = {  # what a whole file is -> what is said of it; {0} is a line of it, with its number behind the colon
    "gzip": "line 1: expected UTF-8 text, found a gzip file: unpack it",
    "bzip2": "line 1: expected UTF-8 text, found a bzip2 file: unpack it",
    "xz": "line 1: expected UTF-8 text, found an xz file: unpack it",
    "zip": "line 1: expected UTF-8 text, found a zip file, as .xlsx is one: unpack it, or save it as text",
    "zstd": "line 1: expected UTF-8 text, found a zstd file: unpack it",
    "UTF-16": "line 1: expected UTF-8 text, found UTF-16: save it as UTF-8",
    "CR alone": "line 1: expected lines that end in LF or CRLF, found CR alone",
    "latin-1": "line {}: expected UTF-8 text, found byte 0xe9",
    "a mark within": "line {}: found a byte order mark within the file: remove it",
    "empty": "has no ",
    "blank": "has no |expected source words|expected a label at the start",
    "a folder": "expected a readable text file, but: Is a directory",
    "not there": "there is no such file",
}

# ---- what a text says, read plainly, and what a problem has of it ---------------------------------------------


LEAF = re.compile(r"\([ \t\r\n]*[^ \t\r\n()]+[ \t\r\n]+[^ \t\r\n()]+[ \t\r\n]*\)")


def rows(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def blocks(lines: list[str], blank: str = " \t") -> Iterator[list[str]]:
    """The runs of lines between empty ones."""
    ends = [-1, *(k for k, line in enumerate(lines) if not line.strip(blank)), len(lines)]
    yield from (lines[a + 1 : b] for a, b in pairwise(ends) if b > a + 1)


def last_cells(text: str) -> list[list[str]]:
    return [[re.findall(r"[^ \t]+", line)[-1] for line in block] for block in blocks(rows(text))]


def plain_heads(text: str) -> list[list[int]]:
    kept = [line for line in rows(text) if not re.match(r"#|\d+[-.]\d+\t", line)]
    return [[int(line.split("\t")[6]) for line in block] for block in blocks(kept)]


def plain_pairs(text: str) -> list[tuple[int, list[int]]]:
    found = []
    for line in rows(text.removesuffix("\n")):
        left, right, links = (field.split() for field in line.split("|||"))
        linked = np.zeros((len(left), len(right)), int)
        linked[tuple(zip(*(map(int, link.split("-")) for link in links), strict=True)) if links else ([], [])] = 1
        found.append((len(right), linked.ravel().tolist()))
    return found


def plain_classes(text: str) -> list[float | str]:
    words = [line.partition("#")[0].split()[0] for line in rows(text) if line.partition("#")[0].split()]
    return numbers(words)


def numbers(words: list[str]) -> list[float | str]:
    try:
        return [float(word) for word in words]
    except ValueError:
        return [*words]


PLAIN: dict[str, Callable[[str], list[Any]]] = {
    "columns": last_cells,
    "conll2003": lambda text: [[tag[2:] for tag in sentence]
                               for sentence in last_cells(re.sub("(?m)^-DOCSTART-.*$", "", text))],
    "conllx": plain_heads,
    "conllu": plain_heads,
    "crfsuite": lambda text: [[re.sub(r"\\([\\:])", r"\1", line.split("\t")[0]) for line in block]
                              for block in blocks(rows(text), "")],
    "penn": lambda text: [len(LEAF.findall(tree)) for tree in trees(text)],
    "pharaoh": plain_pairs,
    "svmlight": plain_classes,
}  # fmt: skip


def trees(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for found in re.finditer("[()]", text):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            yield text[start : found.end()]
            start = found.end()


def gold(name: str, problem: Problem) -> list[Any]:
    """The gold outputs of the training examples, as ``PLAIN`` has them."""
    split: Any = problem.train
    if name == "penn":
        spans = np.diff(split.output_starts)
        return np.rint(np.sqrt(2 * spans + 0.25) - 0.5).astype(int).tolist()
    if name == "pharaoh":
        words = np.diff(split.starts)
        return [
            (targets, part.tolist())
            for targets, part in zip(
                split.targets, np.split(split.links, np.cumsum(words * split.targets)[:-1]), strict=True
            )
        ]
    labels = split.y.tolist() if name in ("conllx", "conllu") else [problem.labels[k] for k in split.y]
    if name == "svmlight":
        return numbers(labels)
    if name == "conll2003":
        labels = [label[2:] for label in labels]
    return [labels[a:b] for a, b in pairwise(split.starts)]
