"""The front end: reads an IDL file into its model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path, PurePath

from buildtool.idl.declare import Declarer
from buildtool.idl.errors import MAX_ERRORS, IdlError, one_error
from buildtool.idl.model import Declaration, String, Unit
from buildtool.idl.nodes import DefinitionSyntax
from buildtool.idl.preprocess.preprocessor import Preprocessed, preprocess
from buildtool.idl.preprocess.tokens import Source, Token
from buildtool.idl.scope import ConstantSymbol, Problems, Symbol, definition_name
from buildtool.idl.terminals import syntax_error, without_statement

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

    Raises IdlError: the file or an included file is invalid.  Nothing else is raised, whatever the
    files contain.
    """
    source = preprocess(Path(path), [Path(place) for place in include_dirs], defines)
    definitions = parse(source, standard_types=standard_types)
    return build_unit(definitions, source, digest(source.tokens))


def parse(source: Preprocessed, *, standard_types: bool = False) -> tuple[DefinitionSyntax, ...]:
    """The definitions of a preprocessed file, with unresolved names; `load` has the argument.

    Raises IdlError: it does not follow the grammar.  After an error, the statement that has it is
    left out and the rest is read, so that further errors are found.
    """
    # Not at the top: importing lark and creating the parser would slow down every start.
    from buildtool.idl.grammar import NotInGrammarError, parse_tokens  # noqa: PLC0415

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


_STEM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_VERSION = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}")


def build_unit(
    definitions: tuple[DefinitionSyntax, ...], source: Preprocessed, digest: str
) -> Unit:
    """The model of a parsed file.

    Raises IdlError: a name is unknown or taken, a value does not fit, a rule is broken.  All such
    errors are reported together, except those that follow from others.
    """
    problems = Problems()
    declarer = Declarer(problems)
    declarations: list[Declaration] = []
    includes: dict[str, None] = {}
    stem = file_stem(source.main)
    for definition in definitions:
        made = []
        with problems.noted(definition):
            made = declarer.definition(definition, declarer.file)
        name = definition_name(definition)
        if name.source is source.main:
            declarations.extend(made)
            continue
        included = file_stem(name.source)
        includes[included] = None
        if included == stem:
            raise name.error(
                f"this file is called `{stem}`, like the file that includes it",
                code="idl-file-name",
                why="both would generate the same header",
                remedy="rename one of them, or guard a file that includes itself",
            )
    problems.raise_noted()
    declarer.c_names.check_macros()
    return Unit(
        stem,
        tuple(declarations),
        tuple(includes),
        source.files,
        digest,
        _idl_version(declarer.file.symbols.get("IDL_VERSION")),
    )


def file_stem(source: Source) -> str:
    """The file's name without its ending.

    Raises IdlError: the name has characters that cannot stand in an `#include` or a URI.
    """
    stem = PurePath(source.name).stem
    if not _STEM.fullmatch(stem):
        raise source.error(
            0,
            f"{PurePath(source.name).name!a} is not a valid name for an IDL file",
            code="idl-file-name",
            why="it becomes part of the header's name and of the skel's URI",
            remedy="use letters, digits, `_`, `-`, `+` and `.`",
        )
    return stem


def _idl_version(symbol: Symbol | None) -> str | None:
    if not isinstance(symbol, ConstantSymbol) or not isinstance(symbol.type, String):
        return None
    text = str(symbol.value)
    if not _VERSION.fullmatch(text):
        raise symbol.token.error(
            f"IDL_VERSION is not a version: {text!a}",
            code="idl-version",
            remedy='write one to three numbers of up to three digits: "1.2.3"',
        )
    return text
