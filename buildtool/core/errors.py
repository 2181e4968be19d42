"""The one root of every error this project raises on purpose.

An error says what happened (`message`), why (`why`) and what to do next
(`remedy`).  `code` is stable and short, for tests and for `--json`; `exit_status`
is what the command line returns for it.  Only `buildtool.cli` catches them.
"""

from __future__ import annotations


class BuildtoolError(Exception):
    """Root of all errors of this project.

    Subclasses set `code` and `exit_status`; instances carry the texts.
    """

    code = "error"
    exit_status = 1

    def __init__(self, message: str, *, why: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        return "\n".join(part for part in (self.message, self.why, self.remedy) if part)

    def as_json(self) -> dict[str, str]:
        """The error as the flat object that `--json` prints."""
        return {
            "code": self.code,
            "message": self.message,
            "why": self.why,
            "remedy": self.remedy,
        }


class UsageError(BuildtoolError):
    """The command line or the project file is wrong: exit status 2."""

    code = "usage"
    exit_status = 2
