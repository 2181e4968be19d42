"""The front end: reads an IDL file into its model."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from pathlib import Path

from buildtool.idl.errors import IdlError, closest
from buildtool.idl.keywords import C_TYPES, KEYWORDS, SIZED
from buildtool.idl.model import Unit
from buildtool.idl.preprocess.preprocessor import Preprocessed, preprocess
from buildtool.idl.preprocess.tokens import Kind, Token
from buildtool.idl.semantics.build_unit import build_unit
from buildtool.idl.syntax.nodes import DefinitionSyntax
from buildtool.idl.syntax.terminals import DESCRIPTIONS


def load(
    path: Path | str, include_dirs: Sequence[Path | str] = (), defines: Sequence[str] = ()
) -> Unit:
    """Read one IDL file and what it includes.

    `include_dirs` are searched before the `AEEStdDef.idl` and `remote.idl` that come with
    this package; `defines` are `NAME` or `NAME=TEXT`, as after -D.

    Raises:
        IdlError: the file or an included file is invalid.  Nothing else is raised, whatever the
            files contain.
    """
    source = preprocess(Path(path), [Path(place) for place in include_dirs], defines)
    definitions = parse(source)
    return build_unit(definitions, source, digest(source.tokens))


def parse(source: Preprocessed) -> tuple[DefinitionSyntax, ...]:
    """The definitions of a preprocessed file, with unresolved names.

    Raises:
        IdlError: it does not follow the grammar.
    """
    # Not at the top: importing lark and creating the parser would slow down every start.
    from buildtool.idl.syntax.grammar import NotInGrammarError, parse_tokens  # noqa: PLC0415

    try:
        return parse_tokens(source.tokens)
    except NotInGrammarError as unexpected:
        raise _syntax_error(source, unexpected.token, unexpected.expected) from None


def digest(tokens: Sequence[Token]) -> str:
    """The sha256 (hex) of the kinds and texts of the tokens, without comments and locations."""
    sha = hashlib.sha256()
    for token in tokens:
        text = token.text.encode()
        sha.update(f"{token.kind.value} {len(text)} ".encode() + text)
    return sha.hexdigest()


def _syntax_error(source: Preprocessed, at: Token | None, expected: frozenset[str]) -> IdlError:
    """The error for an unexpected token, with a remedy; `at` is None at the end of the file."""
    ended = at is None
    token = source.tokens[-1] if at is None else at
    before = _before(source.tokens, token, ended)
    words = {word for word, terminal in KEYWORDS.items() if terminal in expected}
    if "SIZED" in expected:
        words |= set(SIZED)
    if before is not None and "SEMI" in expected and (ended or token.starts_line):
        return before.error(
            f"`;` is missing after `{before.text}`", code="idl-syntax", remedy="add `;`"
        )
    misspelt = [
        (each, closest(each.text, pool))
        for each, pool in ((token, words), (before, {*KEYWORDS, *SIZED}))
        if each is not None and each.kind is Kind.NAME and each.text not in KEYWORDS
    ]
    for each, word in misspelt:
        if word:
            return each.error(f"unexpected `{each.text}`", code="idl-syntax", suggestion=word)
    if before is not None and before.text == "unsigned" and token.text in ("char", "int"):
        return before.error(
            f"`unsigned {token.text}` is not a type here",
            code="idl-syntax",
            suggestion="octet" if token.text == "char" else "unsigned long",
        )
    if token.text in C_TYPES and not ended:
        return token.error(
            f"unexpected `{token.text}`", code="idl-syntax", suggestion=C_TYPES[token.text]
        )
    what = "unexpected end of the file" if ended else f"unexpected `{token.text}`"
    return token.error(what, code="idl-syntax", remedy=_expectation(expected))


def _before(tokens: Sequence[Token], token: Token, ended: bool) -> Token | None:
    if ended:
        return token
    for earlier, later in itertools.pairwise(tokens):
        if later is token:
            return earlier
    return None


def _expectation(expected: frozenset[str]) -> str:
    """The remedy that lists what is expected; long lists are cut."""
    # Descriptions such as `a name` before keywords, which start with a backtick.
    descriptions = {DESCRIPTIONS.get(name, name.lower()) for name in expected}
    names = sorted(descriptions, key=lambda text: (text.startswith("`"), text))
    if not names:
        return "remove it"
    shown = ", ".join(names[:8])
    return f"expected {shown}{', …' if len(names) > 8 else ''}"
