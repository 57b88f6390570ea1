"""Arrays, strips of rows, and loops, in LLVM's intermediate language: what ``rows_code`` is written with.

A strip's numbers are lists of vectors. An operation on two strips is one on each pair of vectors.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.core import cgutils
from numba.np import arrayobj

DOUBLE, FLOAT = ir.DoubleType(), ir.FloatType()
NARROW = (8, 8, 1), (4, 4, 2), (2, 2, 2), (1, 1, 1)
SHAPES = {  # of strips: the fewest numbers, and the width and number of the vectors
    DOUBLE: ((25, 8, 4), (17, 8, 3), (13, 8, 2), (9, 4, 3), *NARROW),  # short vectors lie in fewer cache lines
    FLOAT: ((25, 8, 4), (17, 8, 3), (9, 8, 2), *NARROW),
}
TOGETHER = 4  # terms added up first, or sums made at once: each addition to a sum waits for the one before
CACHE_LINE = 64  # bytes
WORD, SHORT = ir.IntType(64), ir.IntType(32)
BYTES = ir.IntType(8).as_pointer()
CONTRACT = ("contract",)  # a product and a sum may be rounded once


class Array:
    """An array in LLVM's language: the address of its numbers, their type, and its shape."""

    def __init__(self, context: Any, builder: Any, kind: types.Array, value: Any) -> None:
        array = arrayobj.make_array(kind)(context, builder, value)
        self.builder, self.data = builder, array.data
        self.shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)
        self.type = context.get_data_type(kind.dtype)
        self.size = context.get_abi_sizeof(self.type)
        self.widen = builder.sext if getattr(kind.dtype, "signed", True) else builder.zext

    def at(self, *place: Any) -> Any:
        """The address of a number, or of the first number of a row."""
        offset = place[0]
        for extent, index in zip(self.shape[1:], place[1:], strict=True):
            offset = self.builder.add(self.builder.mul(offset, extent), index)
        return self.builder.gep(self.data, [offset])

    def number(self, *place: Any) -> Any:
        """A number as it is stored."""
        return self.builder.load(self.at(*place))

    def double(self, *place: Any) -> Any:
        """A number, of whatever type it is stored as, a natural one or a double."""
        found = self.number(*place)
        return found if found.type == DOUBLE else self.builder.uitofp(found, DOUBLE)

    def index(self, *place: Any) -> Any:
        """An integer, as a word."""
        found = self.number(*place)
        return found if found.type == WORD else self.widen(found, WORD)


class Strip:
    """Some consecutive numbers of a row, of a type, in vectors of equal width.

    The last one may overlap the one before.
    """

    def __init__(self, builder: Any, width: int, places: list, number: Any) -> None:
        self.builder, self.width, self.places, self.number = builder, width, places, number
        self.type = self.all(number)

    def load(self, array: Array, *row: Any) -> list:
        """Numbers of a row, which become those of the strip's type."""
        return [
            self._cast(self.builder.load(self._address(array, row, place), align=array.size), self.number)
            for place in self.places
        ]

    def store(self, values: list, array: Array, *row: Any) -> None:
        """Write numbers of a row; they become those of the array's type."""
        for value, place in zip(values, self.places, strict=True):
            value = self._cast(value, array.type)
            self.builder.store(value, self._address(array, row, place), align=array.size)

    def all(self, number: Any) -> Any:
        """The type of a vector of numbers of a type."""
        return number if self.width == 1 else ir.VectorType(number, self.width)

    def _address(self, array: Array, row: tuple, place: Any) -> Any:
        return self.builder.bitcast(array.at(*row, place), self.all(array.type).as_pointer())

    def _cast(self, value: Any, number: Any) -> Any:
        """A number or a vector, with numbers of another type."""
        is_vector = isinstance(value.type, ir.VectorType)
        if (value.type.element if is_vector else value.type) == number:
            return value
        change = self.builder.fpext if number == DOUBLE else self.builder.fptrunc
        return change(value, self.all(number) if is_vector else number)

    def spread(self, number: Any) -> Any:
        """A vector with a number in all places."""
        number = self._cast(number, self.number)
        return number if self.width == 1 else self._repeated(number)

    def _repeated(self, number: Any) -> Any:
        nothing = ir.Constant(ir.VectorType(number.type, self.width), ir.Undefined)
        first = ir.Constant(ir.VectorType(SHORT, self.width), [0] * self.width)
        return self.builder.shuffle_vector(self.builder.insert_element(nothing, number, SHORT(0)), nothing, first)

    def constant(self, number: Any, kind: Any = None) -> Any:
        """A vector with a constant in all places, of the strip's type or another one."""
        kind = self.all(kind or self.number)
        return ir.Constant(kind, number if self.width == 1 else [number] * self.width)

    def once(self, values: list) -> list:
        """The same vectors, with 0 where the last one repeats numbers of the one before."""
        if len(values) == 1:
            return values
        fresh = self.builder.sub(self.builder.add(self.places[-2], WORD(self.width)), self.places[-1])
        place = ir.Constant(ir.VectorType(WORD, self.width), list(range(self.width)))
        kept = self.builder.icmp_signed(">=", place, self._repeated(fresh))
        return [*values[:-1], self.builder.select(kept, values[-1], self.constant(0.0))]

    def folded(self, values: list, combine: Callable[[Any, Any], Any]) -> Any:
        """Combine all numbers into one: the vectors, then half of the numbers with the other half, and so on."""
        value, width = values[0], self.width
        for other in values[1:]:
            value = combine(value, other)
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


def strips(builder: Any, length: Any, number: Any = DOUBLE) -> Iterator[Strip]:
    """Yield a strip of each shape. Code written meanwhile runs for the strips of a row of this length."""
    first = cgutils.alloca_once_value(builder, WORD(0))
    for fewest, width, count in SHAPES[number]:
        with at_least(builder, first, fewest, length):
            begin, end = builder.load(first), plus(builder, first, width * count)
            end = builder.select(builder.icmp_signed("<", end, length), end, length)
            places = [builder.add(begin, WORD(width * k)) for k in range(count - 1)]
            yield Strip(builder, width, [*places, builder.sub(end, WORD(width))], number)
            builder.store(end, first)


def plus(builder: Any, variable: Any, constant: int) -> Any:
    return builder.add(builder.load(variable), WORD(constant))


@contextmanager
def at_least(builder: Any, place: Any, count: int, end: Any) -> Iterator[None]:
    """Code that runs while there are ``count`` numbers or more between the variable ``place`` and the end."""
    test, body, done = (builder.append_basic_block(name) for name in ("test", "body", "done"))
    builder.branch(test)
    with builder.goto_block(test):
        builder.cbranch(builder.icmp_signed("<=", plus(builder, place, count), end), body, done)
    builder.position_at_end(body)
    yield
    builder.branch(test)
    builder.position_at_end(done)


@contextmanager
def each(builder: Any, begin: Any, end: Any, step: int = 1) -> Iterator[Any]:
    """Code that runs for each ``step``-th of begin, ..., end - 1."""
    place = cgutils.alloca_once(builder, WORD)
    builder.store(begin, place)
    with at_least(builder, place, 1, end):
        yield builder.load(place)
        builder.store(plus(builder, place, step), place)


def groups(builder: Any, begin: Any, end: Any) -> Iterator[list]:
    """Yield the places of a group of four of begin, ..., end - 1, then of a single one.

    Code written meanwhile runs for each.
    """
    place = cgutils.alloca_once(builder, WORD)
    builder.store(begin, place)
    for together in (TOGETHER, 1):
        with at_least(builder, place, together, end):
            yield [plus(builder, place, n) for n in range(together)]
            builder.store(plus(builder, place, together), place)


def variables(builder: Any, values: list) -> list:
    """Variables with these first values, set wherever this code runs."""
    return [cgutils.alloca_once_value(builder, value) for value in values]


def summed(builder: Any, start: list, begin: Any, end: Any, term: Callable[[Any], list]) -> list:
    """start + the sum of the terms of begin, ..., end - 1. Groups of four terms are added up first."""
    totals = variables(builder, start)
    for places in groups(builder, begin, end):
        terms = [term(place) for place in places]
        while len(terms) > 1:
            terms = [plus_each(builder, a, b) for a, b in zip(terms[::2], terms[1::2], strict=True)]
        add(builder, totals, terms[0])
    return [builder.load(total) for total in totals]


def combined(builder: Any, strip: Strip, end: Any, number: Callable, row: Callable) -> list:
    """The sum of number(r) row(r), 0 <= r < end, as four sums, each of every fourth term."""
    sums = [variables(builder, [strip.constant(0.0)] * len(strip.places)) for _ in range(TOGETHER)]
    for places in groups(builder, WORD(0), end):
        for r, totals in zip(places, sums[: len(places)], strict=True):
            add(builder, totals, times_each(builder, strip.spread(number(r)), row(r)))
    a, b, c, d = ([builder.load(total) for total in totals] for totals in sums)
    return plus_each(builder, plus_each(builder, a, b), plus_each(builder, c, d))


def add(builder: Any, totals: list, terms: list) -> None:
    """Add vectors to variables."""
    for total, term in zip(totals, terms, strict=True):
        builder.store(builder.fadd(builder.load(total), term, flags=CONTRACT), total)


def plus_each(builder: Any, a: list, b: list) -> list:
    return [builder.fadd(*pair, flags=CONTRACT) for pair in zip(a, b, strict=True)]


def times_each(builder: Any, one: Any, values: list) -> list:
    return [builder.fmul(one, value, flags=CONTRACT) for value in values]
