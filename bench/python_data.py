"""Write data passed from Python to a file that a data set can read, named by the hash of its content."""

import hashlib
import re
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.names import first_of
from structbench.bench.runs import results, tables
from structbench.bench.runs.tables import SENTENCE
from structbench.bench.workflow import config_files
from structbench.datasets import crfsuite, svmlight
from structbench.datasets.columns import NAME
from structbench.datasets.problems import rows
from structbench.datasets.problems.labels import distinct, in_order, number_of, place_in
from structbench.datasets.references import modules
from structbench.datasets.text import columns
from structbench.datasets.text.templates import ESCAPES

if TYPE_CHECKING:
    import pandas as pd

FORMS = (
    "give the name of a data set, a DataFrame with a column 'sentence', or a pair (X, y): words, tuples of texts "
    "or dicts with a list of labels for each sentence, or rows of numbers with a label each"
)
Data: TypeAlias = "str | pd.DataFrame | tuple[Any, Any]"


class _Written(NamedTuple):
    """What a file of data has, and how it is read."""

    kind: str  # the data set that reads the file
    text: str
    options: str  # of the data set
    labels: list[Any]  # of all decisions, as they were given


def named(data: Any, test: Any = None) -> tuple[str, str | None]:
    """Data and test data as the command line takes them. What is no text is written to a file of the results.

    Raises:
        UserError: They have none of the forms in ``FORMS``, or not the same form.
    """
    if isinstance(data, str):
        check_is_data(data)
        if not isinstance(test, str | Path | None):
            raise UserError("test must be the path of a file, as data is a name")
        return data, None if test is None else str(test)
    kind, text, options, labels = _checked(data)
    if test is None:
        return f"{kind}:{_file(kind, text)}{options}", None
    if isinstance(test, str | Path):
        raise UserError(f"test must have the form of data, a DataFrame or a pair (X, y), not {str(test)!r}")
    test_kind, test_text, test_options, test_labels = _checked(test, "test")
    if (test_kind, test_options) != (kind, options):
        raise UserError(f"test must have the form of data: {kind}{options}, not {test_kind}{test_options}")
    widths = [_width(each) for each in (data, test)] if kind == "svmlight" else []
    if None not in widths and len({*widths}) > 1:
        raise UserError("data has {} columns, and test {}: give equally many".format(*widths))
    if kind == "svmlight":
        _check_names(data[0], test[0])
        labels, test_labels = ([*map(_whole, each)] for each in (labels, test_labels))
    distinct([*labels, *test_labels], lambda number: "data" if number < len(labels) else "test")
    return f"{kind}:{_file(kind, text)}{options}", str(_file(kind, test_text))


def _check_names(X: Any, test_X: Any) -> None:
    """Raise a UserError if two DataFrames have other columns, or in another order: columns go by their place."""
    names, test_names = ([*getattr(each, "columns", ())] for each in (X, test_X))
    if not all(isinstance(name, str) for name in (*names, *test_names)):
        return
    for name, test_name in zip(names, test_names, strict=False):
        if name != test_name:
            raise UserError(
                f"data has the column {name!r} where test has {test_name!r}: give the same columns in one order"
            )


def _whole(label: Any) -> Any:
    """The whole number that a label is, as a file of rows has it, or else the label itself."""
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _width(data: Any) -> int | None:
    """How many columns rows of numbers have; None of dicts."""
    X = data[0]
    if len(shape := getattr(X, "shape", ())) == 2:
        return shape[1]
    first = X[0] if isinstance(X, list | tuple) else {}
    return None if isinstance(first, dict) else len(first)


def check_is_data(name: str) -> None:
    """Raise a UserError that says what to use if the name is that of a config, and of no data set."""
    if name.partition(":")[0] in modules.names() or not config_files.is_config(name):
        return
    from structbench.bench.workflow import config

    with results.kept():
        texts = [*dict.fromkeys(spec.data.whole.text for spec in config.read_config(name).specs)]
    makes = f"structbench.grid({name!r}) makes its runs, structbench.load({name!r}) has its best model"
    raise UserError(f"{name!r} is a config, not a data set: {makes}, and its data are {first_of(texts, 3)}")


def _checked(data: Any, what: str = "data") -> _Written:
    """As ``_written``; what is of no form at all is said in a sentence, too."""
    try:
        return _written(data, what)
    except UserError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise UserError(f"{what} cannot be read ({error}): {FORMS}") from error


def _written(data: Any, what: str) -> _Written:
    """Data of one of the ``FORMS`` as the text of a file."""
    if tables.is_table(data):
        return _table(data)
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise UserError(f"{what} is of type {type(data).__name__}: {FORMS}")
    features, labels = data
    if hasattr(features, "to_numpy"):
        features = features.to_numpy()
    features = rows.by_index(features) if rows.is_sparse(features) else [*features]
    if getattr(labels, "shape", ())[1:] == (1,) and features and _is_of_numbers(features[0]):
        labels = np.ravel(labels)
    tables.refuse_table(labels, "y", "give a list of the labels of each example")
    labels = [*labels]
    if len(features) != len(labels):
        raise UserError(f"{len(features)} examples have {len(labels)} lists of labels: give as many of both")
    if not labels:
        raise UserError(f"{what} has no examples: {FORMS}")
    if isinstance(features[0], dict) or isinstance(labels[0], str) or not hasattr(labels[0], "__iter__"):
        lines = svmlight.written(features).split("\n")
        words = _words(labels, lambda number: f"example {number}", "[^\\s#:]+")
        if isinstance(labels[0], str) and what == "data":  # labels of training decide how all are read
            _refuse_renamed({*words})
        text = "".join(f"{y}{line[1:]}\n" for y, line in zip(words, lines, strict=True))
        return _Written("svmlight", text, "", labels)
    features, labels = _lists(features, "tokens"), _lists(labels, "labels")
    for token in chain.from_iterable(features):
        rows.refuse_texts(token)
    first, flat = next(chain.from_iterable(features), None), [*chain.from_iterable(labels)]
    if isinstance(first, str) or _is_row(first):
        return _Written("columns", _sentences(features, labels), "", flat)
    return _Written("crfsuite", _sequences(features, labels), "", flat)


def _refuse_renamed(labels: set[str]) -> None:
    """Raise a UserError if these texts are read as numbers, and one would come back as another text."""
    if any(number_of(label) is None for label in labels):
        return
    if odd := min((label for label in labels if svmlight.name_of(label) != label), default=""):
        name = svmlight.name_of(odd)
        raise UserError(f"the label {odd!r} would be read as the number {name}: give {name!r}, or 'class-{odd}'")


def _lists(given: list[Any], of: str) -> list[list[Any]]:
    """The tokens or the labels of each example.

    Raises:
        UserError: An example has none, such as None, or is a DataFrame.
    """
    for number, each in enumerate(given):
        tables.refuse_table(each, f"example {number}", f"give a list of its {of}")
        if not isinstance(each, Iterable):
            raise UserError(f"example {number} is no sequence of {of}, it is {each!r:.60}")
    return [[*each] for each in given]


def _is_of_numbers(example: Any) -> bool:
    """Whether an example is a row of numbers, or a dict of them."""
    first = next(iter(example), "") if isinstance(example, Iterable) else ""
    return isinstance(example, dict) or not (isinstance(first, str) or rows.is_no_number(first))


def _table(table: "pd.DataFrame") -> _Written:
    """A row a token: the columns but ``sentence``, the word first and the label last."""
    names = [str(name) for name in table.columns if name != SENTENCE]
    if SENTENCE not in table.columns or len(names) < 2:
        raise UserError(
            f"the DataFrame has the columns {', '.join(map(str, table.columns))}: it needs {SENTENCE}, the number "
            "of each token's sentence, then the word, and last the label"
        )
    if odd := [name for name in names if not NAME.fullmatch(name)]:
        raise UserError(f"the column {odd[0]!r} has no name that templates can use: expected letters and digits")
    table = tables.with_texts_as_names(table)
    labels = [*table[names[-1]]]
    words = _words(labels, lambda number: f"row {number}, column {names[-1]}")
    text = columns.written(tables.sentences(table.assign(**{names[-1]: words}), names))
    return _Written("columns", text, f",names={' '.join(names)}", labels)


def _sentences(features: list[Any], labels: list[list[Any]]) -> str:
    """Words, or tuples of texts, each with its label: a row a token."""
    words = iter(_label_words(features, labels))
    cells = [[(token,) if isinstance(token, str) else token for token in tokens] for tokens in features]
    flat = [token for tokens in cells for token in tokens]
    for number, token in enumerate(flat):
        if not _is_row(token) or len(token) != len(flat[0]):
            where = place_in(np.array([*map(len, cells)]))(number)
            wanted = f"{len(flat[0])} texts a token" if len(flat[0]) > 1 else "a text a token, as for the first"
            raise UserError(f"{where}: expected {wanted}, found {token!r:.60}")
    return columns.written([(*token, next(words)) for token in tokens] for tokens in cells)


def _is_row(token: Any) -> bool:
    """Whether a token is a word and what is known of it, as a tuple of texts."""
    return isinstance(token, tuple) and bool(token) and all(isinstance(each, str) for each in token)


def _label_words(features: list[Any], labels: list[list[Any]]) -> list[str]:
    """The labels of all tokens as words; there must be one a token."""
    for k, (tokens, given) in enumerate(zip(features, labels, strict=True)):
        if len(tokens) != len(given):
            raise UserError(f"example {k} has {len(tokens)} tokens and {len(given)} labels: give as many of both")
    flat = [label for given in labels for label in given]
    return _words(flat, place_in(np.array([*map(len, labels)])))


def _sequences(features: list[Any], labels: list[list[Any]]) -> str:
    words = iter(_label_words(features, labels))
    lines = crfsuite.written(features).split("\n")
    return "\n".join(f"{next(words).translate(ESCAPES)}{line}" if line else "" for line in lines)


def _words(labels: list[Any], where: Callable[[int], str], allowed: str = columns.WORD.pattern) -> list[str]:
    """Labels as the words of a file."""
    word = {}
    for label in in_order(distinct(labels, where)):
        word[label] = str(label)
        if not isinstance(label, str | int | float) or not re.fullmatch(allowed, word[label]):
            signs = ", # and :" if "#" in allowed else ""
            raise UserError(f"{label!r} is no label: give a word without blanks, line ends{signs}, or a number")
    return [word[label] for label in labels]


def _file(kind: str, text: str) -> Path:
    """The file with this text; it is written if it is not there."""
    data = text.encode()
    file = results.root() / "given" / f"{hashlib.sha256(data).hexdigest()[:12]}.{kind}"
    if not file.is_file():
        with write_or_explain(file):
            write_atomically(file, data)
    return file
