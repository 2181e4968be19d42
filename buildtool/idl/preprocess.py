"""The preprocessor: one file with all that it includes, as one run of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.idl.condition import evaluate
from buildtool.idl.errors import IdlError, closest
from buildtool.idl.macros import Expander, define
from buildtool.idl.model import Location
from buildtool.idl.source import Source, read_source, source_from_text
from buildtool.idl.tokens import Kind, Token, tokenize

MAX_INCLUDE_DEPTH = 32
MAX_INCLUDES = 500
MAX_TOTAL_CHARS = 8 << 20
MAX_CONDITION_DEPTH = 100

BUILTIN_INCLUDES = Path(__file__).parent / "include"

_DIRECTIVES = (
    *("include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"),
    *("error", "warning", "pragma", "line"),
)


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """All tokens of a compilation, and the files they come from (the main file first)."""

    tokens: tuple[Token, ...]
    files: tuple[str, ...]
    main: Source


@dataclass(slots=True)
class _Condition:
    """One open `#if`: does its present branch count, was one taken, has `#else` been seen."""

    opened_by: Token
    live: bool
    taken: bool
    outer_live: bool
    in_else: bool = False


@dataclass(slots=True)
class _State:
    include_dirs: tuple[Path, ...]
    expander: Expander = field(default_factory=Expander)
    tokens: list[Token] = field(default_factory=list)
    files: dict[str, None] = field(default_factory=dict)
    once: set[Path] = field(default_factory=set)
    included: int = 0
    chars_read: int = 0


def preprocess(
    path: Path, include_dirs: Sequence[Path] = (), defines: Sequence[str] = ()
) -> Preprocessed:
    """Run the preprocessor over `path`.

    `include_dirs` are searched in order, after the including file's own directory for
    `"…"`, and before the directory of the files that come with this compiler.  `defines`
    are `NAME` (which becomes 1) or `NAME=TEXT`.

    Raises:
        IdlError: with the place, through includes, for anything that is not right.
    """
    state = _State((*include_dirs, BUILTIN_INCLUDES))
    for text in defines:
        _define_from_command_line(state, text)
    main = _read(state, path, ())
    _run_file(state, path, main, 0)
    return Preprocessed(tuple(state.tokens), tuple(state.files), main)


def _define_from_command_line(state: _State, text: str) -> None:
    name, separator, value = text.partition("=")
    source = source_from_text("<command line>", f"{name} {value if separator else '1'}")
    tokens = list(tokenize(source))
    if "\n" in source.text or not tokens or tokens[0].text != name:
        raise IdlError(
            f"`-D {text}` does not define a name",
            code="idl-preprocessor",
            remedy="write -D NAME or -D NAME=VALUE",
        )
    state.expander.macros[name] = define(tokens)


def _read(state: _State, path: Path, included_from: tuple[Location, ...]) -> Source:
    source = read_source(path, included_from)
    state.files[str(path)] = None
    state.chars_read += len(source.text)
    if state.chars_read > MAX_TOTAL_CHARS:
        raise source.error(
            0, f"more than {MAX_TOTAL_CHARS} characters were included", code="idl-limit"
        )
    return source


def _run_file(state: _State, path: Path, source: Source, depth: int) -> None:
    conditions: list[_Condition] = []
    text: list[Token] = []
    directive: list[Token] = []

    def finish_directive() -> None:
        if directive:
            if _counts(conditions):
                state.tokens.extend(state.expander.expand(text))
            text.clear()
            _directive(state, path, directive, conditions, depth)
            directive.clear()

    for token in tokenize(source):
        if token.starts_line:
            finish_directive()
        if directive or (token.starts_line and token.text == "#"):
            directive.append(token)
        elif _counts(conditions):
            text.append(token)
    finish_directive()
    state.tokens.extend(state.expander.expand(text))
    if conditions:
        opened = conditions[-1].opened_by
        raise opened.error(
            f"`#{opened.text}` without `#endif`", code="idl-preprocessor", remedy="add `#endif`"
        )


def _counts(conditions: list[_Condition]) -> bool:
    return not conditions or conditions[-1].live


def _directive(
    state: _State, path: Path, tokens: list[Token], conditions: list[_Condition], depth: int
) -> None:
    """Obey one directive; `tokens` starts with its `#`."""
    if len(tokens) == 1:
        return
    word, rest = tokens[1], tokens[2:]
    name = word.text
    if name in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
        _conditional(state, word, rest, conditions)
    elif not _counts(conditions):
        return
    elif name == "include":
        _include(state, path, word, rest, depth)
    elif name == "define":
        _need_name(word, rest)
        state.expander.macros[rest[0].text] = define(rest)
    elif name == "undef":
        state.expander.macros.pop(_need_name(word, rest).text, None)
    elif name == "error":
        said = _rest_of_line(word)
        raise word.error(
            f"#error {said}".rstrip(),
            code="idl-error-directive",
            remedy="the file itself asks for this to be changed",
        )
    elif name == "pragma":
        if rest and rest[0].text == "once":
            state.once.add(path.resolve())
    elif name not in ("warning", "line"):
        raise word.error(
            f"unknown directive `#{name}`",
            code="idl-preprocessor",
            suggestion=closest(name, _DIRECTIVES),
        )


def _rest_of_line(word: Token) -> str:
    start = word.offset + len(word.text)
    end = word.source.text.find("\n", start)
    return word.source.text[start : end if end >= 0 else None].strip()


def _need_name(word: Token, rest: list[Token]) -> Token:
    if not rest or rest[0].kind is not Kind.NAME:
        raise word.error(
            f"`#{word.text}` needs a name", code="idl-preprocessor", remedy="name a macro"
        )
    return rest[0]


def _conditional(
    state: _State, word: Token, rest: list[Token], conditions: list[_Condition]
) -> None:
    if word.text in ("if", "ifdef", "ifndef"):
        if len(conditions) >= MAX_CONDITION_DEPTH:
            raise word.error("conditions nest too deep", code="idl-limit")
        outer = _counts(conditions)
        holds = outer and _holds(state, word, rest)
        conditions.append(_Condition(word, holds, holds, outer))
        return
    if not conditions:
        raise word.error(
            f"`#{word.text}` without `#if`", code="idl-preprocessor", remedy="remove it"
        )
    top = conditions[-1]
    if word.text == "endif":
        conditions.pop()
        return
    if top.in_else:
        raise word.error(
            f"`#{word.text}` after `#else`", code="idl-preprocessor", remedy="put it before"
        )
    if word.text == "else":
        top.in_else = True
        top.live = top.outer_live and not top.taken
    else:
        top.live = top.outer_live and not top.taken and _holds(state, word, rest)
    top.taken = top.taken or top.live


def _holds(state: _State, word: Token, rest: list[Token]) -> bool:
    macros = state.expander.macros
    if word.text == "ifdef":
        return _need_name(word, rest).text in macros
    if word.text == "ifndef":
        return _need_name(word, rest).text not in macros

    def operand_of_defined(done: list[Token], _: Token) -> bool:
        before = [token.text for token in done[-2:]]
        return before[-1:] == ["defined"] or before == ["defined", "("]

    return evaluate(
        word, _replace_defined(state, state.expander.expand(rest, keep=operand_of_defined))
    )


def _replace_defined(state: _State, tokens: list[Token]) -> list[Token]:
    """`defined X` and `defined(X)` become 1 or 0."""
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        index += 1
        if token.text != "defined":
            result.append(token)
            continue
        texts = [each.text for each in tokens[index : index + 3]]
        parenthesised = len(texts) == 3 and texts[0] == "(" and texts[2] == ")"
        operand = tokens[index + parenthesised] if index + parenthesised < len(tokens) else token
        if operand.kind is not Kind.NAME or operand is token:
            raise token.error(
                "`defined` needs a name", code="idl-preprocessor", remedy="write defined(NAME)"
            )
        index += 3 if parenthesised else 1
        value = "1" if operand.text in state.expander.macros else "0"
        result.append(Token(Kind.NUMBER, value, token.source, token.offset))
    return result


def _include(state: _State, path: Path, word: Token, rest: list[Token], depth: int) -> None:
    name, quoted = _include_name(state, word, rest)
    state.included += 1
    if depth >= MAX_INCLUDE_DEPTH or state.included > MAX_INCLUDES:
        raise rest[0].error(
            "includes nest too deep" if depth >= MAX_INCLUDE_DEPTH else "too many includes",
            code="idl-include",
            why="most often a file includes itself, directly or by way of others",
            remedy="put `#ifndef NAME` / `#define NAME` … `#endif` around the included file",
        )
    found = _find(state, path, rest[0], name, quoted)
    if found.resolve() in state.once:
        return
    here = (word.location, *word.source.included_from)
    try:
        source = _read(state, found, here)
    except IdlError as error:
        if error.location is not None:
            raise
        raise rest[0].error(
            error.problem, code=error.code, why=error.why, remedy=error.remedy
        ) from None
    _run_file(state, found, source, depth + 1)


def _include_name(state: _State, word: Token, rest: list[Token]) -> tuple[str, bool]:
    if rest and rest[0].kind is Kind.NAME:
        rest[:] = state.expander.expand(rest)
    if rest and rest[0].kind is Kind.STRING and len(rest) == 1 and len(rest[0].text) > 2:
        return rest[0].text[1:-1], True
    if len(rest) > 2 and rest[0].text == "<" and rest[-1].text == ">":
        text = rest[0].source.text
        return text[rest[0].offset + 1 : rest[-1].offset].strip(), False
    raise (rest[0] if rest else word).error(
        '`#include` takes "file.idl" or <file.idl>',
        code="idl-preprocessor",
        remedy="put the file's name in quotes",
    )


def _find(state: _State, path: Path, at: Token, name: str, quoted: bool) -> Path:
    places = [*([path.parent] if quoted else []), *state.include_dirs]
    for place in places:
        try:
            if (place / name).is_file():
                return place / name
        except (OSError, ValueError):
            break
    beside: list[str] = []
    for place in places:
        try:
            beside.extend(entry.name for entry in place.glob("*.idl"))
        except OSError:
            continue
    raise at.error(
        f"`{name}` is not found",
        code="idl-include",
        suggestion=closest(name, beside),
        why="looked in " + ", ".join(str(place) for place in places),
        remedy="" if closest(name, beside) else "name its directory with -I",
    )
