"""The functions and calls of C and C++ code, and expressions as lists of tokens."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from functools import cached_property

from buildtool.core.value import Value
from buildtool.lint.c_tokens import Code

Span = tuple[int, int]
"""Tokens from the first to before the second number."""
_CONTROLS = frozenset(("if", "while", "for", "switch", "else", "do", "catch", "try"))
_NO_CALLS = _CONTROLS | {"return", "sizeof", "case", "throw", "new", "delete", "goto", "alignof"}
_NO_CALLS |= {"defined", "decltype", "static_assert", "_Static_assert", "operator"}
_BETWEEN = frozenset(("const", "noexcept", "override", "final", "volatile", "mutable", "try"))
_LEAVING = frozenset(("return", "goto", "throw", "exit", "_exit", "abort"))
MAX_NESTING = 200
MAX_STATEMENT = 1000
"""Tokens of a statement that are read; longer ones are in tables, and in no code that is meant."""


class Control(Value):
    """A statement that decides whether, or how often, `body` runs; `condition` may be empty."""

    keyword: str
    condition: Span
    body: Span


class Call(Value):
    """A call: the token with the name of the function, and the tokens of each argument."""

    name: str
    at: int
    arguments: tuple[Span, ...]
    end: int


class Function(Value):
    """A function definition; `parameters` and `body` are without their brackets."""

    code: Code
    name: str
    parameters: Span
    body: Span

    def text(self, span: Span) -> list[str]:
        return self.code.texts[slice(*span)]

    @cached_property
    def calls(self) -> list[Call]:
        return list(calls_in(self.code, self.body))

    @cached_property
    def calls_at(self) -> dict[int, Call]:
        return {call.at: call for call in self.calls}

    def calls_before(self, token: int, most: int) -> list[Call]:
        """At most so many calls before a token, in order."""
        index = bisect.bisect_left(self.calls, token, key=lambda call: call.at)
        return self.calls[max(index - most, 0) : index]

    @cached_property
    def controls(self) -> list[Control]:
        """All controls in the order of their bodies; an inner one comes after its outer one."""
        return _controls(self.code, self.body)

    @cached_property
    def _bodies(self) -> list[int]:
        return [control.body[0] for control in self.controls]

    @cached_property
    def _parents(self) -> list[int]:
        parents, inside = list[int](), list[int]()
        for index, control in enumerate(self.controls):
            while inside and self.controls[inside[-1]].body[1] <= control.body[0]:
                inside.pop()
            parents.append(inside[-1] if inside else -1)
            inside.append(index)
        return parents

    def controls_of(self, token: int) -> list[Control]:
        """The controls whose bodies contain a token, the innermost first."""
        index = bisect.bisect_right(self._bodies, token) - 1
        found = list[Control]()
        while index >= 0 and len(found) < MAX_NESTING:
            if token < self.controls[index].body[1]:
                found.append(self.controls[index])
            index = self._parents[index]
        return found

    def controls_after(self, token: int, most: int) -> list[Control]:
        """At most so many controls whose bodies begin after a token, in order."""
        index = bisect.bisect_right(self._bodies, token)
        return self.controls[index : index + most]

    def precedes(self, first: int, second: int) -> bool:
        """Whether the token `first` has always run when `second` runs, and before it."""
        around = self.controls_of(first)
        if first >= second or any(c.keyword in ("switch", "try") for c in around[:1]):
            return False
        if not set(around) <= set(self.controls_of(second)):
            return False
        return not {"&&", "||", "?"} & set(self.code.texts[self.statement_start(first) : first])

    def statement_start(self, token: int) -> int:
        """The first token of the statement of a token, without a condition that it depends on."""
        start, first = token, max(self.body[0], token - MAX_STATEMENT)
        while start > first and self.code.texts[start - 1] not in (";", "{", "}"):
            start -= 1
        inner = [c for c in self.controls_of(token)[:1] if start < c.body[0] <= token]
        return inner[0].body[0] if inner else start

    def leaves(self, span: Span) -> bool:
        """Whether the tokens have a statement that leaves the function, or ends the program."""
        return not _LEAVING.isdisjoint(self.text(span))


def functions_of(code: Code) -> list[Function]:
    """The function definitions, those in classes and namespaces too; lambdas are part of theirs."""
    texts, partners, found, index = code.texts, code.partners, list[Function](), 0
    while index < len(texts):
        if texts[index] == "{" and partners[index] >= 0:
            head = _head(code, index)
            if head:
                name, parameters = head
                found.append(Function(code, name, parameters, (index + 1, partners[index])))
                index = partners[index]
        index += 1
    return found


def _head(code: Code, brace: int) -> tuple[str, Span] | None:
    """Name and parameters of the function whose body begins at `brace`; None if it is none."""
    texts, before = code.texts, brace - 1
    while before > 0 and texts[before] in _BETWEEN:
        before -= 1
    if before < 2 or texts[before] != ")" or (start := code.partners[before]) < 1:
        return None
    name = texts[start - 1]
    if not is_name(name) or name in _NO_CALLS:
        return None
    return name, (start + 1, before)


def calls_in(code: Code, span: Span) -> Iterator[Call]:
    """The calls of functions by name, through pointers and members too."""
    texts, partners = code.texts, code.partners
    for index in range(span[0], span[1] - 1):
        if texts[index + 1] == "(" and is_name(texts[index]) and texts[index] not in _NO_CALLS:
            end = partners[index + 1]
            if 0 <= end <= span[1]:
                yield Call(texts[index], index, _arguments(code, index + 2, end), end)


def _arguments(code: Code, start: int, end: int) -> tuple[Span, ...]:
    found, index, first = list[Span](), start, start
    while index < end:
        if code.texts[index] == ",":
            found.append((first, index))
            first = index + 1
        elif code.texts[index] in ("(", "[", "{") and code.partners[index] > index:
            index = code.partners[index]
        index += 1
    return (*found, (first, end)) if end > start else ()


def _controls(code: Code, body: Span) -> list[Control]:
    """The controls of a body.  They are read backwards, so that the end of an inner statement is
    known before that of an outer one."""
    texts, partners, found = code.texts, code.partners, list[Control]()
    ends = dict[int, int]()

    def statement_end(start: int) -> int:
        """The token after the statement that begins at `start`."""
        if start in ends:
            return ends[start]
        index = start
        while index < body[1]:
            if texts[index] == "{" and partners[index] > index:
                if index == start:
                    return partners[index] + 1
                index = partners[index]
            elif texts[index] in ("(", "[") and partners[index] > index:
                index = partners[index]
            elif texts[index] == ";":
                return index + 1
            elif texts[index] == "}":
                break
            index += 1
        return index

    for at in range(body[1] - 1, body[0] - 1, -1):
        keyword = texts[at]
        if keyword not in _CONTROLS:
            continue
        condition, start = (at + 1, at + 1), at + 1
        if start < body[1] and texts[start] == "constexpr":
            start += 1
        if keyword not in ("else", "do", "try"):
            if start >= body[1] or texts[start] != "(" or partners[start] < start:
                continue
            condition, start = (start + 1, partners[start]), partners[start] + 1
        end = statement_end(start)
        found.append(Control(keyword, condition, (start, end)))
        if keyword == "if" and end < body[1] and texts[end] == "else":
            end = ends.get(end, end)
        elif keyword == "do":
            end = statement_end(end)
        ends[at] = end
    return sorted(found, key=lambda control: (control.body[0], -control.body[1]))


def is_name(text: str) -> bool:
    return text[0].isalpha() or text[0] in "_$"


_CASTS = ("static_cast", "reinterpret_cast", "const_cast")
_NOT_TYPES = frozenset(("return", "static", "case", "goto", "delete", "new", "throw"))
MAX_TYPE = 12
"""Tokens of a type in a declaration that are read."""
NOTHING = frozenset(("0", "NULL", "nullptr", "FALSE", "false"))
TRUE = frozenset(("1", "TRUE", "true"))


def bare(expression: Sequence[str]) -> Sequence[str]:
    """An expression without casts and parentheses around it."""
    while len(expression) > 2:
        if expression[0] in _CASTS and "(" in expression:
            expression = expression[expression.index("(") :]
        if expression[0] != "(":
            break
        end = _closing(expression)
        if end == len(expression) - 1:
            expression = expression[1:-1]
        elif end < 0 or not _can_be_type(expression[1:end]):
            break
        else:
            expression = expression[end + 1 :]
    return expression


def _closing(expression: Sequence[str]) -> int:
    depth = 0
    for index, text in enumerate(expression):
        depth += (text == "(") - (text == ")")
        if depth == 0:
            return index
    return -1


def _can_be_type(texts: Sequence[str]) -> bool:
    return bool(texts) and all(is_name(text) or text in ("*", "::", "&") for text in texts)


def number(expression: Sequence[str]) -> int | None:
    """The value of an integer literal; None for anything else."""
    if len(expression) != 1:
        return None
    try:
        return int(expression[0].rstrip("uUlL").replace("'", ""), 0)
    except ValueError:
        return None


def literal(expression: Sequence[str]) -> str | None:
    """The text of a string literal, or of several side by side; None for anything else."""
    if not expression or not all(text.startswith('"') for text in expression):
        return None
    return "".join(text.strip('"') for text in expression)


def parameters_by_value(function: Function) -> set[str]:
    """The names of the parameters that are no references."""
    texts = function.text(function.parameters)
    return {
        text
        for index, text in enumerate(texts)
        if index > 0
        and is_name(text)
        and texts[index + 1 : index + 2] in ([], [","], ["["])
        and texts[index - 1] != "&"
    }


def local_pointers(function: Function) -> set[str]:
    """The variables that a function declares as pointers, without those that are static."""
    texts, found = function.text(function.body), set[str]()
    start = 0
    for index, text in enumerate(texts[:-1]):
        if text in (";", "{", "}", "("):
            start = index + 1
        elif (
            is_name(text)
            and 0 < index - start <= MAX_TYPE
            and texts[index - 1] in ("*", "const")
            and texts[index + 1] in ("=", ";", ",", "{")
        ):
            type_ = texts[start:index]
            if (
                "*" in type_
                and is_name(type_[0])
                and _NOT_TYPES.isdisjoint(type_)
                and all(is_name(each) or each in ("*", "::", "<", ">") for each in type_)
            ):
                found.add(text)
    return found


def assigned(function: Function, call_at: int) -> list[str]:
    """What the result of a call is assigned to, without its type: `x`, `p -> x`; else nothing."""
    texts = function.code.texts
    start = function.statement_start(call_at)
    statement = texts[start:call_at]
    if "=" not in statement:
        return []
    target = statement[: statement.index("=")]
    first = len(target)
    while first > 0 and (is_name(target[first - 1]) or target[first - 1] in (".", "->")):
        if first < len(target) and is_name(target[first - 1]) and is_name(target[first]):
            break
        first -= 1
    return target[first:]
