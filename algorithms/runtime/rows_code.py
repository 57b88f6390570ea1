"""The functions of ``rows`` in LLVM's intermediate language, as numba's intrinsics."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np import arrayobj

from structbench.algorithms.runtime.vector_math import LN2_HIGH, LN2_LOW, LOG2_E

SHAPES = ((25, 8, 4), (17, 8, 3), (9, 8, 2), (8, 8, 1), (4, 4, 2), (2, 2, 2), (1, 1, 1))
# of strips: the fewest numbers, and the width and number of the vectors
TOGETHER = 4  # terms added up first, or sums made at once: each addition to a sum waits for the one before
DOUBLE = ir.DoubleType()
WORD = ir.IntType(64)
CONTRACT = ("contract",)  # a product and a sum may be rounded once
INVERSE_FACTORIALS = [1 / math.factorial(n) for n in range(13)]


class Array:
    """An array in LLVM's language: the address of its numbers, and its shape."""

    def __init__(self, context: Any, builder: Any, kind: types.Array, value: Any) -> None:
        array = arrayobj.make_array(kind)(context, builder, value)
        self.builder, self.data = builder, array.data
        self.shape = cgutils.unpack_tuple(builder, array.shape, kind.ndim)

    def at(self, *place: Any) -> Any:
        """The address of a number, or of the first number of a row."""
        offset = place[0]
        for extent, index in zip(self.shape[1:], place[1:], strict=True):
            offset = self.builder.add(self.builder.mul(offset, extent), index)
        return self.builder.gep(self.data, [offset])

    def number(self, *place: Any) -> Any:
        return self.builder.load(self.at(*place))

    def double(self, *place: Any) -> Any:
        """A number, of whatever type it is stored as, a natural one or a double."""
        found = self.number(*place)
        return found if found.type == DOUBLE else self.builder.uitofp(found, DOUBLE)

    def index(self, *place: Any) -> Any:
        """An integer, as a word."""
        found = self.number(*place)
        return found if found.type == WORD else self.builder.sext(found, WORD)


class Strip:
    """Some consecutive numbers of a row, in vectors of equal width. The last one may overlap the one before."""

    def __init__(self, builder: Any, width: int, places: list) -> None:
        self.builder, self.width, self.places = builder, width, places
        self.type = DOUBLE if width == 1 else ir.VectorType(DOUBLE, width)

    def load(self, array: Array, *row: Any) -> list:
        return [self.builder.load(self._address(array, row, place), align=8) for place in self.places]

    def store(self, values: list, array: Array, *row: Any) -> None:
        for value, place in zip(values, self.places, strict=True):
            self.builder.store(value, self._address(array, row, place), align=8)

    def _address(self, array: Array, row: tuple, place: Any) -> Any:
        return self.builder.bitcast(array.at(*row, place), self.type.as_pointer())

    def spread(self, number: Any) -> Any:
        """A vector with a number in all places."""
        if self.width == 1:
            return number
        kind = ir.VectorType(number.type, self.width)
        one = self.builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.IntType(32)(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return self.builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), mask)

    def constant(self, number: float) -> list:
        """Vectors with a constant in all places."""
        return [ir.Constant(self.type, number if self.width == 1 else [number] * self.width)] * len(self.places)

    def once(self, values: list) -> list:
        """The same vectors, with 0 where the last one repeats numbers of the one before."""
        if len(values) == 1:
            return values
        fresh = self.builder.sub(self.builder.add(self.places[-2], WORD(self.width)), self.places[-1])
        place = ir.Constant(ir.VectorType(WORD, self.width), list(range(self.width)))
        kept = self.builder.icmp_signed(">=", place, self.spread(fresh))
        return [*values[:-1], self.builder.select(kept, values[-1], self.constant(0.0)[-1])]

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
                    value, nothing, ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(a, a + width)))
                )
                for a in (0, width)
            ]
            value = combine(*halves)
        return value if self.width == 1 else self.builder.extract_element(value, ir.IntType(32)(0))


def strips(builder: Any, length: Any) -> Iterator[Strip]:
    """Yield a strip of each shape. Code written meanwhile runs for the strips of a row of this length."""
    first = cgutils.alloca_once_value(builder, WORD(0))
    for fewest, width, count in SHAPES:
        with _while(builder, lambda n=fewest: builder.icmp_signed("<=", _plus(builder, first, n), length)):
            begin, end = builder.load(first), _plus(builder, first, width * count)
            end = builder.select(builder.icmp_signed("<", end, length), end, length)
            places = [builder.add(begin, WORD(width * k)) for k in range(count - 1)]
            yield Strip(builder, width, [*places, builder.sub(end, WORD(width))])
            builder.store(end, first)


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
def _each(builder: Any, begin: Any, end: Any) -> Iterator[Any]:
    """Code that runs for begin, ..., end - 1."""
    place = cgutils.alloca_once(builder, WORD)
    builder.store(begin, place)
    with _while(builder, lambda: builder.icmp_signed("<", builder.load(place), end)):
        yield builder.load(place)
        builder.store(_plus(builder, place, 1), place)


def _summed(builder: Any, start: list, begin: Any, end: Any, term: Callable[[Any], list]) -> list:
    """start + the sum of the terms of begin, ..., end - 1. Groups of four terms are added up first."""
    totals = [cgutils.alloca_once_value(builder, each) for each in start]
    place = cgutils.alloca_once_value(builder, begin)
    for together in (TOGETHER, 1):
        with _while(builder, lambda n=together: builder.icmp_signed("<=", _plus(builder, place, n), end)):
            first = builder.load(place)
            terms = [term(builder.add(first, WORD(n))) for n in range(together)]
            while len(terms) > 1:
                terms = [_sum(builder, a, b) for a, b in zip(terms[::2], terms[1::2], strict=True)]
            _add(builder, totals, terms[0])
            builder.store(_plus(builder, place, together), place)
    return [builder.load(total) for total in totals]


def _combined(builder: Any, strip: Strip, end: Any, number: Callable, row: Callable) -> list:
    """The sum of number(r) row(r), 0 <= r < end, as four sums, each of every fourth term."""
    sums = [[cgutils.alloca_once_value(builder, each) for each in strip.constant(0.0)] for _ in range(TOGETHER)]
    place = cgutils.alloca_once_value(builder, WORD(0))
    for together in (TOGETHER, 1):
        with _while(builder, lambda n=together: builder.icmp_signed("<=", _plus(builder, place, n), end)):
            for n, totals in enumerate(sums[:together]):
                r = _plus(builder, place, n)
                one = strip.spread(number(r))
                _add(builder, totals, [_times(builder, one, each) for each in row(r)])
            builder.store(_plus(builder, place, together), place)
    a, b, c, d = ([builder.load(total) for total in totals] for totals in sums)
    return _sum(builder, _sum(builder, a, b), _sum(builder, c, d))


def _add(builder: Any, totals: list, terms: list) -> None:
    for total, term in zip(totals, terms, strict=True):
        builder.store(builder.fadd(builder.load(total), term, flags=CONTRACT), total)


def _sum(builder: Any, a: list, b: list) -> list:
    return [builder.fadd(*each, flags=CONTRACT) for each in zip(a, b, strict=True)]


def _times(builder: Any, a: Any, b: Any) -> Any:
    return builder.fmul(a, b, flags=CONTRACT)


def _function(gives: types.Type, **takes: Any) -> Callable[[Callable], Any]:
    """An intrinsic of a function that writes code from its arguments, arrays as ``Array``.

    ``takes``: of each argument the dimensions, and whether it is an array of integers; None is a number.
    """

    def decorate(write: Callable) -> Any:
        def typed(typing: Any, *given: Any) -> tuple:
            for (name, wanted), kind in zip(takes.items(), given, strict=True):
                _require(write.__name__, name, wanted, kind)
            own = [
                kind
                if wanted in (1, 2, "indices", "gram")
                else (types.intp if wanted == "place" else types.float64)
                for wanted, kind in zip(takes.values(), given, strict=True)
            ]

            def generate(context: Any, builder: Any, signature: Any, values: list) -> Any:
                arguments = [
                    Array(context, builder, kind, value) if isinstance(kind, types.Array) else value
                    for kind, value in zip(own, values, strict=True)
                ]
                result = write(builder, *arguments)
                if isinstance(gives, types.BaseTuple):
                    return context.make_tuple(builder, gives, result)
                return context.get_dummy_value() if gives == types.none else result

            return gives(*own), generate

        from inspect import Parameter, Signature

        names = ["typing", *takes]
        typed.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])
        typed.__name__ = typed.__qualname__ = write.__name__
        return intrinsic(typed)

    return decorate


def _require(function: str, name: str, wanted: Any, kind: Any) -> None:
    if wanted == "place":
        right = isinstance(kind, types.Integer)
    elif wanted == "number":
        right = isinstance(kind, types.Number)
    elif wanted == "indices":
        right = isinstance(kind, types.Array) and isinstance(kind.dtype, types.Integer) and kind.layout == "C"
    elif wanted == "gram":
        right = isinstance(kind, types.Array) and kind.ndim == 2 and kind.layout == "C"
        right = right and kind.dtype in (types.float64, types.uint8)
    else:
        right = isinstance(kind, types.Array) and (kind.dtype, kind.ndim) == (types.float64, wanted)
        right = right and kind.layout == "C"
    if not right:
        raise TypingError(f"{function}: {name} cannot be {kind}")


@_function(types.UniTuple(types.float64, 2), x=1)
def limits(builder: Any, x: Array) -> list:
    found = [cgutils.alloca_once_value(builder, DOUBLE(float(start))) for start in ("-inf", "inf")]
    for strip in strips(builder, x.shape[0]):
        values = strip.load(x)
        for best, sign, start in zip(found, "><", ("-inf", "inf"), strict=True):

            def better(a: Any, b: Any, sign: str = sign) -> Any:
                return builder.select(builder.fcmp_ordered(sign, a, b), a, b)

            known = map(better, values, strip.constant(float(start)))  # without NaN
            builder.store(better(strip.folded([*known], better), builder.load(best)), best)
    return [builder.load(best) for best in found]


@_function(types.none, x=1, top="number", out=1)
def exponentials(builder: Any, x: Array, top: Any, out: Array) -> None:
    for strip in strips(builder, x.shape[0]):
        strip.store([_exponential(strip, builder.fsub(each, strip.spread(top))) for each in strip.load(x)], out)


def _exponential(strip: Strip, x: Any) -> Any:
    """exp(x) as in ``vector_math.exp``."""
    builder, counts = strip.builder, [WORD, ir.IntType(32)]
    if strip.width > 1:
        counts = [ir.VectorType(kind, strip.width) for kind in counts]

    def constant(number: float) -> Any:
        return strip.constant(number)[0]

    def fused(a: Any, b: Any, c: Any) -> Any:
        return builder.fadd(_times(builder, a, b), c, flags=CONTRACT)

    n = builder.fptosi(fused(x, constant(-LOG2_E), constant(0.5)), counts[1])
    count = builder.sitofp(n, strip.type)
    r = fused(count, constant(LN2_LOW), fused(count, constant(LN2_HIGH), x))
    p = constant(INVERSE_FACTORIALS[-1])
    for each in INVERSE_FACTORIALS[-2::-1]:
        p = fused(p, r, constant(each))
    one, shift = (ir.Constant(counts[0], [k] * strip.width if strip.width > 1 else k) for k in (1023, 52))
    power = builder.shl(builder.sub(one, builder.sext(n, counts[0])), shift)
    return builder.fmul(p, builder.bitcast(power, strip.type))


@_function(types.float64, c=1, M=2, plain=1, factors=1, scale="number", out=1)
def product(builder: Any, c: Array, M: Array, plain: Array, factors: Array, scale: Any, out: Array) -> Any:
    total = cgutils.alloca_once_value(builder, DOUBLE(0.0))
    for strip in strips(builder, out.shape[0]):
        values = _combined(builder, strip, M.shape[0], c.number, lambda r, strip=strip: strip.load(M, r))
        strip.store(values, plain)
        scaled = [builder.fmul(each, strip.spread(scale)) for each in values]
        values = [builder.fmul(*each) for each in zip(scaled, strip.load(factors), strict=True)]
        strip.store(values, out)
        sum_of_strip = strip.folded(strip.once(values), builder.fadd)
        builder.store(builder.fadd(builder.load(total), sum_of_strip), total)
    return builder.load(total)


@_function(types.none, A=2, B=2, out=2)
def add_products(builder: Any, A: Array, B: Array, out: Array) -> None:
    first = cgutils.alloca_once_value(builder, WORD(0))
    for together in (TOGETHER, 1):
        with _while(builder, lambda n=together: builder.icmp_signed("<=", _plus(builder, first, n), out.shape[0])):
            places = [_plus(builder, first, n) for n in range(together)]
            for strip in strips(builder, out.shape[1]):
                rows = [strip.load(out, j) for j in places]
                sums = [[cgutils.alloca_once_value(builder, each) for each in row] for row in rows]
                with _each(builder, WORD(0), A.shape[0]) as r:
                    row = strip.load(B, r)
                    for j, totals in zip(places, sums, strict=True):
                        one = strip.spread(A.number(r, j))
                        _add(builder, totals, [_times(builder, one, each) for each in row])
                for j, totals in zip(places, sums, strict=True):
                    strip.store([builder.load(total) for total in totals], out, j)
            builder.store(_plus(builder, first, together), first)


@_function(types.none, a=1, b=1, out=1)
def multiply(builder: Any, a: Array, b: Array, out: Array) -> None:
    for strip in strips(builder, out.shape[0]):
        strip.store([builder.fmul(*each) for each in zip(strip.load(a), strip.load(b), strict=True)], out)


@_function(types.float64, G="gram", first="place", rows=2)
def gram_square(builder: Any, G: Array, first: Any, rows: Array) -> Any:
    total = cgutils.alloca_once_value(builder, DOUBLE(0.0))
    for strip in strips(builder, rows.shape[1]):
        sums = [cgutils.alloca_once_value(builder, each) for each in strip.constant(0.0)]
        with _each(builder, WORD(0), rows.shape[0]) as t:

            def number(u: Any, t: Any = t) -> Any:
                return G.double(builder.add(first, t), builder.add(first, u))

            before = _combined(builder, strip, t, number, lambda u, strip=strip: strip.load(rows, u))
            own, half = strip.load(rows, t), strip.spread(builder.fmul(number(t), DOUBLE(0.5)))
            before = _sum(builder, [_times(builder, half, each) for each in own], before)
            _add(builder, sums, [_times(builder, *each) for each in zip(own, before, strict=True)])
        values = strip.once([builder.load(each) for each in sums])
        builder.store(builder.fadd(builder.load(total), strip.folded(values, builder.fadd)), total)
    return builder.fmul(builder.load(total), DOUBLE(2.0))


@_function(types.none, indices="indices", begin="place", end="place", W=2, out=1)
def gather(builder: Any, indices: Array, begin: Any, end: Any, W: Array, out: Array) -> None:
    for strip in strips(builder, out.shape[0]):

        def term(p: Any, strip: Strip = strip) -> list:
            return strip.load(W, indices.index(p))

        strip.store(_summed(builder, strip.load(out), begin, end, term), out)


@_function(types.none, indices="indices", values=1, begin="place", end="place", W=2, out=1)
def gather_times(builder: Any, indices: Array, values: Array, begin: Any, end: Any, W: Array, out: Array) -> None:
    for strip in strips(builder, out.shape[0]):

        def term(p: Any, strip: Strip = strip) -> list:
            value = strip.spread(values.number(p))
            return [_times(builder, value, each) for each in strip.load(W, indices.index(p))]

        strip.store(_summed(builder, strip.load(out), begin, end, term), out)


@_function(types.none, indices="indices", begin="place", end="place", c=1, W=2)
def scatter(builder: Any, indices: Array, begin: Any, end: Any, c: Array, W: Array) -> None:
    for strip in strips(builder, c.shape[0]):
        row = strip.load(c)
        with _each(builder, begin, end) as p:
            a = indices.index(p)
            strip.store([builder.fadd(*each) for each in zip(strip.load(W, a), row, strict=True)], W, a)


@_function(types.none, indices="indices", values=1, begin="place", end="place", c=1, W=2)
def scatter_times(builder: Any, indices: Array, values: Array, begin: Any, end: Any, c: Array, W: Array) -> None:
    for strip in strips(builder, c.shape[0]):
        row = strip.load(c)
        with _each(builder, begin, end) as p:
            a, value = indices.index(p), strip.spread(values.number(p))
            change = [_times(builder, each, value) for each in row]
            strip.store(_sum(builder, strip.load(W, a), change), W, a)
