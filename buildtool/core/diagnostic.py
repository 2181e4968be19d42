"""One error that a tool reported, as a value: for programs that read what `--json` prints."""

from __future__ import annotations

from buildtool.core.value import Value


class Diagnostic(Value):
    """`message` is what is wrong, `file` the path where, `line` and `column` count from 1; None
    where the tool did not say."""

    file: str | None
    line: int | None
    column: int | None
    message: str
