"""Errors of definitions, of which all are reported except those that follow from others."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from buildtool.idl.errors import MAX_ERRORS, IdlError, one_error
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.syntax.nodes import (
    AttributeSyntax,
    DefinitionSyntax,
    EnumSyntax,
    StructSyntax,
    TypedefSyntax,
)

_OF_A_NAME = ("idl-unknown-name", "idl-recursion", "idl-duplicate")
"""The codes of errors that a definition which could not be read may cause in others."""


def definition_name(definition: DefinitionSyntax) -> Token:
    """The token that names a definition."""
    return _names(definition)[-1]


def _names(definition: DefinitionSyntax) -> list[Token]:
    """The tokens of all names that a definition declares, at last its own."""
    if isinstance(definition, AttributeSyntax):
        return list(reversed(definition.names))
    names = []
    inner = definition
    if isinstance(definition, TypedefSyntax):
        names = [declarator.name for declarator in reversed(definition.declarators)]
        if isinstance(definition.type, StructSyntax | EnumSyntax):
            inner = definition.type
    if isinstance(inner, EnumSyntax):
        names = [*inner.enumerators, *([inner.name] if inner is not definition else []), *names]
    elif isinstance(inner, StructSyntax) and inner is not definition:
        names = [inner.name, *names]
    return names if isinstance(definition, TypedefSyntax) else [*names, definition.name]


@dataclass(slots=True)
class Problems:
    """The errors so far, and the names of the definitions that have them."""

    errors: list[IdlError] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)

    @contextlib.contextmanager
    def noted(self, definition: DefinitionSyntax) -> Iterator[None]:
        """Note an error of the block that reads `definition`, and go on.

        Raises:
            IdlError: there are too many, or a limit is exceeded: then the rest is not read.
        """
        try:
            yield
        except IdlError as error:
            if not self._follows(error):
                self.errors.append(error)
            self.broken.update(name.text for name in _names(definition))
            if error.code == "idl-limit" or len(self.errors) == MAX_ERRORS:
                self.raise_noted()

    def raise_noted(self) -> None:
        """Raise the errors, if there are any."""
        if self.errors:
            raise one_error(self.errors)

    def _follows(self, error: IdlError) -> bool:
        named = re.findall("`([^`]+)`", error.problem) if error.code in _OF_A_NAME else ()
        return any(name.rpartition("::")[2] in self.broken for name in named)
