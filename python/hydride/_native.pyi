"""Type hints of the core, which is written in Rust."""

from os import PathLike
from typing import Any, Literal, final

__all__ = [
    "Change",
    "Counterexample",
    "Dictionary",
    "Diff",
    "Element",
    "EntryName",
    "Instruction",
    "LedgerEntry",
    "Operand",
    "Operation",
    "Renamed",
    "Search",
    "Sequence",
    "Side",
    "SignatureChange",
    "Step",
    "Trust",
    "Value",
    "diff",
    "load",
    "search",
]

def load(
    specs: str | PathLike[str] | None = None,
    *,
    isas: list[str] = ...,
    errata: str | PathLike[str] | None = None,
    no_errata: bool = False,
    accept_partial: bool = False,
) -> Dictionary:
    """Reads the documents of some instruction sets, or of all.

    `specs` is a folder with one folder of documents for each instruction set; without it `specs/vendor` is read, or
    else `specs/sample`. `errata` is a file of corrections instead of the built-in ones, `no_errata` takes the documents
    as they are, and `accept_partial` goes on with what can be read of a broken one. Results of earlier runs are taken
    from the user's cache, as by the command line.

    Raises `DocumentError` for a document that cannot be read as a whole.
    """

def diff(
    old: str | PathLike[str],
    new: str | PathLike[str],
    *,
    isas: list[str] = ...,
    errata: str | PathLike[str] | None = None,
    no_errata: bool = False,
    accept_partial: bool = False,
) -> Diff:
    """Compares two documents, folders of documents, or folders that `hydride generate-ir` wrote, by meaning.

    The keywords are those of `load`. Raises `DocumentError` for a document that cannot be read as a whole.
    """

def search(
    goal: str | PathLike[str],
    specs: str | PathLike[str] | None = None,
    *,
    isa: str | None = None,
    extensions: list[str] = ...,
    max_length: int | None = None,
    cost: Literal["length", "latency", "uops"] = "length",
    cpu: str | None = None,
    all: bool = False,
    only: list[str] = ...,
    without: list[str] = ...,
    time: int = 60,
) -> Search:
    """Searches the shortest sequences of instructions for a goal, which is a TOML file.

    The keywords are the options of `hydride search`: an instruction set, CPU features, the greatest cost that is tried,
    what is made small and on which machine, whether all cheapest sequences are collected, globs over mnemonics and ids
    that may or may not be used, and seconds (0 for no limit).
    """

@final
class Dictionary:
    """What documents say: instructions by name, operations, and what became of every entry."""

    @property
    def instructions(self) -> list[Instruction]:
        """The instructions, in the order of the documents."""

    @property
    def operations(self) -> list[Operation]:
        """The operations, sorted by name."""

    def operation(self, name: str) -> Operation:
        """The operation of this name; raises `UnknownNameError`."""

    @property
    def ledger(self) -> list[LedgerEntry]:
        """What became of every entry of the documents, in their order."""

    @property
    def versions(self) -> dict[str, str]:
        """The versions that the documents declare, by instruction set."""

    def explain(self, first: str, second: str | None = None, /) -> str:
        """A page about an instruction or operation, or about what two instructions have in common and how they differ.

        It is what `hydride explain` prints.
        """

    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> Instruction:
        """The instruction of an id, or of `isa:id` where several instruction sets have it.

        Raises `UnknownNameError`, which says why an entry of that name is not modelled, or names what may be meant.
        """

    def __contains__(self, name: object, /) -> bool: ...

@final
class Instruction:
    """An instruction; call it to evaluate it."""

    @property
    def id(self) -> str:
        """The vendor's name for it, unique within its instruction set."""

    @property
    def isa(self) -> str:
        """The instruction set: `x86`, `arm` or `hvx`."""

    @property
    def intrinsic(self) -> str:
        """The vendor's C function."""

    @property
    def mnemonics(self) -> list[str]:
        """Assembly mnemonics, as documented."""

    @property
    def extensions(self) -> list[str]:
        """CPU features that it needs, as the document names them."""

    @property
    def args(self) -> tuple[Operand, ...]:
        """The arguments, in the order of the C function."""

    @property
    def results(self) -> tuple[Operand, ...]:
        """The results; several if the C function returns a tuple."""

    @property
    def operation(self) -> Operation:
        """The operation of which it is an instance."""

    @property
    def form(self) -> str:
        """The name of the operation's form that it is."""

    @property
    def parameters(self) -> dict[str, int]:
        """The operation's parameters at which it is an instance."""

    @property
    def masking(self) -> Literal["none", "zero", "merge"]:
        """What becomes of the elements that a mask disables."""

    @property
    def trust(self) -> Trust:
        """How far the semantics can be trusted."""

    @property
    def undefined(self) -> list[tuple[int, int, int]]:
        """Bits that the document leaves undefined, which are 0 in results: position of the result, lowest bit, number
        of bits."""

    @property
    def place(self) -> tuple[str, int, int]:
        """Where its document describes it: file, line, column."""

    @property
    def formula(self) -> str:
        """The semantics in mathematical notation, one statement a line.

        `x_{w}[i]` is element `i` of `x` in elements of `w` bits.
        """

    @property
    def ir(self) -> str:
        """The semantics in Hydride IR, in canonical form where there is one."""

    def __call__(self, *args: Any) -> Any:
        """The result for these arguments; a tuple if there are several results.

        `hydride.arrays` says how operands are NumPy arrays. Leading axes are a batch, and are broadcast.
        """

    def inputs(self, count: int = 1000, seed: int = 1) -> tuple[Any, ...]:
        """At least `count` inputs: for each argument an array with one leading axis.

        They are those on which validation compares the instruction with a machine: extremes in every element, small
        numbers and shift counts, every immediate, and random bits; the same for the same seed.
        """

    def _inputs(self, count: int, seed: int) -> list[bytearray]: ...
    def _evaluate(self, columns: list[bytes], rows: int) -> list[bytearray]: ...

@final
class Operation:
    """An operation over parameters, with the instructions that are proved to be its instances."""

    @property
    def name(self) -> str:
        """The name, unique among operations."""

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters."""

    @property
    def constraints(self) -> list[str]:
        """Conditions on the parameters that all must hold."""

    @property
    def instructions(self) -> list[Instruction]:
        """The instructions, by instruction set and id."""

    @property
    def ir(self) -> str:
        """The semantics in Hydride IR, over the parameters."""

@final
class Trust:
    """How far an instruction's semantics can be trusted."""

    @property
    def level(self) -> Literal["parsed", "proved", "run"]:
        """`parsed`: read from the document. `proved`: the canonical form is proved to be equal to that. `run`: it agrees
        with a CPU or an emulator as well."""

    @property
    def machine(self) -> str | None:
        """The CPU or emulator with which it agrees."""

    @property
    def inputs(self) -> int:
        """The number of inputs that were compared."""

    @property
    def validated(self) -> bool:
        """Whether it was compared with a CPU or an emulator."""

    def __hash__(self) -> int: ...

@final
class Operand:
    """An argument or a result."""

    @property
    def name(self) -> str:
        """The document's name for it."""

    @property
    def c_type(self) -> str:
        """The type in C."""

    @property
    def kind(self) -> Literal["vector", "mask", "scalar", "immediate"]:
        """What kind of operand it is."""

    @property
    def width(self) -> int:
        """Width in bits."""

    @property
    def element(self) -> Element:
        """The elements of a vector, element 0 in the least significant bits; of anything else the only one."""

    @property
    def lanes(self) -> int:
        """The number of elements."""

    @property
    def range(self) -> tuple[int, int] | None:
        """The least and the greatest documented value of an immediate."""

    def __hash__(self) -> int: ...

@final
class Element:
    """The elements of a vector or a scalar."""

    @property
    def kind(self) -> Literal["int", "uint", "float"]:
        """How its bits are read."""

    @property
    def width(self) -> int:
        """Width in bits."""

    def __hash__(self) -> int: ...

@final
class LedgerEntry:
    """What became of an entry of a document."""

    @property
    def isa(self) -> str:
        """The instruction set."""

    @property
    def id(self) -> str:
        """The entry's id."""

    @property
    def status(self) -> Literal["modelled", "excluded", "failed"]:
        """What became of it."""

    @property
    def reason(self) -> str | None:
        """Why it is not modelled, as a word by which entries can be counted."""

    @property
    def message(self) -> str | None:
        """The same in words."""

    @property
    def file(self) -> str:
        """The document."""

    @property
    def line(self) -> int:
        """The line, from 1."""

    @property
    def column(self) -> int:
        """The column in characters, from 1."""

@final
class Diff:
    """What differs between two sides; false if nothing does."""

    @property
    def old(self) -> Side:
        """The old side."""

    @property
    def new(self) -> Side:
        """The new side."""

    @property
    def added(self) -> list[EntryName]:
        """Entries that only the new side has."""

    @property
    def removed(self) -> list[EntryName]:
        """Entries that only the old side has."""

    @property
    def renamed(self) -> list[Renamed]:
        """Entries that have another name on the new side."""

    @property
    def replaced(self) -> list[Renamed]:
        """Removed entries, each with an entry of the new side that means the same."""

    @property
    def signatures(self) -> list[SignatureChange]:
        """Prototypes that differ."""

    @property
    def changes(self) -> list[Change]:
        """Entries whose text or meaning differs."""

    def breaking(self) -> Diff:
        """The same without what cannot break a user: what is left are entries that are gone, other types and other
        meanings."""

    def __bool__(self) -> bool: ...

@final
class Side:
    """One side of a comparison."""

    @property
    def name(self) -> str:
        """Its name, as given."""

    @property
    def kind(self) -> str:
        """What it was taken for."""

    @property
    def versions(self) -> list[str]:
        """The versions that the documents declare."""

    @property
    def entries(self) -> int:
        """The number of entries."""

    @property
    def modelled(self) -> int:
        """The number of entries that are modelled."""

@final
class EntryName:
    """An entry that only one side has."""

    @property
    def isa(self) -> str:
        """The instruction set."""

    @property
    def id(self) -> str:
        """The id."""

    @property
    def reason(self) -> str | None:
        """Why it is not modelled, if it is not."""

@final
class Renamed:
    """An entry that the other side has under another name, with a meaning that is proved to be the same."""

    @property
    def isa(self) -> str:
        """The instruction set."""

    @property
    def old(self) -> str:
        """The id on the old side."""

    @property
    def new(self) -> str:
        """The id on the new side."""

@final
class SignatureChange:
    """A prototype that differs."""

    @property
    def isa(self) -> str:
        """The instruction set."""

    @property
    def id(self) -> str:
        """The id on the new side."""

    @property
    def old(self) -> str:
        """The old prototype; empty if it is not known."""

    @property
    def new(self) -> str:
        """The new one."""

    @property
    def types(self) -> bool:
        """Whether types differ, and not only names."""

@final
class Change:
    """An entry whose text or meaning differs."""

    @property
    def isa(self) -> str:
        """The instruction set."""

    @property
    def id(self) -> str:
        """The id on the new side."""

    @property
    def meaning(
        self,
    ) -> Literal[
        "same", "different", "unknown", "other-shape", "newly-modelled", "no-longer-modelled", "not-modelled"
    ]:
        """What became of the meaning."""

    @property
    def text_differs(self) -> bool | None:
        """Whether the texts differ; `None` if they are not known."""

    @property
    def reason(self) -> str | None:
        """Why the meanings were not compared or not decided, if so."""

    @property
    def counterexample(self) -> Counterexample | None:
        """Arguments for which the meanings differ, if they do."""

@final
class Counterexample:
    """Arguments for which two meanings differ, with both results."""

    @property
    def args(self) -> list[Value]:
        """The arguments, in the order of the C function."""

    @property
    def old(self) -> list[Value]:
        """The results on the old side."""

    @property
    def new(self) -> list[Value]:
        """The results on the new side."""

    @property
    def lane(self) -> int:
        """The width in bits of the elements in which the values are best read."""

@final
class Value:
    """A value of an argument or a result."""

    @property
    def name(self) -> str:
        """The name of the argument or result."""

    @property
    def width(self) -> int:
        """Width in bits."""

    @property
    def bits(self) -> int:
        """The bits, as an unsigned integer."""

@final
class Search:
    """The outcome of a search; false if no sequence was found."""

    @property
    def goal(self) -> str:
        """The goal's name."""

    @property
    def target(self) -> str:
        """The target's name."""

    @property
    def unit(self) -> str:
        """What costs are counted in."""

    @property
    def exhausted(self) -> int:
        """Every sequence of this cost or less was tried."""

    @property
    def interrupted(self) -> bool:
        """Whether the search ended early."""

    @property
    def undecided(self) -> int:
        """Candidates that the solver did not decide."""

    @property
    def left_out(self) -> dict[str, list[str]]:
        """The ids of the target's instructions that no sequence was tried with, by what keeps them out."""

    @property
    def sequences(self) -> list[Sequence]:
        """The cheapest sequences."""

    def __bool__(self) -> bool: ...

@final
class Sequence:
    """A sequence of instructions that is proved to reach the goal."""

    @property
    def cost(self) -> int:
        """Its cost."""

    @property
    def moves(self) -> int:
        """Register moves among its instructions."""

    @property
    def registers(self) -> int:
        """Vector registers that it needs."""

    @property
    def assembly(self) -> list[str]:
        """The lines of assembly."""

    @property
    def c(self) -> list[str]:
        """The lines of a function in C."""

    @property
    def steps(self) -> list[Step]:
        """The instructions, without moves."""

@final
class Step:
    """An instruction of a sequence."""

    @property
    def id(self) -> str:
        """The instruction's id."""

    @property
    def mnemonic(self) -> str:
        """Its mnemonic."""

    @property
    def immediates(self) -> list[int]:
        """Values of its immediates."""

    @property
    def operands(self) -> list[int]:
        """Its operands: the goal's inputs are counted first, then the results of the steps."""

    @property
    def also(self) -> list[str]:
        """Other instructions with the same effect here."""
