"""Splits C and C++ into tokens.

No macro is expanded and no header is read, so sources need no compiler options.  What `#if 0`
leaves out is left out.  Of the branches of other conditionals all are kept, except those whose
braces do not match.
"""

from __future__ import annotations

import bisect
import re
from functools import cached_property

from buildtool.core.value import Value

# No alternative can be tried at a character twice with a long match: time is linear in the text.
_TOKEN = r"""
    (?P<directive>^[ \t]*\#(?:"(?:[^"\\\n]|\\.)*"|[^\\\n/]|\\.|/(?!\*))*)
  | (?P<comment>//(?:[^\\\n]|\\.)*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")
  | (?P<unclosed>/\*|(?:u8|[uUL])?R"[^()\\\s]{0,16}\()
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*+"?)
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*+'?)
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])*)
  | (?P<punctuation>\.\.\.|->\*?|\+\+|--|<<=|>>=|&&|\|\||::|<<|>>|[-+*/%&|^=!<>]=|[^\w\s])
"""
_OPEN, _CLOSE = "([{", ")]}"


class Place(Value):
    """A place in a file: path, line and column from 1."""

    path: str
    line: int
    column: int


class Comment(Value):
    """A comment from its first to its last line; `alone` if no code precedes it on its line."""

    text: str
    first_line: int
    last_line: int
    alone: bool


class Code(Value):
    """The tokens of a file."""

    path: str
    source: str
    texts: list[str]
    offsets: list[int]  # in `source`
    comments: list[Comment]
    # From this token on, these conditions of #if apply; "!" is an #else
    guards: list[tuple[int, tuple[str, ...]]]
    macros: dict[str, str]  # the texts of #define by name

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.source))]

    def line(self, offset: int) -> int:
        return bisect.bisect_right(self._line_starts, offset)

    def place(self, token: int) -> Place:
        offset = self.offsets[token]
        line = self.line(offset)
        return Place(self.path, line, offset - self._line_starts[line - 1] + 1)

    def guards_at(self, token: int) -> tuple[str, ...]:
        """The conditions of #if and #ifdef around a token."""
        found = bisect.bisect_right(self.guards, token, key=lambda guard: guard[0])
        return self.guards[found - 1][1] if found else ()

    @cached_property
    def partners(self) -> list[int]:
        """For each bracket the index of its partner, -1 for one without and for other tokens."""
        partners, open_at = [-1] * len(self.texts), list[int]()
        for index, text in enumerate(self.texts):
            if text in _OPEN:
                open_at.append(index)
            elif text in _CLOSE:
                kind = _OPEN[_CLOSE.index(text)]
                # An unclosed parenthesis ends with its braces.
                while open_at and self.texts[open_at[-1]] != kind and text == "}":
                    open_at.pop()
                if open_at and self.texts[open_at[-1]] == kind:
                    start = open_at.pop()
                    partners[start], partners[index] = index, start
        return partners


def tokenize(path: str, source: str) -> Code:
    """The tokens of C or C++; of what is not closed, the rest of the file has none."""
    code = Code(path, source, [], [], [], [], {})
    conditions = _Conditionals(code)
    comment_spans = list[tuple[int, int]]()
    for match in re.finditer(_TOKEN, source, re.VERBOSE | re.DOTALL | re.MULTILINE):
        kind, text = match.lastgroup, match.group()
        if kind == "directive":
            conditions.read(text)
        elif kind == "comment":
            comment_spans.append(match.span())
        elif kind == "unclosed":
            break
        elif conditions.are_skipped:
            continue
        else:
            conditions.depth += (text == "{") - (text == "}")
            code.texts.append(text)
            code.offsets.append(match.start())
    code.comments.extend(_comment(code, *span) for span in comment_spans)
    return code


def _comment(code: Code, start: int, end: int) -> Comment:
    before = code.source.rfind("\n", 0, start) + 1
    return Comment(
        code.source[start:end],
        code.line(start),
        code.line(end - 1),
        not code.source[before:start].strip(),
    )


class _Conditionals:
    """Follows #if, #else and #endif; `depth` is that of braces."""

    def __init__(self, code: Code) -> None:
        self.depth = 0
        self._code = code
        self._stack: list[_Branch] = []
        self._skipped = 0  # how many conditionals of the stack leave their branch out

    @property
    def are_skipped(self) -> bool:
        return self._skipped > 0

    def read(self, directive: str) -> None:
        word, _, rest = directive.strip()[1:].strip().partition(" ")
        word, condition = word.partition("(")[0], " ".join(rest.split())
        if word == "define":
            name = re.match(r"\w*", condition)
            self._code.macros[name[0] if name else ""] = condition
            return
        if word in ("if", "ifdef", "ifndef"):
            self._stack.append(_Branch(condition, self.depth))
            self._skip(word == "if" and condition in ("0", "(0)", "false"))
        elif word in ("else", "elif") and self._stack:
            branch = self._stack[-1]
            # A branch that opens a brace which another one opens, too, would not be closed.
            unbalanced = not branch.skipped and self.depth != branch.depth
            branch.taken = branch.taken or unbalanced
            branch.condition = f"!({branch.condition}) {condition}"[:200]
            self._skip(branch.taken)
        elif word == "endif" and self._stack:
            self._skip(False)
            self._stack.pop()
        else:
            return
        conditions = tuple(branch.condition for branch in self._stack[-8:])
        self._code.guards.append((len(self._code.texts), conditions))

    def _skip(self, skipped: bool) -> None:
        branch = self._stack[-1]
        self._skipped += skipped - branch.skipped
        branch.skipped = skipped


class _Branch:
    def __init__(self, condition: str, depth: int) -> None:
        self.condition = condition[:200]
        self.depth = depth
        self.skipped = False
        self.taken = False
