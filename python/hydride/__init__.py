"""Vector instructions of x86, Arm and HVX with exact semantics, read from the vendors' documents.

>>> import hydride, numpy
>>> instructions = hydride.load("specs/sample")
>>> average = instructions["_mm_avg_epu8"]
>>> average(numpy.full(16, 1, numpy.uint8), numpy.full(16, 2, numpy.uint8))[0]
np.uint8(2)

`load` reads documents; the result looks up instructions and operations. An instruction is called with NumPy arrays:
`hydride.arrays` says how an operand's bits are an array.
"""

from hydride import arrays
from hydride._native import (
    Change,
    Counterexample,
    Dictionary,
    Diff,
    Element,
    EntryName,
    Instruction,
    LedgerEntry,
    Operand,
    Operation,
    Renamed,
    Search,
    Sequence,
    Side,
    SignatureChange,
    Step,
    Trust,
    Value,
    diff,
    load,
    search,
)
from hydride.errors import DocumentError, Error, InternalError, Problem, UnknownNameError, UsageError
from hydride.models import Mismatch, check

__all__ = [
    "Change",
    "Counterexample",
    "Dictionary",
    "Diff",
    "DocumentError",
    "Element",
    "EntryName",
    "Error",
    "Instruction",
    "InternalError",
    "LedgerEntry",
    "Mismatch",
    "Operand",
    "Operation",
    "Problem",
    "Renamed",
    "Search",
    "Sequence",
    "Side",
    "SignatureChange",
    "Step",
    "Trust",
    "UnknownNameError",
    "UsageError",
    "Value",
    "arrays",
    "check",
    "diff",
    "load",
    "search",
]
