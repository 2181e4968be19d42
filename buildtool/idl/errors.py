"""The error of the IDL compiler: the problem, its location, and what to write instead."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.idl.model import Location

if TYPE_CHECKING:
    from buildtool.documents.builds import ErrorObject

MAX_SHOWN_LINE = 160
MAX_TEXT = 600
MAX_SHOWN_INCLUDES = 5
MAX_CANDIDATES = 5000
MAX_ERRORS = 10
"""No more errors are reported at once."""


class IdlError(BuildtoolError):
    """An IDL file is invalid, or cannot be read.

    `code` starts with "idl" and is stable.  `problem` is the sentence alone; `message` also has
    the location, the source line with a caret, and the includes, as displayed.  `location` is None
    only if there is no file.  `source_line` is the text of that line; by default it is read from
    the file.  `included_from` lists the `#include` lines that led to the file, innermost first.
    """

    code = "idl"

    def __init__(
        self,
        problem: str,
        *,
        code: str = "idl",
        location: Location | None = None,
        source_line: str | None = None,
        width: int = 1,
        included_from: tuple[Location, ...] = (),
        suggestion: str = "",
        why: str = "",
        remedy: str = "",
    ) -> None:
        self.problem = _shown(problem)
        self.location = location
        self.source_line = _line_of(location) if source_line is None else source_line
        self.width = max(1, width)
        self.included_from = included_from
        self.suggestion = suggestion
        if not remedy:
            remedy = f"did you mean `{suggestion}`?" if suggestion else "correct the IDL file"
        super().__init__(self._rendered(), why=_shown(why), remedy=_shown(remedy))
        self.code = code

    def _rendered(self) -> str:
        """`file:line:column: problem`, the source line, the caret, and the includes."""
        if self.location is None:
            return self.problem
        place = f"{_shown(self.location.file)}:{self.location.line}:{self.location.column}"
        parts = [f"{place}: {self.problem}"]
        parts.extend(_excerpt(self.source_line, self.location.column, self.width))
        shown = self.included_from[:MAX_SHOWN_INCLUDES]
        parts.extend(f"included from {_shown(at.file)}:{at.line}" for at in shown)
        if len(shown) < len(self.included_from):
            parts.append(f"… and {len(self.included_from) - len(shown)} more includes")
        return "\n".join(parts)

    def as_json(self) -> ErrorObject:
        """The object for `--json`, with the location if it is known."""
        error = super().as_json()
        error["message"] = self.problem
        if at := self.location:
            error.update({"file": at.file, "line": at.line, "column": at.column})
        return error


class SeveralIdlError(IdlError):
    """Several errors of a compilation; `errors` are at least two, and the first determines `code`
    and the location."""

    def __init__(self, errors: Sequence[IdlError]) -> None:
        self.errors = tuple(errors)
        first = errors[0]
        super().__init__(
            first.problem,
            code=first.code,
            location=first.location,
            source_line=first.source_line,
            remedy=f"correct these {len(errors)} errors",
        )
        self.message = "\n".join(_with_remedy(error) for error in errors)
        self.document = {"errors": [error.as_json() for error in errors]}

    def as_json(self) -> ErrorObject:
        """The object of the first error."""
        return self.errors[0].as_json()


def one_error(errors: Sequence[IdlError]) -> IdlError:
    """The only error, or one that has them all."""
    return errors[0] if len(errors) == 1 else SeveralIdlError(errors)


def _with_remedy(error: IdlError) -> str:
    """The error as text, its parts indented so that none looks like the end of it."""
    why = textwrap.indent(error.why, "    ")
    return "\n".join(part for part in (error.message, why, f"    → {error.remedy}") if part)


def closest(name: str, candidates: Iterable[str]) -> str:
    """The candidate that `name` is most likely a misspelling of, or ""."""
    if len(name) > 64:
        return ""
    pool = []
    for candidate in candidates:
        if len(candidate) <= 64 and candidate != name:
            pool.append(candidate)
            if len(pool) >= MAX_CANDIDATES:
                break
    found = difflib.get_close_matches(name, sorted(pool), n=1, cutoff=0.6)
    return found[0] if found else ""


def _excerpt(line: str, column: int, width: int) -> list[str]:
    """The source line and a caret line below it; a very long line is cut around the caret."""
    if not line:
        return []
    start = max(0, column - 1 - MAX_SHOWN_LINE // 2) if len(line) > MAX_SHOWN_LINE else 0
    shown = line[start : start + MAX_SHOWN_LINE]
    before = shown[: column - 1 - start]
    padding = "".join("\t" if char == "\t" else " " for char in before)
    padding += " " * (column - 1 - start - len(before))
    room = max(1, len(shown) - len(before))
    return [f"    {_printable(shown)}", f"    {padding}^{'~' * (min(width, room) - 1)}"]


def _printable(text: str) -> str:
    """`text` without control characters, which could affect the terminal."""
    return "".join(char if char.isprintable() or char in "\t\n" else "?" for char in text)


def _shown(text: str) -> str:
    """`text` shortened and made printable."""
    short = text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} … {text[-MAX_TEXT // 2 :]}"
    return _printable(short)


def _line_of(location: Location | None) -> str:
    """The line at `location`, read from its file; "" if it cannot be read."""
    if location is None:
        return ""
    try:
        path = Path(location.file)
        if not path.is_file():
            return ""
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except (OSError, ValueError):
        return ""
    return lines[location.line - 1].rstrip("\r") if location.line <= len(lines) else ""
