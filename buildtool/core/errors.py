"""The base class of all errors that this project raises on purpose.

An error has the texts `message` (what happened), `why` and `remedy` (what to do).  `code` is a
short, stable identifier for tests and `--json`; `exit_status` is that of the command line.  Only
`buildtool.cli` catches these errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from buildtool.core.value import Described

if TYPE_CHECKING:
    from buildtool.documents.builds import ErrorObject

NOT_RUN = 125
"""The exit status, when no program could run, of what returns the exit status of a program."""


class BuildtoolError(Exception):
    """Base class of all errors of this project.

    Subclasses set `code` and `exit_status`.  `files` are the built files that cause the error, as
    far as they are known, `diagnostics` the errors that a tool reported, and `document` is what
    `--json` prints in addition to the error.
    """

    code = "error"
    exit_status = 1
    diagnostics: Sequence[Diagnostic] = ()
    document: Mapping[str, Any] = {}

    def __init__(
        self, message: str, *, why: str = "", remedy: str = "", files: Sequence[Path] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.why = why
        self.remedy = remedy
        self.files = files

    def __str__(self) -> str:
        return "\n".join(part for part in (self.message, self.why, self.remedy) if part)

    def as_json(self) -> ErrorObject:
        """The error as the object that `--json` prints; `line` and `column` count from 1."""
        return {
            "code": self.code,
            "message": self.message,
            "why": self.why,
            "remedy": self.remedy,
            "file": None,
            "line": None,
            "column": None,
        }


class UsageError(BuildtoolError):
    """The command line or the project file is wrong: exit status 2."""

    code = "usage"
    exit_status = 2


class Diagnostic(Described):
    """One error that a tool reported; a place is None where the tool did not report it."""

    file: Annotated[str | None, "path of the source file"]
    line: Annotated[int | None, "from 1"]
    column: Annotated[int | None, "from 1"]
    message: Annotated[str, "what the tool says is wrong"]
