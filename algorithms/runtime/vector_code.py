"""Arrays, pieces of rows, and loops, in LLVM's intermediate language: what ``rows_code`` is written with."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.ir as ir
from llvmlite import binding
from numba import types
from numba.core import cgutils
from numba.np import arrayobj

WIDTHS = (16, 8, 4, 2, 1)  # numbers of a row handled at a time, each a power of two
TOGETHER = 4  # terms added up first: each addition to a sum waits for the one before
CAN_MASK = bool(binding.get_host_cpu_features().get("avx512f"))  # loads and stores of part of a vector
CACHE_LINE = 64  # bytes
DOUBLE, FLOAT = ir.DoubleType(), ir.FloatType()
WORD, SHORT = ir.IntType(64), ir.IntType(32)
BYTES = ir.IntType(8).as_pointer()
CONTRACT = ("contract",)  # a product and a sum may be rounded once


class Array:
    """An array in LLVM's language: the address of its numbers, their type, and its shape."""

    def __init__(self, context: Any, builder: Any, kind: types.Array, value: Any) -> None:
        array = arrayobj.make_array(kind)(context, builder, value)
        self.builder, self.data = builder, array.data
        self.shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
        self.type, self.size = context.get_data_type(kind.dtype), kind.dtype.bitwidth // 8
        self.widen = builder.sext if getattr(kind.dtype, "signed", True) else builder.zext

    def at(self, *place: Any) -> Any:
        """The address of a number, or of the first number of a row."""
        offset = place[0]
        for extent, index in zip(self.shape[1:], place[1:], strict=True):
            offset = self.builder.add(self.builder.mul(offset, extent), index)
        return self.builder.gep(self.data, [offset])

    def number(self, *place: Any) -> Any:
        return self.builder.load(self.at(*place))

    def index(self, *place: Any) -> Any:
        """An integer, as a word."""
        found = self.number(*place)
        return found if found.type == WORD else self.widen(found, WORD)


class Piece:
    """Some consecutive numbers of a row, of a type; operations act on all of them at once.

    ``count``: how many of them there are, where the row ends within the piece. The others count as 0.
    """

    def __init__(self, builder: Any, width: int, first: Any, number: Any = DOUBLE, count: Any = None) -> None:
        self.builder, self.width, self.first, self.number = builder, width, first, number
        self.type, self.mask = self._all(number), None
        if count is not None:
            places = ir.Constant(ir.VectorType(WORD, width), list(range(width)))
            self.mask = builder.icmp_unsigned("<", places, self._repeated(count))

    def load(self, array: Array, *row: Any) -> Any:
        """The piece of a row, whose numbers become those of the piece's type."""
        at, kind = self._address(array, row), self._all(array.type)
        if self.mask is None:
            return self._cast(self.builder.load(at, align=array.size))
        load = self._masked("load", array, kind, at.type, SHORT, self.mask.type, kind)
        given = at, SHORT(array.size), self.mask, ir.Constant(kind, None)
        return self._cast(self.builder.call(load, given))

    def store(self, value: Any, array: Array, *row: Any) -> None:
        at, value = self._address(array, row), self._cast(value, array.type)
        if self.mask is None:
            self.builder.store(value, at, align=array.size)
            return
        store = self._masked("store", array, ir.VoidType(), value.type, at.type, SHORT, self.mask.type)
        self.builder.call(store, (value, at, SHORT(array.size), self.mask))

    def _masked(self, what: str, array: Array, gives: Any, *takes: Any) -> Any:
        name = f"llvm.masked.{what}.v{self.width}f{8 * array.size}.p0"
        return cgutils.get_or_insert_function(self.builder.module, ir.FunctionType(gives, takes), name)

    def _all(self, number: Any) -> Any:
        return number if self.width == 1 else ir.VectorType(number, self.width)

    def _address(self, array: Array, row: tuple) -> Any:
        return self.builder.bitcast(array.at(*row, self.first), self._all(array.type).as_pointer())

    def _cast(self, value: Any, number: Any = None) -> Any:
        """A number or a vector, with numbers of another type: by default, the piece's."""
        number = number or self.number
        here = getattr(value.type, "element", value.type)
        if here == number:
            return value
        wanted = self._all(number) if isinstance(value.type, ir.VectorType) else number
        return (self.builder.fpext if number == DOUBLE else self.builder.fptrunc)(value, wanted)

    def spread(self, number: Any) -> Any:
        """A number in all places."""
        number = self._cast(number)
        return number if self.width == 1 else self._repeated(number)

    def _repeated(self, number: Any) -> Any:
        nothing = ir.Constant(ir.VectorType(number.type, self.width), ir.Undefined)
        first = ir.Constant(ir.VectorType(SHORT, self.width), [0] * self.width)
        return self.builder.shuffle_vector(self.builder.insert_element(nothing, number, SHORT(0)), nothing, first)

    def folded(self, value: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """Combine all numbers into one: half of them with the other half, again and again."""
        width = self.width
        while width > 1:
            width //= 2
            nothing = ir.Constant(value.type, ir.Undefined)
            halves = [
                self.builder.shuffle_vector(
                    value, nothing, ir.Constant(ir.VectorType(SHORT, width), list(range(a, a + width)))
                )
                for a in (0, width)
            ]
            value = combine(*halves)
        return value if self.width == 1 else self.builder.extract_element(value, SHORT(0))


def pieces(builder: Any, length: Any) -> Iterator[Piece]:
    """Yield a piece of each width. Code written meanwhile runs for all pieces of a row of this length."""
    first = cgutils.alloca_once_value(builder, WORD(0))
    for width in WIDTHS:
        with _while(builder, lambda w=width: builder.icmp_signed("<=", _plus(builder, first, w), length)):
            yield Piece(builder, width, builder.load(first))
            builder.store(_plus(builder, first, width), first)


def wide_pieces(builder: Any, length: Any, number: Any) -> Iterator[Piece]:
    """As ``pieces``, of a type of numbers; the last one is longer than the row, where the processor can do that.

    Each number of a result must depend on numbers in its own place only.
    """
    first = cgutils.alloca_once_value(builder, WORD(0))
    for width in WIDTHS[:1] if CAN_MASK else WIDTHS:
        with _while(builder, lambda w=width: builder.icmp_signed("<=", _plus(builder, first, w), length)):
            yield Piece(builder, width, builder.load(first), number)
            builder.store(_plus(builder, first, width), first)
    for width in WIDTHS[:2] if CAN_MASK else ():
        begin = builder.load(first)
        count = builder.sub(length, begin)
        with builder.if_then(builder.icmp_signed(">", count, WORD(width // 2 if width == WIDTHS[0] else 0))):
            yield Piece(builder, width, begin, number, count)
            builder.store(length, first)


def _plus(builder: Any, variable: Any, constant: int) -> Any:
    return builder.add(builder.load(variable), WORD(constant))


@contextmanager
def _while(builder: Any, condition: Callable[[], Any]) -> Iterator[None]:
    test, body, done = (builder.append_basic_block(name) for name in ("test", "body", "done"))
    builder.branch(test)
    with builder.goto_block(test):
        builder.cbranch(condition(), body, done)
    builder.position_at_end(body)
    yield
    builder.branch(test)
    builder.position_at_end(done)


@contextmanager
def each(builder: Any, begin: Any, end: Any, step: int = 1) -> Iterator[Any]:
    """Code that runs for each ``step``-th of begin, ..., end - 1."""
    place = cgutils.alloca_once(builder, WORD)
    builder.store(begin, place)
    with _while(builder, lambda: builder.icmp_signed("<", builder.load(place), end)):
        yield builder.load(place)
        builder.store(_plus(builder, place, step), place)


def summed(builder: Any, piece: Piece, start: Any, begin: Any, end: Any, term: Callable[[Any], Any]) -> Any:
    """start + the sum of the terms of begin, ..., end - 1. Groups of four terms are added up first."""
    total, place = cgutils.alloca_once(builder, piece.type), cgutils.alloca_once(builder, WORD)
    builder.store(start, total)
    builder.store(begin, place)
    for together in (TOGETHER, 1):
        with _while(builder, lambda n=together: builder.icmp_signed("<=", _plus(builder, place, n), end)):
            first = builder.load(place)
            terms = [term(builder.add(first, WORD(n))) for n in range(together)]
            while len(terms) > 1:
                terms = [builder.fadd(a, b, flags=CONTRACT) for a, b in zip(terms[::2], terms[1::2], strict=True)]
            builder.store(builder.fadd(builder.load(total), terms[0], flags=CONTRACT), total)
            builder.store(_plus(builder, place, together), place)
    return builder.load(total)


def times(builder: Any, a: Any, b: Any) -> Any:
    return builder.fmul(a, b, flags=CONTRACT)
