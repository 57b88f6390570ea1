"""Calls through pointers: a kernel calls a function of which numba knows only the signature.

A ``Handle`` is the address of a record of 8-byte words. The first word is the address of a table of functions, the
second that of counts, (counts, examples), the third how many examples there are. The other words are the fields of
a NamedTuple, nested tuples in place. A number is one word; an array is the address of its data and its shape. A
function of the table takes the handle and then its arguments, in this layout. Each word is an argument, so that
words travel in registers. A tuple is returned through an address.
"""

from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from typing import Annotated, Any, NamedTuple, cast, get_args, get_origin, get_type_hints

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.errors import TypingError
from numba.extending import NativeValue, intrinsic, register_model, typeof_impl, unbox
from numba.np import arrayobj, numpy_support

from structbench.algorithms.runtime.handle import Handle

TABLE, COUNTS, EXAMPLES, FIELDS = range(4)  # words of a record
WORD = ir.IntType(64)
BYTES = ir.IntType(8).as_pointer()
ENTRANCE = ".entrance"  # ends the name of the machine code that a table points to
SCALARS = {int: types.int64, float: types.float64, bool: types.boolean, type(None): types.none}
TUPLES = (types.Tuple, types.UniTuple, types.NamedTuple, types.NamedUniTuple)


class HandleType(types.Type):
    """numba's type of every ``Handle``: kernels that take one are compiled once."""

    def __init__(self) -> None:
        super().__init__("Handle")


HANDLE = HandleType()


@register_model(HandleType)
class HandleModel(models.PrimitiveModel):
    """A handle is an address."""

    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind, WORD)


@typeof_impl.register(Handle)
def _type_of_handle(value: Handle, context: Any) -> types.Type:
    return HANDLE


@unbox(HandleType)
def _unbox_handle(kind: types.Type, handle: Any, c: Any) -> NativeValue:
    attribute = c.pyapi.object_getattr_string(handle, "address")
    address = c.pyapi.long_as_longlong(attribute)
    c.pyapi.decref(attribute)
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def numba_type(annotation: Any, readonly: bool = False) -> types.Type:
    """The numba type for an annotation: a number, an array such as ``Floats``, or a tuple of these.

    Raises:
        TypeError: it is something else.
    """
    if annotation in SCALARS:
        return SCALARS[annotation]
    if get_origin(annotation) is Annotated and get_args(annotation)[0] is np.ndarray:
        _, dtype, dimensions = get_args(annotation)
        return types.Array(numpy_support.from_dtype(np.dtype(dtype)), dimensions, "C", readonly=readonly)
    if get_origin(annotation) is tuple:
        return types.Tuple([numba_type(each) for each in get_args(annotation)])
    if isinstance(annotation, type) and hasattr(annotation, "_fields"):
        hints = get_type_hints(annotation, include_extras=True)
        fields = [numba_type(hints[name], readonly) for name in annotation._fields]
        return cast(types.Type, types.BaseTuple.from_types(fields, annotation))
    raise TypeError(f"kernels cannot be given {annotation}: annotate it as a number, an array or a NamedTuple")


# ---- words -----------------------------------------------------------------------------------------


def _words_of(kind: types.Type) -> Iterator[ir.Type]:
    """The LLVM types of the words of a value."""
    if isinstance(kind, types.Array):
        yield BYTES
        yield from [WORD] * kind.ndim
    elif isinstance(kind, TUPLES):
        for each in kind.types:
            yield from _words_of(each)
    elif isinstance(kind, types.Float):
        yield ir.DoubleType()
    else:
        yield WORD


def _taken_apart(context: Any, builder: Any, kind: types.Type, value: Any) -> Iterator[Any]:
    """The words of a value."""
    if isinstance(kind, types.Array):
        array = arrayobj.make_array(kind)(context, builder, value)
        yield builder.bitcast(array.data, BYTES)
        yield from cgutils.unpack_tuple(builder, array.shape, kind.ndim)
    elif isinstance(kind, TUPLES):
        for place, each in enumerate(kind.types):
            yield from _taken_apart(context, builder, each, builder.extract_value(value, place))
    elif isinstance(kind, types.Float):
        yield value
    else:
        yield context.cast(builder, value, kind, types.int64)


def _put_together(context: Any, builder: Any, kind: types.Type, words: Iterator[Any]) -> Any:
    """The value that consists of these words; arrays own no memory."""
    if isinstance(kind, types.Array):
        array = arrayobj.make_array(kind)(context, builder)
        data = next(words)
        shape = [next(words) for _ in range(kind.ndim)]
        size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        strides = [WORD(size)]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        data = builder.bitcast(data, context.get_data_type(kind.dtype).as_pointer())
        arrayobj.populate_array(array, data, shape, strides, size, None)
        return array._getvalue()
    if isinstance(kind, TUPLES):
        found = [_put_together(context, builder, each, words) for each in kind.types]
        return context.make_tuple(builder, kind, found)
    word = next(words)
    return word if isinstance(kind, types.Float) else context.cast(builder, word, types.int64, kind)


def _loaded(builder: ir.IRBuilder, address: Any, kinds: Iterator[ir.Type], first: int) -> Iterator[Any]:
    """The words of a record from number ``first`` on. They never change."""
    for place, kind in enumerate(kinds, first):
        word = builder.load(builder.inttoptr(builder.add(address, WORD(8 * place)), kind.as_pointer()))
        word.set_metadata("invariant.load", builder.module.add_metadata([]))
        yield word


def _word(builder: ir.IRBuilder, address: Any, place: int) -> Any:
    return next(_loaded(builder, address, iter([WORD]), place))


# ---- calls -----------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """An operation: its place in the table, its name, the types of its arguments (handle apart) and its result."""

    slot: int
    name: str
    takes: tuple[types.Type, ...]
    gives: types.Type

    def signature(self) -> ir.FunctionType:
        """The signature of its machine code."""
        words = [WORD, *(word for kind in self.takes for word in _words_of(kind))]
        if isinstance(self.gives, TUPLES):
            return ir.FunctionType(ir.VoidType(), [*words, WORD])
        gives = ir.VoidType() if self.gives == types.none else next(_words_of(self.gives))
        return ir.FunctionType(gives, words)


def caller(entry: Entry) -> Callable:
    """A function (handle, *arguments) for kernels; it calls the operation in the handle's table."""

    def call(typing: Any, handle: Any, *given: Any) -> tuple:
        takes = [_accepted(entry.name, kind, its) for kind, its in zip(entry.takes, given, strict=True)]

        def generate(context: Any, builder: Any, signature: Any, values: list) -> Any:
            address = values[0]
            target = _word(builder, _word(builder, address, TABLE), entry.slot)
            words = [address]
            for kind, value in zip(takes, values[1:], strict=True):
                words += _taken_apart(context, builder, kind, value)
            function = builder.inttoptr(target, entry.signature().as_pointer())
            if isinstance(entry.gives, TUPLES):
                room = cgutils.alloca_once(builder, context.get_value_type(entry.gives))
                builder.call(function, [*words, builder.ptrtoint(room, WORD)])
                return builder.load(room)
            result = builder.call(function, words)
            if entry.gives == types.none:
                return context.get_dummy_value()
            return _put_together(context, builder, entry.gives, iter([result]))

        return entry.gives(HANDLE, *takes), generate

    return _intrinsic(call, len(entry.takes))


def is_there(slot: int) -> Callable:
    """A function (handle) for kernels: whether the handle's table has an operation in this place."""

    def there(typing: Any, handle: Any) -> tuple:
        def generate(context: Any, builder: Any, signature: Any, values: list) -> Any:
            return cgutils.is_not_null(builder, _word(builder, _word(builder, values[0], TABLE), slot))

        return types.boolean(HANDLE), generate

    return _intrinsic(there, 0)


def counter(entry: Entry) -> Callable:
    """A function for kernels: (handle, i) -> counts of example i, or (handle) -> how many examples there are.

    The slot of ``entry`` is the place of the first of its counts. It gives a number or a tuple of numbers.
    """

    def count(typing: Any, handle: Any, *given: Any) -> tuple:
        def generate(context: Any, builder: Any, signature: Any, values: list) -> Any:
            examples = _word(builder, values[0], EXAMPLES)
            if not entry.takes:
                return examples
            counts, found, gives = _word(builder, values[0], COUNTS), [], entry.gives
            for place in range(entry.slot, entry.slot + (len(gives) if isinstance(gives, TUPLES) else 1)):
                at = builder.add(builder.mul(examples, WORD(place)), values[1])
                found.append(_word(builder, builder.add(counts, builder.mul(at, WORD(8))), 0))
            return context.make_tuple(builder, gives, found) if isinstance(gives, TUPLES) else found[0]

        return entry.gives(HANDLE, *entry.takes), generate

    return _intrinsic(count, len(entry.takes))


def _intrinsic(call: Callable, takes: int) -> Callable:
    names = ["typing", "handle", *(f"argument{place}" for place in range(takes))]
    call.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])
    return intrinsic(call)


def _accepted(name: str, declared: types.Type, given: types.Type) -> types.Type:
    """The type as which an argument of the type ``given`` is passed."""
    if isinstance(declared, types.Array):
        wanted = declared.dtype, declared.ndim, "C"
        if isinstance(given, types.Array) and (given.dtype, given.ndim, given.layout) == wanted:
            return given
        raise TypingError(f"{name}: the argument must be {declared}, not {given}")
    return given if isinstance(declared, TUPLES) else declared


def entrance(kind: type, fields: list[str], entry: Entry, dispatcher: Any) -> Callable:
    """A function () that adds to a kernel's machine code the entry of a table: an operation on records.

    ``fields``: of the record, which are those of ``kind``, in its order. ``dispatcher``: of the operation's
    implementation, whose first argument is the NamedTuple ``kind``.
    """
    takes = (numba_type(kind, readonly=True), *entry.takes)

    def install(typing: Any) -> tuple:
        dispatcher.compile(takes)

        def generate(context: Any, builder: Any, signature: Any, values: list) -> Any:
            compiled = dispatcher.overloads[takes]
            context.add_linking_libs([compiled.library])
            name = builder.function.name + ENTRANCE
            _entrance(context, builder.module, name, takes[0], fields, entry, compiled)
            return context.get_dummy_value()

        return types.void(), generate

    return intrinsic(install)


def address_of(dispatcher: Any) -> int:
    """The address of the machine code that ``entrance`` added to a kernel without arguments."""
    dispatcher.compile(())
    compiled = dispatcher.overloads[()]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name + ENTRANCE)


def _entrance(
    context: Any, module: ir.Module, name: str, kind: Any, fields: list[str], entry: Entry, compiled: Any
) -> None:
    """The function that the table points to. It loads the record and calls the implementation, inlined."""
    function = ir.Function(module, entry.signature(), name)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    address, *others = function.args
    words = iter(others)
    record = types.Tuple([kind.types[kind.fields.index(each)] for each in fields])
    loaded = _loaded(builder, address, _words_of(record), FIELDS)
    found = {each: _put_together(context, builder, its, loaded) for each, its in zip(fields, record, strict=True)}
    first = context.make_tuple(builder, kind, [found[each] for each in kind.fields])
    rest = [_put_together(context, builder, kind, words) for kind in entry.takes]
    target, described = context.declare_function(module, compiled.fndesc), compiled.fndesc
    _, result = context.call_conv.call_function(
        builder, target, described.restype, described.argtypes, [first, *rest], attrs=("alwaysinline",)
    )
    if entry.gives == types.none:
        builder.ret_void()
        return
    result = context.cast(builder, result, described.restype, entry.gives)
    if isinstance(entry.gives, TUPLES):
        builder.store(result, builder.inttoptr(next(words), context.get_value_type(entry.gives).as_pointer()))
        builder.ret_void()
    else:
        builder.ret(next(_taken_apart(context, builder, entry.gives, result)))
