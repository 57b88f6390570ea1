"""The functions of ``rows`` in LLVM's intermediate language, as numba's intrinsics."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np import arrayobj

WIDTHS = (16, 8, 4, 2, 1)  # numbers of a row handled at a time, each a power of two
TOGETHER = 4  # terms added up first: each addition to a sum waits for the one before
DOUBLE = ir.DoubleType()
WORD = ir.IntType(64)
CONTRACT = ("contract",)  # a product and a sum may be rounded once


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

    def index(self, *place: Any) -> Any:
        """An integer, as a word."""
        found = self.number(*place)
        return found if found.type == WORD else self.builder.sext(found, WORD)


class Piece:
    """Some consecutive numbers of a row; operations act on all of them at once."""

    def __init__(self, builder: Any, width: int, first: Any) -> None:
        self.builder, self.width, self.first = builder, width, first
        self.type = DOUBLE if width == 1 else ir.VectorType(DOUBLE, width)

    def load(self, array: Array, *row: Any) -> Any:
        return self.builder.load(self._address(array, row), align=8)

    def store(self, value: Any, array: Array, *row: Any) -> None:
        self.builder.store(value, self._address(array, row), align=8)

    def _address(self, array: Array, row: tuple) -> Any:
        return self.builder.bitcast(array.at(*row, self.first), self.type.as_pointer())

    def spread(self, number: Any) -> Any:
        """A number in all places."""
        if self.width == 1:
            return number
        one = self.builder.insert_element(ir.Constant(self.type, ir.Undefined), number, ir.IntType(32)(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return self.builder.shuffle_vector(one, ir.Constant(self.type, ir.Undefined), mask)

    def folded(self, value: Any, combine: Callable[[Any, Any], Any]) -> Any:
        """Combine all numbers into one: half of them with the other half, again and again."""
        width = self.width
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


def pieces(builder: Any, length: Any) -> Iterator[Piece]:
    """Yield a piece of each width. Code written meanwhile runs for all pieces of a row of this length."""
    first = cgutils.alloca_once_value(builder, WORD(0))
    for width in WIDTHS:
        with _while(builder, lambda w=width: builder.icmp_signed("<=", _plus(builder, first, w), length)):
            yield Piece(builder, width, builder.load(first))
            builder.store(_plus(builder, first, width), first)


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


def _summed(builder: Any, piece: Piece, start: Any, begin: Any, end: Any, term: Callable[[Any], Any]) -> Any:
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
                kind if wanted in (1, 2, "indices") else (types.intp if wanted == "place" else types.float64)
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
    else:
        right = isinstance(kind, types.Array) and (kind.dtype, kind.ndim) == (types.float64, wanted)
        right = right and kind.layout == "C"
    if not right:
        raise TypingError(f"{function}: {name} cannot be {kind}")


@_function(types.UniTuple(types.float64, 2), x=1, out=1)
def below_top(builder: Any, x: Array, out: Array) -> list:
    found = []
    for sign, start in ((">", float("-inf")), ("<", float("inf"))):

        def better(a: Any, b: Any, sign: str = sign) -> Any:
            return builder.select(builder.fcmp_ordered(sign, a, b), a, b)

        best = cgutils.alloca_once_value(builder, DOUBLE(start))
        for piece in pieces(builder, x.shape[0]):
            builder.store(better(piece.folded(piece.load(x), better), builder.load(best)), best)
        found.append(best)
    top = builder.load(found[0])
    for piece in pieces(builder, x.shape[0]):
        piece.store(builder.fsub(piece.load(x), piece.spread(top)), out)
    return [top, builder.load(found[1])]


@_function(types.float64, c=1, M=2, plain=1, factors=1, scale="number", out=1)
def product(builder: Any, c: Array, M: Array, plain: Array, factors: Array, scale: Any, out: Array) -> Any:
    total = cgutils.alloca_once_value(builder, DOUBLE(0.0))
    for piece in pieces(builder, out.shape[0]):

        def term(r: Any, piece: Piece = piece) -> Any:
            return _times(builder, piece.spread(c.number(r)), piece.load(M, r))

        value = _summed(builder, piece, ir.Constant(piece.type, None), WORD(0), c.shape[0], term)
        piece.store(value, plain)
        value = builder.fmul(builder.fmul(value, piece.spread(scale)), piece.load(factors))
        piece.store(value, out)
        builder.store(builder.fadd(builder.load(total), piece.folded(value, builder.fadd)), total)
    return builder.load(total)


@_function(types.none, A=2, B=2, out=2)
def add_products(builder: Any, A: Array, B: Array, out: Array) -> None:
    with _each(builder, WORD(0), out.shape[0]) as j:
        for piece in pieces(builder, out.shape[1]):

            def term(r: Any, piece: Piece = piece) -> Any:
                return _times(builder, piece.spread(A.number(r, j)), piece.load(B, r))

            piece.store(_summed(builder, piece, piece.load(out, j), WORD(0), A.shape[0], term), out, j)


@_function(types.none, c=1, M=2, out=1)
def best_sums(builder: Any, c: Array, M: Array, out: Array) -> None:
    for piece in pieces(builder, out.shape[0]):
        best = cgutils.alloca_once_value(builder, piece.spread(DOUBLE(float("-inf"))))
        with _each(builder, WORD(0), c.shape[0]) as r:
            found, before = builder.fadd(piece.spread(c.number(r)), piece.load(M, r)), builder.load(best)
            builder.store(builder.select(builder.fcmp_ordered(">", found, before), found, before), best)
        piece.store(builder.load(best), out)


@_function(types.none, indices="indices", begin="place", end="place", W=2, out=1)
def gather(builder: Any, indices: Array, begin: Any, end: Any, W: Array, out: Array) -> None:
    for piece in pieces(builder, out.shape[0]):

        def term(p: Any, piece: Piece = piece) -> Any:
            return piece.load(W, indices.index(p))

        piece.store(_summed(builder, piece, piece.load(out), begin, end, term), out)


@_function(types.none, indices="indices", values=1, begin="place", end="place", W=2, out=1)
def gather_times(builder: Any, indices: Array, values: Array, begin: Any, end: Any, W: Array, out: Array) -> None:
    for piece in pieces(builder, out.shape[0]):

        def term(p: Any, piece: Piece = piece) -> Any:
            return _times(builder, piece.spread(values.number(p)), piece.load(W, indices.index(p)))

        piece.store(_summed(builder, piece, piece.load(out), begin, end, term), out)


@_function(types.none, indices="indices", begin="place", end="place", c=1, W=2)
def scatter(builder: Any, indices: Array, begin: Any, end: Any, c: Array, W: Array) -> None:
    for piece in pieces(builder, c.shape[0]):
        row = piece.load(c)
        with _each(builder, begin, end) as p:
            a = indices.index(p)
            piece.store(builder.fadd(piece.load(W, a), row), W, a)


@_function(types.none, indices="indices", values=1, begin="place", end="place", c=1, W=2)
def scatter_times(builder: Any, indices: Array, values: Array, begin: Any, end: Any, c: Array, W: Array) -> None:
    for piece in pieces(builder, c.shape[0]):
        row = piece.load(c)
        with _each(builder, begin, end) as p:
            a = indices.index(p)
            change = _times(builder, row, piece.spread(values.number(p)))
            piece.store(builder.fadd(piece.load(W, a), change, flags=CONTRACT), W, a)
