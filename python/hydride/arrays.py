"""NumPy arrays as operands of instructions, and back.

The core takes and gives the bits of a value as bytes, least significant first. This module is the only one that knows
how an operand's bits are an array:

* A **vector** is an array whose last axis has one item for each element, element 0 (the least significant bits) first.
  Elements have the documented width and are floating-point numbers where the document says so; integers have the sign
  with which the function reads or computes them. Arrays of the other sign are taken bit by bit.
* A **mask** is an integer, or an array of `bool` with one item for each bit, bit 0 first.
* A **scalar** is an integer or floating-point number, or an array of them.
* An **immediate** is an integer within the documented range, or an array of them.

All axes before these are the batch. Batches of different arguments are broadcast against each other, and each result
has the batch as its leading axes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from hydride._native import Instruction, Operand

Bytes = NDArray[np.uint8]

_DTYPES = {
    ("int", 8): "<i1",
    ("int", 16): "<i2",
    ("int", 32): "<i4",
    ("int", 64): "<i8",
    ("uint", 8): "<u1",
    ("uint", 16): "<u2",
    ("uint", 32): "<u4",
    ("uint", 64): "<u8",
    ("float", 16): "<f2",
    ("float", 32): "<f4",
    ("float", 64): "<f8",
}
"""NumPy's type for each kind and width of element that it has one for."""


def dtype(operand: Operand) -> np.dtype[Any]:
    """The dtype of an operand's elements.

    NumPy has no bfloat16, which is `uint16` here; elements of other widths than 8, 16, 32 and 64 bits are in bytes.
    """
    if operand.kind == "mask":
        return np.dtype(np.bool)
    element = operand.element
    found = _DTYPES.get((element.kind, element.width)) or _DTYPES.get(("uint", element.width))
    return np.dtype(found or np.uint8)


def shape(operand: Operand) -> tuple[int, ...]:
    """The shape of one value: without the batch."""
    match operand.kind:
        case "vector":
            return (operand.width // (8 * dtype(operand).itemsize),)
        case "mask":
            return (operand.width,)
        case _:
            return ()


def evaluate(instruction: Instruction, args: tuple[object, ...]) -> Any:
    """What `Instruction.__call__` returns."""
    operands = instruction.args
    if len(args) != len(operands):
        names = ", ".join(operand.name for operand in operands)
        raise TypeError(f"{instruction.id} takes {len(operands)} arguments ({names}), {len(args)} were given")
    columns = []
    for operand, arg in zip(operands, args):
        try:
            columns.append(to_bytes(operand, arg))
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{instruction.id}: argument {operand.name}: {error}") from None
    try:
        batch = np.broadcast_shapes(*(column.shape[:-1] for column in columns))
    except ValueError:
        shapes = ", ".join(f"{operand.name} {column.shape[:-1]}" for operand, column in zip(operands, columns))
        raise ValueError(f"{instruction.id}: the batches cannot be broadcast: {shapes}") from None
    data = [
        column.tobytes() if column.ndim == 1 else np.broadcast_to(column, (*batch, column.shape[-1])).tobytes()
        for column in columns
    ]
    values = instruction._evaluate(data, math.prod(batch))
    results = tuple(from_bytes(operand, value, batch) for operand, value in zip(instruction.results, values))
    return results[0] if len(results) == 1 else results


def inputs(instruction: Instruction, count: int, seed: int) -> tuple[Any, ...]:
    """What `Instruction.inputs` returns."""
    columns = instruction._inputs(count, seed)
    operands = instruction.args
    return tuple(
        from_bytes(operand, column, (len(column) // -(-operand.width // 8),))
        for operand, column in zip(operands, columns)
    )


def to_bytes(operand: Operand, value: object) -> Bytes:
    """The bytes of values: the batch, and then one axis for the bytes of a value."""
    match operand.kind:
        case "immediate":
            return _immediate(operand, value)
        case "mask":
            return _mask(operand, value)
        case "scalar":
            return _elements(operand, value, ())
        case _:
            return _elements(operand, value, shape(operand))


def _immediate(operand: Operand, value: object) -> Bytes:
    array = np.asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"an immediate is an integer or an array of them, not {array.dtype}")
    assert operand.range is not None
    low, high = operand.range
    outside = array[(array < low) | (array > high)]
    if outside.size:
        raise ValueError(f"{outside.flat[0]} is not in the documented range {low} to {high}")
    return _bytes_of(array.astype("<i8"))[..., : -(-operand.width // 8)]


def _mask(operand: Operand, value: object) -> Bytes:
    if isinstance(value, int) and not isinstance(value, bool):
        return _from_integer(operand, value)
    array = np.asarray(value)
    if array.dtype == np.bool:
        if array.shape[-1:] != (operand.width,):
            raise ValueError(f"the mask has {operand.width} bits, the last axis of shape {array.shape} is not that long")
        return np.packbits(array, axis=-1, bitorder="little")
    if array.dtype.kind not in "iu":
        raise TypeError(f"a mask is an integer or an array of bool, not {array.dtype}")
    if operand.width > 64:
        raise TypeError(f"a mask of {operand.width} bits is an array of bool")
    if array.size and (array.min() < 0 or int(array.max()) >> operand.width):
        raise OverflowError(f"an integer does not fit the mask's {operand.width} bits")
    return _bytes_of(array.astype("<u8"))[..., : -(-operand.width // 8)]


def _elements(operand: Operand, value: object, shape: tuple[int, ...]) -> Bytes:
    """Vectors, and scalars as vectors without an axis for elements."""
    wanted = dtype(operand)
    if not shape and isinstance(value, int):
        return _from_integer(operand, value)
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
    else:
        array = np.asarray(value, dtype=wanted)
    if not _is_read_as(array.dtype, wanted):
        elements = f"{shape[0]} elements" if shape else "a scalar"
        raise TypeError(f"{elements} of {wanted} expected, not {array.dtype}; .view() reads the same bits differently")
    if shape and array.shape[-1:] != shape:
        raise ValueError(f"{shape[0]} elements of {wanted} expected, the shape is {array.shape}")
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    if shape:
        return np.ascontiguousarray(little).view(np.uint8)
    return _bytes_of(little)


def _is_read_as(given: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether an array of the one dtype is taken where the other one is documented."""
    both_integers = given.kind in "iu" and wanted.kind in "iu"
    return given.itemsize == wanted.itemsize and (both_integers or given.kind == wanted.kind)


def _bytes_of(array: NDArray[Any]) -> Bytes:
    """The bytes of each item, along a new last axis."""
    return np.ascontiguousarray(array)[..., np.newaxis].view(np.uint8).reshape(*array.shape, array.itemsize)


def _from_integer(operand: Operand, value: int) -> Bytes:
    """One integer, which may be read as signed or unsigned, in the operand's width."""
    width = operand.width
    if not -(1 << width - 1) <= value < 1 << width:
        raise OverflowError(f"{value} does not fit {width} bits")
    bits = value & (1 << width) - 1
    return np.frombuffer(bits.to_bytes(-(-width // 8), "little"), np.uint8)


def from_bytes(operand: Operand, data: bytearray, batch: tuple[int, ...]) -> Any:
    """A result as an array; without batch and elements, as a NumPy scalar."""
    size = -(-operand.width // 8)
    packed = np.ndarray((*batch, size), np.uint8, data)
    if operand.kind == "mask":
        return np.unpackbits(packed, axis=-1, count=operand.width, bitorder="little").view(np.bool)
    if operand.range is not None:
        wide = np.zeros((*batch, 8), np.uint8)
        wide[..., :size] = packed
        number = wide.view("<i8")[..., 0]
        if operand.range[0] < 0 and operand.width < 64:
            number -= number >> operand.width - 1 << operand.width
        return number
    return np.ndarray((*batch, *shape(operand)), dtype(operand), data)[()]
