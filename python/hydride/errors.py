"""What can go wrong."""

from dataclasses import dataclass


class Error(Exception):
    """Any error of this package."""


class UsageError(Error, ValueError):
    """What was asked for makes no sense: an unknown instruction set, a value that does not fit."""


class UnknownNameError(Error, LookupError):
    """A name that no instruction has, or several."""


class InternalError(Error):
    """A defect of this package."""


@dataclass(frozen=True)
class Problem:
    """A place in a document and what is wrong there."""

    file: str
    """Path of the document."""
    line: int
    """Line, from 1."""
    column: int
    """Column in characters, from 1."""
    entry: str | None
    """The entry of the document, where the place is in one."""
    message: str
    """What is wrong, in one sentence."""

    def __str__(self) -> str:
        entry = f"{self.entry}: " if self.entry else ""
        return f"{self.file}:{self.line}:{self.column}: {entry}{self.message}"


class DocumentError(Error):
    """A document that cannot be read as a whole."""

    problems: tuple[Problem, ...]
    """The places, in the order of the document; at least one."""

    def __init__(self, message: str, problems: tuple[Problem, ...]) -> None:
        super().__init__(message)
        self.problems = problems

    @property
    def file(self) -> str:
        """Path of the document with the first problem."""
        return self.problems[0].file

    @property
    def line(self) -> int:
        """Line of the first problem, from 1."""
        return self.problems[0].line

    @property
    def column(self) -> int:
        """Column of the first problem in characters, from 1."""
        return self.problems[0].column

    @property
    def entry(self) -> str | None:
        """Entry with the first problem, where it is in one."""
        return self.problems[0].entry
