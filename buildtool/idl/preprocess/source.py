"""One IDL file as text: reading it within bounds, and finding line and column again."""

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
    """A file that was read, or the command line standing in for one.

    `text` has its line continuations taken out, so that a token is always in one piece;
    `location` maps an offset in it back to the file as it is on disk.
    """

    name: str
    text: str
    included_from: tuple[Location, ...] = ()
    lines: tuple[str, ...] = ()
    line_starts: tuple[int, ...] = field(default=(0,), repr=False)
    splice_offsets: tuple[int, ...] = field(default=(), repr=False)
    spliced_chars: tuple[int, ...] = field(default=(0,), repr=False)

    def location(self, offset: int) -> Location:
        """Where the character at `offset` of `text` stands in the file."""
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
    """Make a Source from text; any kind of line end is understood."""
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
            MAX_FILE_BYTES, or holds a NUL byte.
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
            f"`{path}` is larger than {MAX_FILE_BYTES} bytes",
            code="idl-limit",
            remedy="split it: an IDL file is a few hundred lines",
        )
    source = source_from_text(str(path), data.decode("utf-8", errors="replace"), included_from)
    if (nul := source.text.find("\0")) >= 0:
        raise source.error(
            nul,
            "a NUL byte: this is not a text file",
            code="idl-character",
            remedy="give the .idl file itself, in UTF-8",
        )
    return source
