"""The functions of ``rows`` in LLVM's intermediate language, as numba's intrinsics."""

import math
from collections.abc import Callable
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
    SHORT,
    WORD,
    Array,
    Strip,
    add,
    combined,
    each,
    groups,
    plus_each,
    strips,
    summed,
    times_each,
    variables,
)
from structbench.algorithms.runtime.vector_math import LN2_HIGH, LN2_LOW, LOG2_E

FLOATS = types.float64, types.float32
ANY = {"row": 1, "rows": 2}  # dimensions
INVERSE_FACTORIALS = [1 / math.factorial(n) for n in range(13)]


def _function(gives: types.Type, **takes: Any) -> Callable[[Callable], Any]:
    """An intrinsic of a function that writes code from its arguments, arrays as ``Array``.

    ``takes``: of each argument what it must be. A number is the dimensions of an array of float64, in ``ANY`` of
    float32 or float64.
    """

    def decorate(write: Callable) -> Any:
        def typed(typing: Any, *given: Any) -> tuple:
            for (name, wanted), kind in zip(takes.items(), given, strict=True):
                _require(write.__name__.removeprefix("_"), name, wanted, kind)
            own = [
                types.intp if wanted == "place" else types.float64 if wanted == "number" else kind
                for wanted, kind in zip(takes.values(), given, strict=True)
            ]

            def generate(context: Any, builder: Any, signature: Any, values: list) -> Any:
                arguments = [
                    Array(context, builder, kind, value) if isinstance(kind, types.Array) else value
                    for kind, value in zip(own, values, strict=True)
                ]
                result = write(builder, **dict(zip(takes, arguments, strict=True)))
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
        elif right and wanted == "gram":
            right = kind.dtype in (types.float64, types.uint8) and kind.ndim == 2
        elif right:
            dimensions, numbers = (ANY[wanted], FLOATS) if wanted in ANY else (wanted, FLOATS[:1])
            right = kind.dtype in numbers and kind.ndim == dimensions
    if not right:
        raise TypingError(f"{function}: {name} cannot be {kind}")


@_function(types.UniTuple(types.float64, 2), x=1)
def limits(builder: Any, x: Array) -> list:
    found = variables(builder, [DOUBLE(float(start)) for start in ("-inf", "inf")])
    for strip in strips(builder, x.shape[0]):
        values = strip.load(x)
        for best, sign, start in zip(found, "><", ("-inf", "inf"), strict=True):

            def better(a: Any, b: Any, sign: str = sign) -> Any:
                return builder.select(builder.fcmp_ordered(sign, a, b), a, b)

            known = [better(value, strip.constant(float(start))) for value in values]  # without NaN
            builder.store(better(strip.folded(known, better), builder.load(best)), best)
    return [builder.load(best) for best in found]


@_function(types.none, x=1, top="number", out=1)
def exponentials(builder: Any, x: Array, top: Any, out: Array) -> None:
    for strip in strips(builder, x.shape[0]):
        below = [builder.fsub(value, strip.spread(top)) for value in strip.load(x)]
        strip.store([_exponential(builder, strip, value) for value in below], out)


def _exponential(builder: Any, strip: Strip, x: Any) -> Any:
    """exp(x) as in ``vector_math.exp``."""

    def fused(a: Any, b: Any, c: Any) -> Any:
        return builder.fadd(builder.fmul(a, b, flags=CONTRACT), c, flags=CONTRACT)

    n = builder.fptosi(fused(x, strip.constant(-LOG2_E), strip.constant(0.5)), strip.all(SHORT))
    count = builder.sitofp(n, strip.type)
    r = fused(count, strip.constant(LN2_LOW), fused(count, strip.constant(LN2_HIGH), x))
    p = strip.constant(INVERSE_FACTORIALS[-1])
    for factor in INVERSE_FACTORIALS[-2::-1]:
        p = fused(p, r, strip.constant(factor))
    exponent = builder.sub(strip.constant(1023, WORD), builder.sext(n, strip.all(WORD)))
    return builder.fmul(p, builder.bitcast(builder.shl(exponent, strip.constant(52, WORD)), strip.type))


@_function(types.float64, c=1, M=2, plain=1, factors=1, scale="number", out=1)
def product(builder: Any, c: Array, M: Array, plain: Array, factors: Array, scale: Any, out: Array) -> Any:
    total = cgutils.alloca_once_value(builder, DOUBLE(0.0))
    for strip in strips(builder, out.shape[0]):
        values = combined(builder, strip, M.shape[0], c.number, lambda r, strip=strip: strip.load(M, r))
        strip.store(values, plain)
        scaled = [builder.fmul(value, strip.spread(scale)) for value in values]
        values = [builder.fmul(*pair) for pair in zip(scaled, strip.load(factors), strict=True)]
        strip.store(values, out)
        sum_of_strip = strip.folded(strip.once(values), builder.fadd)
        builder.store(builder.fadd(builder.load(total), sum_of_strip), total)
    return builder.load(total)


@_function(types.none, A=2, B=2, out=2)
def add_products(builder: Any, A: Array, B: Array, out: Array) -> None:
    for places in groups(builder, WORD(0), out.shape[0]):
        for strip in strips(builder, out.shape[1]):
            sums = [variables(builder, strip.load(out, j)) for j in places]
            with each(builder, WORD(0), A.shape[0]) as r:
                row = strip.load(B, r)
                for j, totals in zip(places, sums, strict=True):
                    add(builder, totals, times_each(builder, strip.spread(A.number(r, j)), row))
            for j, totals in zip(places, sums, strict=True):
                strip.store([builder.load(total) for total in totals], out, j)


@_function(types.none, a=1, b=1, out=1)
def multiply(builder: Any, a: Array, b: Array, out: Array) -> None:
    for strip in strips(builder, out.shape[0]):
        strip.store([builder.fmul(*pair) for pair in zip(strip.load(a), strip.load(b), strict=True)], out)


@_function(types.none, M=2, factors=1, sums=1)
def scale_columns(builder: Any, M: Array, factors: Array, sums: Array) -> None:
    for strip in strips(builder, factors.shape[0]):
        scale = strip.load(factors)
        with each(builder, WORD(0), M.shape[0]) as r:
            values = [builder.fmul(*pair) for pair in zip(strip.load(M, r), scale, strict=True)]
            strip.store(values, M, r)
            sum_of_strip = strip.folded(strip.once(values), builder.fadd)
            builder.store(builder.fadd(sums.number(r), sum_of_strip), sums.at(r))


@_function(types.float64, G="gram", first="place", rows=2)
def gram_square(builder: Any, G: Array, first: Any, rows: Array) -> Any:
    total = cgutils.alloca_once_value(builder, DOUBLE(0.0))
    for strip in strips(builder, rows.shape[1]):
        sums = variables(builder, [strip.constant(0.0)] * len(strip.places))
        with each(builder, WORD(0), rows.shape[0]) as t:

            def number(u: Any, t: Any = t) -> Any:
                return G.double(builder.add(first, t), builder.add(first, u))

            before = combined(builder, strip, t, number, lambda u, strip=strip: strip.load(rows, u))
            own, half = strip.load(rows, t), strip.spread(builder.fmul(number(t), DOUBLE(0.5)))
            before = plus_each(builder, times_each(builder, half, own), before)
            add(builder, sums, [builder.fmul(*pair, flags=CONTRACT) for pair in zip(own, before, strict=True)])
        values = strip.once([builder.load(sum_of_row) for sum_of_row in sums])
        builder.store(builder.fadd(builder.load(total), strip.folded(values, builder.fadd)), total)
    return builder.fmul(builder.load(total), DOUBLE(2.0))


@_function(types.none, c=1, M=2, out=1)
def best_sums(builder: Any, c: Array, M: Array, out: Array) -> None:
    for strip in strips(builder, out.shape[0]):
        best = variables(builder, [strip.constant(float("-inf"))] * len(strip.places))
        with each(builder, WORD(0), c.shape[0]) as r:
            number = strip.spread(c.number(r))
            for one, value in zip(best, strip.load(M, r), strict=True):
                found, before = builder.fadd(number, value), builder.load(one)
                builder.store(builder.select(builder.fcmp_ordered(">", found, before), found, before), one)
        strip.store([builder.load(one) for one in best], out)


def _gather(builder: Any, indices: Array, begin, end, W: Array, out: Array, values=None, threshold=None) -> None:
    for strip in strips(builder, out.shape[0], W.type):

        def term(p: Any, strip: Strip = strip) -> list:
            row = strip.load(W, indices.index(p))
            row = row if threshold is None else _soft(builder, strip, row, threshold)
            return row if values is None else times_each(builder, strip.spread(values.number(p)), row)

        strip.store(summed(builder, strip.load(out), begin, end, term), out)


def _soft(builder: Any, strip: Strip, values: list, threshold: Any) -> list:
    """x - max(min(x, threshold), -threshold) of each number x."""
    high = strip.spread(threshold)
    low, found = builder.fsub(strip.constant(0.0), high), []
    for x in values:
        inner = builder.select(builder.fcmp_ordered("<", x, high), x, high)
        inner = builder.select(builder.fcmp_ordered(">", inner, low), inner, low)
        found.append(builder.fsub(x, inner))
    return found


def _scatter(builder: Any, indices: Array, begin, end, scale, c: Array, W: Array, values=None) -> Any:
    """Add scale c to each row, times its value if any; where nobody reads the growth, LLVM leaves it out."""
    total = cgutils.alloca_once_value(builder, DOUBLE(0.0))
    for strip in strips(builder, c.shape[0], W.type):
        row = [builder.fmul(strip.spread(scale), value) for value in strip.load(c)]
        sums = variables(builder, [strip.constant(0.0)] * len(strip.places))
        with each(builder, begin, end) as p:
            a = indices.index(p)
            before = strip.load(W, a)
            added = row if values is None else times_each(builder, strip.spread(values.number(p)), row)
            after = plus_each(builder, before, added)
            strip.store(after, W, a)
            both = plus_each(builder, before, after)
            add(builder, sums, [builder.fmul(*pair, flags=CONTRACT) for pair in zip(both, added, strict=True)])
        grown = strip.folded(strip.once([builder.load(sum_of_row) for sum_of_row in sums]), builder.fadd)
        grown = grown if grown.type == DOUBLE else builder.fpext(grown, DOUBLE)
        builder.store(builder.fadd(builder.load(total), grown), total)
    return builder.load(total)


RANGE = {"begin": "place", "end": "place"}
GATHERED = {**RANGE, "W": "rows"}
SCATTERED = {**RANGE, "scale": "number", "c": 1, "W": "rows"}
INDICES, TIMES, SOFT = {"indices": "indices"}, {"indices": "indices", "values": "row"}, {"threshold": "number"}
gather = _function(types.none, **INDICES, **GATHERED, out=1)(_gather)
gather_times = _function(types.none, **TIMES, **GATHERED, out=1)(_gather)
gather_soft = _function(types.none, **INDICES, **GATHERED, **SOFT, out=1)(_gather)
gather_times_soft = _function(types.none, **TIMES, **GATHERED, **SOFT, out=1)(_gather)
scatter = _function(types.float64, **INDICES, **SCATTERED)(_scatter)
scatter_times = _function(types.float64, **TIMES, **SCATTERED)(_scatter)


@_function(types.none, numbers="any", begin="place", end="place")
def prefetch(builder: Any, numbers: Array, begin: Any, end: Any) -> None:
    function = ir.FunctionType(ir.VoidType(), (BYTES, SHORT, SHORT, SHORT))
    fetch = cgutils.get_or_insert_function(builder.module, function, "llvm.prefetch.p0")
    with each(builder, begin, end, CACHE_LINE // numbers.size) as p:
        builder.call(fetch, (builder.bitcast(numbers.at(p), BYTES), SHORT(0), SHORT(3), SHORT(1)))
