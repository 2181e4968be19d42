"""Scopes: where names are declared, and how they are looked up.

Look-up proceeds from inner to outer scopes; an interface's scope includes those of its base
interfaces.  `::A` starts at file scope.

Errors of definitions, of which all are reported except those that follow from others.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from buildtool.core.value import Value
from buildtool.idl.errors import MAX_ERRORS, IdlError, closest, one_error
from buildtool.idl.keywords import C_TYPES, SIZED
from buildtool.idl.model import Interface, Type
from buildtool.idl.nodes import (
    AttributeSyntax,
    DefinitionSyntax,
    EnumSyntax,
    ScopedName,
    StructSyntax,
    TypedefSyntax,
)
from buildtool.idl.preprocess.tokens import Token

ConstantValue = int | float | str | bool


class TypeSymbol(Value):
    """A type; None while its struct is being declared."""

    type: Type | None
    token: Token


class ConstantSymbol(Value):
    type: Type
    value: ConstantValue
    token: Token


class MethodSymbol(Value):
    token: Token


class InterfaceSymbol(Value):
    """An interface; `interface` is None while there is only a forward declaration."""

    interface: Interface | None
    scope: Scope
    token: Token


class ModuleSymbol(Value):
    scope: Scope
    token: Token


Symbol = TypeSymbol | ConstantSymbol | MethodSymbol | InterfaceSymbol | ModuleSymbol


@dataclass(slots=True, eq=False)
class Scope:
    """The scope of a file, a module or an interface."""

    name: str = ""
    parent: Scope | None = None
    base: Scope | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)

    def c_name(self, name: str) -> str:
        """The C name of `name` in this scope: the scopes' names joined by `_`."""
        parts = [name]
        scope: Scope | None = self
        while scope is not None and scope.parent is not None:
            parts.append(scope.name)
            scope = scope.parent
        return "_".join(reversed(parts))

    def own_or_inherited(self, name: str) -> Symbol | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.symbols:
                return scope.symbols[name]
            scope = scope.base
        return None

    def inheritance(self) -> int:
        """The number of interfaces that this one inherits from, directly and indirectly."""
        count, scope = 0, self.base
        while scope is not None:
            count, scope = count + 1, scope.base
        return count

    def outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find(self, name: ScopedName) -> Symbol | None:
        """The symbol that `name` resolves to in this scope, or None."""
        for scope in [list(self.outwards())[-1]] if name.absolute else self.outwards():
            found = scope._descend(name.parts)
            if found is not None:
                return found
        return None

    def _descend(self, parts: tuple[Token, ...]) -> Symbol | None:
        scope = self
        for part in parts[:-1]:
            inner = scope.own_or_inherited(part.text)
            if not isinstance(inner, ModuleSymbol | InterfaceSymbol):
                return None
            scope = inner.scope
        return scope.own_or_inherited(parts[-1].text)

    def suggestion(self, name: str, *kinds: type) -> str:
        """The visible name of a symbol of these kinds that is closest to `name`."""
        names = set()
        for enclosing in self.outwards():
            scope: Scope | None = enclosing
            while scope is not None:
                names |= {key for key, symbol in scope.symbols.items() if isinstance(symbol, kinds)}
                scope = scope.base
        if TypeSymbol in kinds:
            if name in C_TYPES:
                return C_TYPES[name]
            names |= {*SIZED, "long", "short", "sequence", "string", "wstring", "dmahandle"}
        return closest(name, names)


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

        Raises IdlError: there are too many, or a limit is exceeded: then the rest is not read.
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
