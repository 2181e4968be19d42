"""Resolves type syntax to types: looks up names and evaluates bounds."""

from __future__ import annotations

from buildtool.idl.model import ROOT_INTERFACE, DmaHandle, Handle, Sequence, String, Type
from buildtool.idl.semantics import constants, type_rules
from buildtool.idl.semantics.scope import InterfaceSymbol, Scope, TypeSymbol
from buildtool.idl.syntax.nodes import (
    BaseType,
    DmaHandleType,
    ScopedName,
    SequenceType,
    StringType,
    TypeSyntax,
)


def resolve_type(syntax: TypeSyntax, scope: Scope, *, handles: bool = False) -> Type:
    """The type of `syntax`; with `handles`, remote_handle64 is also a type.

    Raises:
        IdlError: an unknown name, a name that is not a type, or an invalid type.
    """
    match syntax:
        case BaseType():
            return syntax.primitive
        case DmaHandleType():
            return DmaHandle()
        case StringType():
            bound = syntax.bound and constants.length(syntax.bound, scope, least=0)
            return String(syntax.wide, bound or None)
        case SequenceType():
            element = resolve_type(syntax.element, scope)
            type_rules.check_sequence_element(element, syntax.element.token)
            bound = syntax.bound and constants.length(syntax.bound, scope, least=0)
            return Sequence(element, bound or None)
        case ScopedName():
            return _named(syntax, scope, handles)


def _named(name: ScopedName, scope: Scope, handles: bool) -> Type:
    symbol = scope.find(name)
    last = name.parts[-1]
    match symbol:
        case TypeSymbol(type=None):
            raise last.error(
                f"the struct `{name.text}` contains itself",
                code="idl-recursion",
                remedy="refer to other elements by their index in a sequence",
            )
        case TypeSymbol(type=found) if found is not None:
            return found
        case InterfaceSymbol() if handles and is_root(symbol.scope):
            return Handle()
        case InterfaceSymbol():
            raise name.token.error(
                f"the interface `{name.text}` cannot be used as a type",
                code="idl-unsupported",
                why="only remote_handle64 can be passed: out of an open, and into a close",
                remedy="pass a number that your code maps to its object",
            )
        case None:
            suggestion = scope.suggestion(last.text, TypeSymbol)
            raise last.error(
                f"unknown type `{name.text}`",
                code="idl-unknown-name",
                suggestion=suggestion,
                remedy=_where_from(last.text, suggestion),
            )
    raise last.error(
        f"`{name.text}` is not a type", code="idl-type", remedy="use the name of a type"
    )


def _where_from(name: str, suggestion: str) -> str:
    """The remedy for an unknown name; "" if there is a suggestion."""
    if name in ("AEEResult", "AECHAR", "AEEUID", "AEEIID", "AEECLSID", "AEEPRIVID", "byte"):
        return '#include "AEEStdDef.idl" declares it'
    if name == ROOT_INTERFACE:
        return '#include "remote.idl" declares it'
    return "" if suggestion else "declare it first, or include the file that declares it"


def base_interface(name: ScopedName, scope: Scope) -> InterfaceSymbol:
    """The complete interface `name`, as a base of another interface.

    Raises:
        IdlError: there is none, or only a forward declaration so far.
    """
    symbol = scope.find(name)
    last = name.parts[-1]
    if isinstance(symbol, InterfaceSymbol):
        if symbol.interface is None:
            raise last.error(
                f"the interface `{name.text}` is not complete here",
                code="idl-recursion",
                remedy="define it before interfaces that inherit from it",
            )
        return symbol
    if symbol is not None:
        raise last.error(
            f"`{name.text}` is not an interface",
            code="idl-type",
            remedy="inherit from an interface",
        )
    suggestion = scope.suggestion(last.text, InterfaceSymbol)
    raise last.error(
        f"unknown interface `{name.text}`",
        code="idl-unknown-name",
        suggestion=suggestion,
        remedy=_where_from(last.text, suggestion),
    )


def opens_sessions(symbol: InterfaceSymbol) -> bool:
    """Whether derived interfaces have open and close, as those of remote_handle64 do."""
    return is_root(symbol.scope) or (symbol.interface is not None and symbol.interface.multi_domain)


def is_root(scope: Scope) -> bool:
    """Whether this is the scope of remote_handle64."""
    at_file_scope = scope.parent is not None and scope.parent.parent is None
    return scope.name == ROOT_INTERFACE and at_file_scope
