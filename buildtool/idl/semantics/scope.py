"""Where names are declared and how they are found.

A name is looked for from the inside outwards; in an interface, the interfaces it
inherits from are searched with it.  `::A` starts at file scope.
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
    """A type; None while its own struct is still open."""

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
    """An interface; `interface` is None as long as it is only announced."""

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
    """The file, a module or an interface."""

    name: str = ""
    parent: Scope | None = None
    base: Scope | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)

    def c_name(self, name: str) -> str:
        """`name` in this scope as C has it: the scopes' names joined by `_`."""
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
        """How many interfaces this one inherits from, directly and through them."""
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
        """The symbol that `name` means here, or None."""
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
        """The visible name of one of these kinds of symbol that is closest to `name`."""
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
