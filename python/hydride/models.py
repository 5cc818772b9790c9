"""Other people's models of instructions, checked against the semantics that is known here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hydride import arrays

if TYPE_CHECKING:
    from hydride._native import Instruction


@dataclass(frozen=True)
class Mismatch:
    """An input for which a model and an instruction differ."""

    args: tuple[Any, ...]
    """The arguments."""
    expected: Any
    """What the instruction gives."""
    found: Any
    """What the model gives."""
    inputs: int
    """The number of inputs that were compared."""
    mismatches: int
    """For how many of them both differ."""


def check(instruction: Instruction, model: Callable[..., Any], count: int = 10_000, seed: int = 1) -> Mismatch | None:
    """Compares a model with an instruction on the inputs of `Instruction.inputs`; returns the first that differs.

    The model is called once, with arrays of all inputs, and returns what the instruction does: an array, or a tuple of
    arrays. Bits that the document leaves undefined do not count.
    """
    inputs = instruction.inputs(count, seed)
    expected, found = _tuple(instruction(*inputs)), _tuple(model(*inputs))
    if len(expected) != len(found):
        raise TypeError(f"{instruction.id} has {len(expected)} results, the model gives {len(found)}")
    differs: NDArray[np.bool] = np.zeros(len(inputs[0]) if inputs else 1, np.bool)
    for position, (ours, theirs) in enumerate(zip(expected, found)):
        differs |= _differs(instruction, position, ours, theirs)
    rows = np.flatnonzero(differs)
    if not rows.size:
        return None
    row = rows[0]
    args, ours, theirs = (tuple(values[row] for values in side) for side in (inputs, expected, found))
    return Mismatch(args, _single(ours), _single(theirs), differs.size, rows.size)


def _differs(instruction: Instruction, position: int, ours: Any, theirs: Any) -> NDArray[np.bool]:
    """For each input whether one result differs in a bit that is defined."""
    operand = instruction.results[position]
    try:
        given = arrays.to_bytes(operand, theirs)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"{instruction.id}: result {operand.name} of the model: {error}") from None
    bits = np.unpackbits(arrays.to_bytes(operand, ours) ^ given, axis=-1, bitorder="little")
    for result, low, width in instruction.undefined:
        if result == position:
            bits[..., low : low + width] = 0
    return np.asarray(bits.any(axis=-1))


def _tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _single(results: tuple[Any, ...]) -> Any:
    return results[0] if len(results) == 1 else results
