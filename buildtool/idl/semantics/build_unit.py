"""Builds the model of one file from the syntax of that file and its includes."""

from __future__ import annotations

import re
from pathlib import PurePath

from buildtool.idl.model import Declaration, String, Unit
from buildtool.idl.preprocess.preprocessor import Preprocessed
from buildtool.idl.preprocess.tokens import Source
from buildtool.idl.semantics.declare import Declarer
from buildtool.idl.semantics.scope import ConstantSymbol, Problems, Symbol, definition_name
from buildtool.idl.syntax.nodes import DefinitionSyntax

_STEM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_VERSION = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}")


def build_unit(
    definitions: tuple[DefinitionSyntax, ...], source: Preprocessed, digest: str
) -> Unit:
    """The model of a parsed file.

    Raises:
        IdlError: a name is unknown or taken, a value does not fit, a rule is broken.  All such
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

    Raises:
        IdlError: the name has characters that cannot stand in an `#include` or a URI.
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
