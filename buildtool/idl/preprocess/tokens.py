"""Splits text into tokens, with Doxygen comments attached to the tokens that they document.

The text of a file is read with limits, and offsets are mapped to lines and columns.
"""

from __future__ import annotations

import bisect
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.idl.errors import IdlError
from buildtool.idl.model import Location

MAX_FILE_BYTES = 1 << 20

_SPLICE = re.compile(r"\\[ \t]*\n")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A file, or the command line as a file; `location` maps an offset to the file on disk."""

    name: str
    text: str  # without line continuations, so that tokens are contiguous
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

    Raises IdlError: the file cannot be read, is not a regular file, is larger than MAX_FILE_BYTES,
    or contains a NUL byte.
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


MAX_DOC_CHARS = 1 << 14


class Kind(enum.Enum):
    """The kind of a token, before keywords are distinguished from names."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    CHAR = "char"
    PUNCTUATION = "punctuation"
    OTHER = "other"


@dataclass(slots=True, eq=False)
class Token:
    """One preprocessing token."""

    kind: Kind
    text: str
    source: Source
    offset: int
    starts_line: bool = False
    doc: str = ""  # the Doxygen comment before it, without comment markers
    trailing: str = ""  # the one after it (`///<`)
    hidden: frozenset[str] = frozenset()  # macros that must not expand it again

    @property
    def location(self) -> Location:
        return self.source.location(self.offset)

    def error(
        self, message: str, *, code: str, suggestion: str = "", why: str = "", remedy: str = ""
    ) -> IdlError:
        """An IdlError that points at this token."""
        return self.source.error(
            self.offset,
            message,
            code=code,
            width=len(self.text),
            suggestion=suggestion,
            why=why,
            remedy=remedy,
        )


_TOKEN = re.compile(
    r"""
    (?P<newline>\n)
  | (?P<space>[ \t\f\v]+)
  | (?P<line_comment>//[^\n]*)
  | (?P<block_comment>/\*.*?\*/)
  | (?P<unclosed>/\*)
  | (?P<string>L?"(?:[^"\\\n]|\\[^\n])*")
  | (?P<char>L?'(?:[^'\\\n]|\\[^\n])+')
  | (?P<other>L?["'][^\n]*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<number>\.?[0-9](?:[eE][+-]|[A-Za-z0-9_.])*)
  | (?P<punctuation><<|>>|<=|>=|==|!=|&&|\|\||::|\#\#|[{}()\[\]<>;,:=+\-*/%&|^~!?\#.])
  | (?P<stray>.)
    """,
    re.VERBOSE | re.DOTALL,
)

# An unclosed quote extends to the end of its line ("other").
_KINDS = {kind.value: kind for kind in Kind} | {"stray": Kind.OTHER}


def tokenize(source: Source) -> Iterator[Token]:
    """The tokens of a file, without comments and blanks.

    Raises IdlError: a comment that is not closed.
    """
    starts_line = True
    previous: Token | None = None
    trailing: list[str] = []
    doc: list[str] = []
    doc_open = False
    for match in _TOKEN.finditer(source.text):
        group = match.lastgroup or "stray"
        if group == "newline":
            starts_line = True
        elif group == "unclosed":
            raise source.error(
                match.start(), "this comment is not closed", code="idl-comment", remedy="add `*/`"
            )
        elif group in ("line_comment", "block_comment"):
            text = match.group()
            if text.startswith(("/**<", "/*!<", "///<", "//!<")) and previous is not None:
                trailing.append(_doc_text(text))
            elif _is_doc(text):
                line_form = group == "line_comment"
                if not (line_form and doc_open):
                    doc = []
                doc.append(_doc_text(text))
                doc_open = line_form
            else:
                doc_open = False
        elif group != "space":
            if previous is not None:
                previous.trailing = _joined(trailing)
                yield previous
            previous = Token(
                _KINDS[group], match.group(), source, match.start(), starts_line, _joined(doc)
            )
            starts_line, trailing, doc, doc_open = False, [], [], False
    if previous is not None:
        previous.trailing = _joined(trailing)
        yield previous


def _is_doc(comment: str) -> bool:
    return (
        comment.startswith(("/**", "/*!", "///", "//!"))
        and not comment.startswith(("////", "/***"))
        and comment != "/**/"
    )


def _joined(doc: list[str]) -> str:
    """The comments as one string; "" if they document the file."""
    if not doc or any(re.search(r"[@\\]file\b", text) for text in doc):
        return ""
    return "\n".join(doc).strip("\n")[:MAX_DOC_CHARS]


def _doc_text(comment: str) -> str:
    """The comment's text without markers, leading stars, and the end of a C comment."""
    body = comment[3:-2] if comment.startswith("/*") else comment[3:]
    body = body.removeprefix("<")
    lines = [line.strip() for line in body.split("\n")]
    if comment.startswith("/*"):
        lines = [line[1:].strip() if line.startswith("*") else line for line in lines]
    text = "\n".join(lines).strip("\n")
    while "*/" in text or "/*" in text:
        text = text.replace("*/", "* /").replace("/*", "/ *")
    return text
