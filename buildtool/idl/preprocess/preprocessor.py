"""The preprocessor: the tokens of one file and everything that it includes.

It also finds the file that an `#include` names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.core.fastrpc_codes import with_idl_constants
from buildtool.core.value import Value
from buildtool.idl.errors import IdlError, closest
from buildtool.idl.model import Location
from buildtool.idl.preprocess.conditionals import Condition, conditional, counts, need_name
from buildtool.idl.preprocess.macros import Expander, define
from buildtool.idl.preprocess.tokens import (
    Kind,
    Source,
    Token,
    read_source,
    source_from_text,
    tokenize,
)

MAX_INCLUDE_DEPTH = 32
MAX_INCLUDES = 500
MAX_TOTAL_CHARS = 8 << 20

BUILTIN_INCLUDES = Path(__file__).parents[1] / "include"

_DIRECTIVES = (
    *("include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif"),
    *("error", "warning", "pragma", "line"),
)


class Preprocessed(Value):
    """All tokens of a compilation, and their files (the main file first)."""

    tokens: tuple[Token, ...]
    files: tuple[str, ...]
    main: Source


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

    Raises IdlError: the file or an included file is invalid.
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
            f"`-D {text}` does not start with a name",
            code="idl-preprocessor",
            remedy="write -D NAME or -D NAME=VALUE",
        )
    state.expander.macros[name] = define(tokens)


def _read(state: _State, path: Path, included_from: tuple[Location, ...]) -> Source:
    source = read_source(path, included_from)
    if path.parent.resolve() == BUILTIN_INCLUDES.resolve():
        source = source_from_text(source.name, with_idl_constants(source.text), included_from)
    state.files[str(path)] = None
    state.chars_read += len(source.text)
    if state.chars_read > MAX_TOTAL_CHARS:
        raise source.error(
            0, f"more than {MAX_TOTAL_CHARS} characters were included", code="idl-limit"
        )
    return source


def _run_file(state: _State, path: Path, source: Source, depth: int) -> None:
    conditions: list[Condition] = []
    text: list[Token] = []
    directive: list[Token] = []

    def finish_directive() -> None:
        if directive:
            if counts(conditions):
                state.tokens.extend(state.expander.expand(text))
            text.clear()
            _directive(state, path, directive, conditions, depth)
            directive.clear()

    for token in tokenize(source):
        if token.starts_line:
            finish_directive()
        if directive or (token.starts_line and token.text == "#"):
            directive.append(token)
        elif counts(conditions):
            text.append(token)
    finish_directive()
    state.tokens.extend(state.expander.expand(text))
    if conditions:
        opened = conditions[-1].opened_by
        raise opened.error(
            f"`#{opened.text}` without `#endif`", code="idl-preprocessor", remedy="add `#endif`"
        )


def _directive(
    state: _State, path: Path, tokens: list[Token], conditions: list[Condition], depth: int
) -> None:
    """Process one directive; `tokens` starts with its `#`."""
    if len(tokens) == 1:
        return
    word, rest = tokens[1], tokens[2:]
    name = word.text
    if name in ("if", "ifdef", "ifndef", "elif", "else", "endif"):
        conditional(state.expander, word, rest, conditions)
    elif not counts(conditions):
        return
    elif name == "include":
        _include(state, path, word, rest, depth)
    elif name == "define":
        need_name(word, rest)
        state.expander.macros[rest[0].text] = define(rest)
    elif name == "undef":
        state.expander.macros.pop(need_name(word, rest).text, None)
    elif name == "error":
        said = _rest_of_line(word)
        raise word.error(
            f"#error {said}".rstrip(),
            code="idl-error-directive",
            remedy="change the file as the message says",
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


def _include(state: _State, path: Path, word: Token, rest: list[Token], depth: int) -> None:
    name, quoted = include_name(state.expander, word, rest)
    state.included += 1
    if depth >= MAX_INCLUDE_DEPTH or state.included > MAX_INCLUDES:
        raise rest[0].error(
            "includes are nested too deeply" if depth >= MAX_INCLUDE_DEPTH else "too many includes",
            code="idl-include",
            why="usually a file includes itself, directly or through other files",
            remedy="put `#ifndef NAME` / `#define NAME` … `#endif` around the included file",
        )
    beside = [path.parent] if quoted else []
    found = find_file([*beside, *state.include_dirs], rest[0], name)
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


def include_name(expander: Expander, word: Token, rest: list[Token]) -> tuple[str, bool]:
    if rest and rest[0].kind is Kind.NAME:
        rest[:] = expander.expand(rest)
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


def find_file(places: list[Path], at: Token, name: str) -> Path:
    for place in places:
        try:
            if (place / name).is_file():
                return place / name
        except (OSError, ValueError):
            break
    beside: list[str] = []
    for place in places:
        try:
            beside.extend(entry.stem for entry in place.glob("*.idl"))
        except OSError:
            continue
    near = closest(name.removesuffix(".idl"), beside)
    raise at.error(
        f"`{name}` was not found",
        code="idl-include",
        suggestion=f"{near}.idl" if near else "",
        why="searched " + ", ".join(str(place) for place in places),
        remedy="" if near else "add its directory with -I",
    )
