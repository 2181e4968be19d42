"""The text of one IDL file: reads it with limits, and maps offsets to lines and columns."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.idl.errors import IdlError
from buildtool.idl.model import Location

MAX_FILE_BYTES = 1 << 20

_SPLICE = re.compile(r"\\[ \t]*\n")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A file, or the command line as a file.

    `text` has no line continuations, so that tokens are contiguous; `location` maps an offset in
    it to the file on disk.
    """

    name: str
    text: str
    included_from: tuple[Location, ...] = ()
    lines: tuple[str, ...] = ()
    line_starts: tuple[int, ...] = field(default=(0,), repr=False)
    splice_offsets: tuple[int, ...] = field(default=(), repr=False)
    spliced_chars: tuple[int, ...] = field(default=(0,), repr=False)

    def location(self, offset: int) -> Location:
        """The location in the file of the character at `offset` in `text`."""
        original = offset + self.spliced_chars[bisect.bisect_right(self.splice_offsets, offset)]
        line = bisect.bisect_right(self.line_starts, original)
        return Location(self.name, line, original - self.line_starts[line - 1] + 1)

    def error(
        self,
        offset: int,
        message: str,
        *,
        code: str,
        width: int = 1,
        suggestion: str = "",
        why: str = "",
        remedy: str = "",
    ) -> IdlError:
        """An IdlError that points at `offset`."""
        location = self.location(offset)
        return IdlError(
            message,
            code=code,
            location=location,
            source_line=self.lines[location.line - 1],
            width=width,
            included_from=self.included_from,
            suggestion=suggestion,
            why=why,
            remedy=remedy,
        )


def source_from_text(name: str, text: str, included_from: tuple[Location, ...] = ()) -> Source:
    """Create a Source from text with any kind of line endings."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = tuple(text.split("\n"))
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line) + 1
    offsets, removed, pieces, end = [], [0], [], 0
    for splice in _SPLICE.finditer(text):
        pieces.append(text[end : splice.start()])
        end = splice.end()
        offsets.append(splice.start() - removed[-1])
        removed.append(removed[-1] + end - splice.start())
    pieces.append(text[end:])
    return Source(
        name, "".join(pieces), included_from, lines, tuple(starts), tuple(offsets), tuple(removed)
    )


def read_source(path: Path, included_from: tuple[Location, ...] = ()) -> Source:
    """Read one IDL file.

    Bytes that are not UTF-8 become U+FFFD: harmless in comments, an error elsewhere.

    Raises:
        IdlError: the file cannot be read, is not a regular file, is larger than
            MAX_FILE_BYTES, or contains a NUL byte.
    """
    try:
        if not path.is_file():
            reason = "it is not a file" if path.exists() else "there is no such file"
            raise IdlError(
                f"cannot read `{path}`: {reason}", code="idl-read", remedy="check the path"
            )
        with path.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise IdlError(
            f"cannot read `{path}`: {error}", code="idl-read", remedy="check the path"
        ) from error
    if len(data) > MAX_FILE_BYTES:
        raise IdlError(
            f"`{path}` is larger than {MAX_FILE_BYTES:,} bytes",
            code="idl-limit",
            remedy="split it: IDL files usually have a few hundred lines",
        )
    source = source_from_text(str(path), data.decode("utf-8", errors="replace"), included_from)
    if (nul := source.text.find("\0")) >= 0:
        raise source.error(
            nul,
            "a NUL byte: this is not a text file",
            code="idl-character",
            remedy="pass the .idl file, in UTF-8",
        )
    return source
