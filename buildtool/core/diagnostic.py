"""One error that a tool reported, for programs that read the output of `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.builds import DiagnosticObject


class Diagnostic(Value):
    """`line` and `column` count from 1; `file`, `line` and `column` are None where the tool did not
    report them."""

    file: str | None
    line: int | None
    column: int | None
    message: str

    def as_json(self) -> DiagnosticObject:
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "message": self.message,
        }
