"""A hint to the processor that an element will be read soon; no value depends on it.

Compiled code only. K of ten million neighbours is read at random from a table that no near cache holds: waiting for it took
two fifths of a cycle, and a kernel that asks for the next rows while it computes these waits for less.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_NAME = "llvm.prefetch.p0"
_BYTE_POINTER = ir.IntType(8).as_pointer()
_INT = ir.IntType(32)
_READ, _KEEP_NEAR, _DATA = ir.Constant(_INT, 0), ir.Constant(_INT, 3), ir.Constant(_INT, 1)
_HINT = ir.FunctionType(ir.VoidType(), [_BYTE_POINTER, _INT, _INT, _INT])


def _prefetch(_typing: Any, array: Any, index: Any) -> tuple[Any, Any]:
    """For compiled callers (array, index): the element of a contiguous one-dimensional array will be read."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), _BYTE_POINTER)
        hint = builder.module.globals.get(_NAME) or ir.Function(builder.module, _HINT, _NAME)
        builder.call(hint, [address, _READ, _KEEP_NEAR, _DATA])
        return context.get_dummy_value()

    return types.void(array, types.intp), emit


prefetch: Any = intrinsic(_prefetch)
