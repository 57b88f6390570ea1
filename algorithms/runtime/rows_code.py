"""The functions of ``rows`` in LLVM's intermediate language, as numba's intrinsics."""

from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from structbench.algorithms.runtime.vector_code import (
    BYTES,
    CACHE_LINE,
    CONTRACT,
    DOUBLE,
    FLOAT,
    SHORT,
    WORD,
    Array,
    Piece,
    each,
    pieces,
    summed,
    times,
    wide_pieces,
)

FLOATS = types.float64, types.float32
ANY = {"row": 1, "rows": 2}  # dimensions


def _function(gives: types.Type, **takes: Any) -> Callable[[Callable], Any]:
    """An intrinsic of a function that writes code from its arguments, arrays as ``Array``.

    ``takes``: of each argument what it must be. A number is the dimensions of an array of float64, in ``ANY`` of
    float32 or float64.
    """

    def decorate(write: Callable) -> Any:
        def typed(typing: Any, *given: Any) -> tuple:
            for (name, wanted), kind in zip(takes.items(), given, strict=True):
                _require(write.__name__, name, wanted, kind)
            own = [
                types.intp if wanted == "place" else types.float64 if wanted == "number" else kind
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
    else:
        right = isinstance(kind, types.Array) and kind.layout == "C"
        if right and wanted == "any":
            right = kind.ndim == 1
        elif right and wanted == "indices":
            right = isinstance(kind.dtype, types.Integer)
        elif right:
            dimensions, numbers = (ANY[wanted], FLOATS) if wanted in ANY else (wanted, FLOATS[:1])
            right = kind.dtype in numbers and kind.ndim == dimensions
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
            return times(builder, piece.spread(c.number(r)), piece.load(M, r))

        value = summed(builder, piece, ir.Constant(piece.type, None), WORD(0), c.shape[0], term)
        piece.store(value, plain)
        value = builder.fmul(builder.fmul(value, piece.spread(scale)), piece.load(factors))
        piece.store(value, out)
        builder.store(builder.fadd(builder.load(total), piece.folded(value, builder.fadd)), total)
    return builder.load(total)


@_function(types.none, A=2, B=2, out=2)
def add_products(builder: Any, A: Array, B: Array, out: Array) -> None:
    with each(builder, WORD(0), out.shape[0]) as j:
        for piece in pieces(builder, out.shape[1]):

            def term(r: Any, piece: Piece = piece) -> Any:
                return times(builder, piece.spread(A.number(r, j)), piece.load(B, r))

            piece.store(summed(builder, piece, piece.load(out, j), WORD(0), A.shape[0], term), out, j)


@_function(types.none, c=1, M=2, out=1)
def best_sums(builder: Any, c: Array, M: Array, out: Array) -> None:
    for piece in pieces(builder, out.shape[0]):
        best = cgutils.alloca_once_value(builder, piece.spread(DOUBLE(float("-inf"))))
        with each(builder, WORD(0), c.shape[0]) as r:
            found, before = builder.fadd(piece.spread(c.number(r)), piece.load(M, r)), builder.load(best)
            builder.store(builder.select(builder.fcmp_ordered(">", found, before), found, before), best)
        piece.store(builder.load(best), out)


@_function(types.none, indices="indices", begin="place", end="place", W="rows", out=1)
def gather(builder: Any, indices: Array, begin: Any, end: Any, W: Array, out: Array) -> None:
    for piece in wide_pieces(builder, out.shape[0], W.type):

        def term(p: Any, piece: Piece = piece) -> Any:
            return piece.load(W, indices.index(p))

        piece.store(summed(builder, piece, piece.load(out), begin, end, term), out)


@_function(types.none, indices="indices", values="row", begin="place", end="place", W="rows", out=1)
def gather_times(builder: Any, indices: Array, values: Array, begin: Any, end: Any, W: Array, out: Array) -> None:
    for piece in wide_pieces(builder, out.shape[0], W.type):

        def term(p: Any, piece: Piece = piece) -> Any:
            return times(builder, piece.spread(values.number(p)), piece.load(W, indices.index(p)))

        piece.store(summed(builder, piece, piece.load(out), begin, end, term), out)


@_function(types.none, indices="indices", begin="place", end="place", scale="number", c=1, W="rows")
def scatter(builder: Any, indices: Array, begin: Any, end: Any, scale: Any, c: Array, W: Array) -> None:
    for piece in _stored_pieces(builder, c, W):
        row = _scaled(builder, piece, scale, c)
        with each(builder, begin, end) as p:
            a = indices.index(p)
            piece.store(builder.fadd(piece.load(W, a), row), W, a)


@_function(types.none, indices="indices", values="row", begin="place", end="place", scale="number", c=1, W="rows")
def scatter_times(
    builder: Any, indices: Array, values: Array, begin: Any, end: Any, scale: Any, c: Array, W: Array
) -> None:
    for piece in _stored_pieces(builder, c, W):
        row = _scaled(builder, piece, scale, c)
        with each(builder, begin, end) as p:
            a = indices.index(p)
            change = times(builder, row, piece.spread(values.number(p)))
            piece.store(builder.fadd(piece.load(W, a), change, flags=CONTRACT), W, a)


def _stored_pieces(builder: Any, c: Array, W: Array) -> Iterator[Piece]:
    """Pieces of rows to write. Wide ones of float64 overlap the next row, whose loads wait for the stores."""
    return wide_pieces(builder, c.shape[0], W.type) if W.type == FLOAT else pieces(builder, c.shape[0])


def _scaled(builder: Any, piece: Piece, scale: Any, c: Array) -> Any:
    """scale c, rounded, in the piece's type."""
    return builder.fmul(piece.spread(scale), piece.load(c))


@_function(types.none, numbers="any", begin="place", end="place")
def prefetch(builder: Any, numbers: Array, begin: Any, end: Any) -> None:
    function = ir.FunctionType(ir.VoidType(), (BYTES, SHORT, SHORT, SHORT))
    fetch = cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0")
    with each(builder, begin, end, CACHE_LINE // numbers.size) as p:
        builder.call(fetch, (builder.bitcast(numbers.at(p), BYTES), SHORT(0), SHORT(3), SHORT(1)))
