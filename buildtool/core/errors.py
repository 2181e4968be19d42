"""The one root of every error this project raises on purpose.

An error says what happened (`message`), why (`why`) and what to do next
(`remedy`).  `code` is stable and short, for tests and for `--json`; `exit_status`
is what the command line returns for it.  Only `buildtool.cli` catches them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from buildtool.core.diagnostic import Diagnostic


class BuildtoolError(Exception):
    """Root of all errors of this project.

    Subclasses set `code` and `exit_status`; instances carry the texts, and the `files` among what
    was built that are at fault, as far as that is known.  `diagnostics` are the errors that a tool
    reported, `document` is what `--json` prints besides the error.
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

    def as_json(self) -> dict[str, Any]:
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
