"""Splits text into tokens, with Doxygen comments attached to the tokens that they document."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from buildtool.idl.errors import IdlError
from buildtool.idl.model import Location
from buildtool.idl.preprocess.source import Source

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
    """One preprocessing token.

    `doc` is the Doxygen comment before it, `trailing` the one after it (`///<`), both
    without comment markers.  `hidden` has the macros that must not expand it again.
    """

    kind: Kind
    text: str
    source: Source
    offset: int
    starts_line: bool = False
    doc: str = ""
    trailing: str = ""
    hidden: frozenset[str] = frozenset()

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

    Raises:
        IdlError: a comment that is not closed.
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
            if _is_trailing_doc(text) and previous is not None:
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
                _KINDS[group],
                match.group(),
                source,
                match.start(),
                starts_line,
                _joined(doc),
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


def _is_trailing_doc(comment: str) -> bool:
    return comment.startswith(("/**<", "/*!<", "///<", "//!<"))


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
