"""The front end: reads an IDL file into its model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from buildtool.idl.errors import MAX_ERRORS, IdlError, one_error
from buildtool.idl.model import Unit
from buildtool.idl.preprocess.preprocessor import Preprocessed, preprocess
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.semantics.build_unit import build_unit
from buildtool.idl.syntax.mistakes import syntax_error, without_statement
from buildtool.idl.syntax.nodes import DefinitionSyntax

MAX_TOKENS = 20_000
"""Larger files are not read again after an error."""


def load(
    path: Path | str,
    include_dirs: Sequence[Path | str] = (),
    defines: Sequence[str] = (),
    *,
    standard_types: bool = False,
) -> Unit:
    """Read one IDL file and what it includes.

    `include_dirs` are searched before the `AEEStdDef.idl`, `AEEStdErr.idl` and `remote.idl` that
    come with this package; `defines` are `NAME` or `NAME=TEXT`, as after -D.  With `standard_types`
    the C types are `int64_t` and `bool`, as with qaic's option -st, instead of `int64` and
    `boolean`.

    Raises:
        IdlError: the file or an included file is invalid.  Nothing else is raised, whatever the
            files contain.
    """
    source = preprocess(Path(path), [Path(place) for place in include_dirs], defines)
    definitions = parse(source, standard_types=standard_types)
    return build_unit(definitions, source, digest(source.tokens))


def parse(source: Preprocessed, *, standard_types: bool = False) -> tuple[DefinitionSyntax, ...]:
    """The definitions of a preprocessed file, with unresolved names; `load` has the argument.

    Raises:
        IdlError: it does not follow the grammar.  After an error, the statement that has it is left
            out and the rest is read, so that further errors are found.
    """
    # Not at the top: importing lark and creating the parser would slow down every start.
    from buildtool.idl.syntax.grammar import NotInGrammarError, parse_tokens  # noqa: PLC0415

    tokens = source.tokens
    errors: list[IdlError] = []
    while True:
        try:
            definitions = parse_tokens(tokens, standard_types=standard_types)
        except NotInGrammarError as unexpected:
            errors.append(syntax_error(tokens, unexpected.token, unexpected.expected))
            tokens = without_statement(tokens, unexpected.token)
        except IdlError as error:
            errors.append(error)
            tokens = without_statement(tokens, _at(tokens, error))
        else:
            if not errors:
                return definitions
            tokens = ()
        if not MAX_TOKENS >= len(tokens) > 0 or len(errors) == MAX_ERRORS:
            raise one_error(errors)


def _at(tokens: Sequence[Token], error: IdlError) -> Token | None:
    """The token that the error is about, unless reading further is no use."""
    if error.code == "idl-limit" or len(tokens) > MAX_TOKENS:
        return None
    return next((token for token in tokens if token.location == error.location), None)


def digest(tokens: Sequence[Token]) -> str:
    """The sha256 (hex) of the kinds and texts of the tokens, without comments and locations."""
    sha = hashlib.sha256()
    for token in tokens:
        text = token.text.encode()
        sha.update(f"{token.kind.value} {len(text)} ".encode() + text)
    return sha.hexdigest()
