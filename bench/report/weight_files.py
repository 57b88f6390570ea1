"""Read weights from an untrusted NumPy, CRFsuite or text file, in the order of a problem's weight vector."""

import math
import tokenize
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from structbench.algorithms.black_boxes import crfsuite, exchange
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import interface as parts
from structbench.datasets.fetching import archives
from structbench.datasets.problems.problem import Problem

CRFSUITE, ARCHIVE, ARRAY = b"lCRF", b"PK", b"\x93NUMPY"  # how files begin
FORMS = "a .npy or .npz file of NumPy, a model file of CRFsuite, or lines such as state, attribute, label, weight"
LONGEST = 1000  # bytes of a file that names attributes, for each weight
LONGEST_LINE = 10_000  # letters: of a name of an attribute, not of a matrix in one line
BINARY = {  # how files begin that are sent in place of weights
    b"\x1f\x8b": "it is a gzip file: unpack it",
    b"BZh": "it is a bzip2 file: unpack it",
    b"\xfd7zXZ": "it is an xz file: unpack it",
    b"\x80": "it seems to be a pickle, which could run code: write the array with numpy.save",
    b"\xff\xfe": "it is UTF-16: save it as UTF-8",
}
BROKEN = (*archives.BROKEN, OSError, ValueError, LookupError, tokenize.TokenError)
REAL = "fiu"  # kinds of NumPy's types
HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def beginning(file: Path) -> bytes:
    """The first bytes of a file of weights, which tell its form; raises a UserError if it is no regular file."""
    try:
        if file.exists() and not file.is_file():  # a pipe would wait for its writer
            raise UserError(f"{file} is no regular file: expected {FORMS}")
        with file.open("rb") as stream:
            return stream.read(len(ARRAY))
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}: expected {FORMS}") from error


class _OtherNumber(ValueError):
    """An array has another number of weights than the problem."""


def has_names(file: Path) -> bool:
    """Whether a file names attributes and labels; raises as ``beginning``."""
    return not beginning(file).startswith((ARCHIVE, ARRAY))


def weights_of_file(file: Path, problem: Problem) -> np.ndarray:
    """The weights in a file, float64 (num_weights,), in the order of the problem's structure.

    Raises:
        UserError: It is none of ``FORMS``, or of other data, or a weight is not finite.
    """
    begun, shapes = beginning(file), _shapes(problem)
    try:
        with file.open("rb") as stream:
            if begun.startswith(ARRAY):
                found = _array(stream, "weights", shapes["weights"])
            elif begun.startswith(ARCHIVE):
                with zipfile.ZipFile(stream) as archive:
                    found = _of_arrays(archive, shapes)
            else:
                found = _of_names(file, stream, problem)
    except Fault as error:
        raise UserError(str(error)) from None
    except UserError:
        raise
    except _OtherNumber as error:
        raise UserError(f"{file}: {error}") from None
    except BROKEN as error:
        said = str(error).partition("\n")[0]
        raise UserError(f"{file} holds no weights ({said}): expected {FORMS}") from None
    with np.errstate(over="ignore"):  # of a long double
        found = found.astype(np.float64)
    if len(wrong := np.flatnonzero(~np.isfinite(found))):
        raise UserError(f"{file}: weight {wrong[0]} is {found[wrong[0]]}, which is not finite")
    return found


def _shapes(problem: Problem) -> dict[str, list[tuple[int, ...]]]:
    """What arrays a file may have, and the shapes that each may have."""
    size, is_chain = parts.num_weights(problem.train), parts.has(problem.train, parts.label_sequences)
    if _edge_features(problem) or (not is_chain and not parts.has(problem.train, parts.decisions)):
        return {"weights": [(size,)]}
    K = len(exchange.label_names(problem, problem.train))
    shapes: dict[str, list[tuple[int, ...]]] = {"weights": [(size,), (size // K, K)]}
    shapes[exchange.STATE] = [(size // K - K * is_chain, K)]
    return shapes | ({exchange.TRANSITION: [(K, K)]} if is_chain else {})


def _edge_features(problem: Problem) -> int:
    """How many features of edges are observed: names of attributes and labels do not say their weights."""
    is_chain = parts.has(problem.train, parts.label_sequences)
    return parts.label_sequences(problem.train).num_edge_features if is_chain else 0


def _array(
    stream: IO[bytes], name: str, shapes: list[tuple[int, ...]], most: int = -1, kinds: str = REAL
) -> np.ndarray:
    """The numbers of an array, in one row. They are read once the header says that they are what is expected.

    Args:
        most: One row of as many numbers, or fewer, will do, too.
        kinds: The kinds of NumPy's types that the array may have.
    """
    version = npy.read_magic(stream)
    if version not in HEADERS:
        raise ValueError(f"{name} is of version {version} of NumPy's format")
    shape, by_columns, dtype = HEADERS[version](stream)
    if dtype.kind not in kinds:
        raise ValueError(f"{name} has {dtype}, not {'real' if kinds == REAL else 'whole'} numbers")
    if shape not in shapes and not (len(shape) == 1 and 0 <= shape[0] <= most):
        if len(shape) == 1 and (sizes := [each[0] for each in shapes if len(each) == 1]):
            raise _OtherNumber(f"{shape[0]:,} {name}, {sizes[0]:,} needed")
        expected = " or ".join(map(str, shapes)) or f"at most {most:,}"
        raise ValueError(f"{name} has the shape {shape}, and these data have {expected}")
    size = math.prod(shape) * dtype.itemsize
    if len(content := stream.read(size + 1)) != size:
        raise ValueError(f"{name} is not of the {size:,} bytes that its header says")
    return np.frombuffer(content, dtype).reshape(shape, order="F" if by_columns else "C").ravel()


def _of_arrays(archive: zipfile.ZipFile, shapes: dict[str, list[tuple[int, ...]]]) -> np.ndarray:
    """``weights``; ``state``, and of chains ``transition``; or, as runs have them, those that are not 0."""
    there = {name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")}

    def array(name: str, *which: Any) -> np.ndarray:
        with archive.open(f"{name}.npy") as stream:
            return _array(stream, name, *which)

    forms = [{"weights"}, {exchange.STATE, exchange.TRANSITION}, {"places", "values"}]
    if sum(not form.isdisjoint(there) for form in forms) > 1:
        raise ValueError(f"its arrays are {', '.join(sorted(there))}: expected one form of weights")
    if exchange.STATE in there and exchange.STATE in shapes:
        if more := sorted(there - shapes.keys()):
            raise ValueError(
                f"beside {exchange.STATE} it has {', '.join(more)}, which are no weights of these data"
            )
        return np.concatenate([array(name, shapes[name]) for name in shapes if name != "weights"])
    if "weights" in there:
        return array("weights", shapes["weights"])
    if "values" not in there:
        wanted = "weights, or state and transition" if exchange.STATE in shapes else "weights, all in one array"
        raise ValueError(f"its arrays are {', '.join(sorted(there)) or 'none'}, not {wanted}")
    ((count,), *_) = shapes["weights"]
    places, size = array("places", [], count, "iu"), array("size", [()], -1, "iu")
    if size != count or len({*places.tolist()}) < len(places) or not ((places >= 0) & (places < count)).all():
        raise ValueError(f"its places are not each another one of these {count:,} weights, or its size is another")
    full = np.zeros(count)
    full[places] = array("values", [places.shape])
    return full


def _of_names(file: Path, stream: IO[bytes], problem: Problem) -> np.ndarray:
    if not (parts.has(problem.train, parts.decisions) or parts.has(problem.train, parts.label_sequences)):
        raise UserError(f"{file} names attributes, and these data are no classes or chains: give an array")
    if count := _edge_features(problem):
        raise UserError(f"{file} names attributes, and these data have {count} features of edges: give an array")
    longest = LONGEST * (1000 + parts.num_weights(problem.train))
    if len(content := stream.read(longest + 1)) > longest:
        raise ValueError(f"it has more than the {longest:,} bytes that these data need")
    rows = _of_crfsuite(content) if content.startswith(CRFSUITE) else _of_text(content)
    if not rows:
        raise ValueError("it names none")
    columns = names_of_columns(problem)
    columns = {name: at for at, name in enumerate(columns)} if isinstance(columns, list) else None
    return exchange.weights(str(file), rows, problem, problem.train, columns)


def names_of_columns(problem: Problem) -> Any:
    """What the columns of features are called; None if they have no names."""
    known = problem.vocabulary or {}
    return known.get("nodes", known.get("columns"))


def _of_crfsuite(model: bytes) -> list[list[str]]:
    labels, attributes, learnt = crfsuite.read_features(model)
    rows = []
    for kind, source, target, weight in learnt.tolist():
        is_state = kind == crfsuite.STATE
        first = attributes[source] if is_state else labels[source]
        rows.append([exchange.STATE if is_state else exchange.TRANSITION, first, labels[target], repr(weight)])
    return rows


def _of_text(content: bytes) -> list[list[str]]:
    if begun := next((magic for magic in BINARY if content.startswith(magic)), None):
        raise ValueError(BINARY[begun])
    text = content.decode("utf-8-sig").removesuffix("\n")  # splitlines() would tear names at other separators
    lines = [line.removesuffix("\r") for line in text.split("\n")] if text else []
    if long := next((at for at, line in enumerate(lines, 1) if len(line) > LONGEST_LINE), 0):
        raise ValueError(f"line {long} has {len(lines[long - 1]):,} letters")
    return [line.split("\t") for line in lines]
