"""Scopes: where names are declared, and how they are looked up.

Look-up proceeds from inner to outer scopes; an interface's scope includes those of its base
interfaces.  `::A` starts at file scope.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from buildtool.idl.errors import closest
from buildtool.idl.keywords import C_TYPES, SIZED
from buildtool.idl.model import Interface, Type
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.syntax.nodes import ScopedName

ConstantValue = int | float | str | bool


@dataclass(frozen=True, slots=True)
class TypeSymbol:
    """A type; None while its struct is being declared."""

    type: Type | None
    token: Token


@dataclass(frozen=True, slots=True)
class ConstantSymbol:
    type: Type
    value: ConstantValue
    token: Token


@dataclass(frozen=True, slots=True)
class MethodSymbol:
    token: Token


@dataclass(frozen=True, slots=True)
class InterfaceSymbol:
    """An interface; `interface` is None while there is only a forward declaration."""

    interface: Interface | None
    scope: Scope
    token: Token


@dataclass(frozen=True, slots=True)
class ModuleSymbol:
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
