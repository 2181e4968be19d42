"""Resolves types and methods: looks up names, evaluates bounds, and finds name clashes in C.

The generated C has one namespace where IDL has scopes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from buildtool.idl import constants, type_rules
from buildtool.idl.keywords import c_identifier
from buildtool.idl.model import (
    ROOT_INTERFACE,
    Direction,
    DmaHandle,
    Handle,
    Interface,
    Member,
    Method,
    Parameter,
    Primitive,
    Sequence,
    String,
    Type,
)
from buildtool.idl.nodes import (
    AttributeSyntax,
    BaseType,
    DmaHandleType,
    OperationSyntax,
    ParameterSyntax,
    ScopedName,
    SequenceType,
    StringType,
    TypeSyntax,
)
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.scope import InterfaceSymbol, Scope, TypeSymbol
from buildtool.idl.type_rules import TypeLimits
from buildtool.idl.types import strip_typedefs


def resolve_type(syntax: TypeSyntax, scope: Scope, *, handles: bool = False) -> Type:
    """The type of `syntax`; with `handles`, remote_handle64 is also a type.

    Raises IdlError: an unknown name, a name that is not a type, or an invalid type.
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

    Raises IdlError: there is none, or only a forward declaration so far.
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


NamedMethod = tuple[Token, Method]


class MethodReader:
    """Reads the methods of interfaces, and checks their C names and type limits."""

    def __init__(self, c_names: CNames, type_limits: TypeLimits) -> None:
        self._c_names = c_names
        self._measures = type_limits

    def read(
        self, syntax: OperationSyntax | AttributeSyntax, scope: Scope, multi_domain: bool
    ) -> list[NamedMethod]:
        """The methods of a declaration in the interface `scope`, each with its name token.

        Raises IdlError: an invalid type or direction.
        """
        if isinstance(syntax, AttributeSyntax):
            return self._attribute(syntax, scope, multi_domain)
        result = None
        if syntax.result is not None:
            result = resolve_type(syntax.result, scope)
            type_rules.check_result(result, syntax.result.token)
        method = Method(
            c_identifier(syntax.name.text),
            tuple(self._parameter(each, scope) for each in syntax.parameters),
            result,
            syntax.is_async,
            syntax.doc,
            syntax.name.location,
        )
        if syntax.attribute is not None:
            type_rules.check_attribute(method, syntax.attribute.name)
        if method.is_async:
            type_rules.check_async(method, syntax.parameters)
        tokens = [each.declarator.name for each in syntax.parameters]
        self._c_names.check_parameters(method, tokens, multi_domain)
        return [(syntax.name, method)]

    def _parameter(self, syntax: ParameterSyntax, scope: Scope) -> Parameter:
        name = syntax.declarator.name
        if syntax.declarator.dimensions:
            raise syntax.declarator.dimensions[0].token.error(
                "a parameter cannot be declared as an array",
                code="idl-unsupported",
                remedy="write `typedef T name[N];` first and use that name, or use a sequence",
            )
        if syntax.direction is None:
            raise syntax.type.token.error(
                f"the parameter `{name.text}` has no direction",
                code="idl-syntax",
                remedy="write `in`, `rout` or `inrout` before its type",
            )
        direction = Direction(syntax.direction.text)
        kind = resolve_type(syntax.type, scope, handles=is_root(scope))
        self._measures.use(kind, name)
        type_rules.check_direction(kind, direction, name)
        if isinstance(kind, Handle) and direction is Direction.INROUT:
            raise name.error(
                "a handle cannot be inrout", code="idl-unsupported", remedy="use `in` or `rout`"
            )
        return Parameter(c_identifier(name.text), direction, kind, name.location)

    def _attribute(
        self, syntax: AttributeSyntax, scope: Scope, multi_domain: bool
    ) -> list[NamedMethod]:
        """`attribute T x` is `AEEResult Getx(rout T value)` and `AEEResult Setx(in T value)`.

        Names and order are qaic's (its open sources, src/Language/Idl/Parser.hs).
        """
        kind = resolve_type(syntax.type, scope)
        result = _result_of_accessors(scope)
        made: list[NamedMethod] = []
        for name in syntax.names:
            accessors = [("Get", Direction.ROUT)]
            accessors += [] if syntax.readonly else [("Set", Direction.IN)]
            for prefix, direction in accessors:
                self._measures.use(kind, name)
                value = Parameter("value", direction, kind, name.location)
                method = Method(
                    prefix + name.text, (value,), result, False, syntax.doc, name.location
                )
                token = Token(name.kind, prefix + name.text, name.source, name.offset)
                self._c_names.check_parameters(method, [token], multi_domain)
                made.append((token, method))
        return made


def _result_of_accessors(scope: Scope) -> Type:
    """AEEResult if it is declared as expected, else long, which is the same in C."""
    for each in scope.outwards():
        symbol = each.symbols.get("AEEResult")
        known = symbol.type if isinstance(symbol, TypeSymbol) else None
        if known is not None and type_rules.is_long(known):
            return known
    return Primitive.LONG


@dataclass(slots=True)
class CNames:
    """All C names of a compilation, including those of included files."""

    declared: dict[str, Token] = field(default_factory=dict)
    macros: dict[str, Token] = field(default_factory=dict)
    used: list[tuple[str, Token]] = field(default_factory=list)

    def declare(self, name: str, at: Token) -> None:
        """Declare a name at C's file scope.

        Raises IdlError: something else has it already.
        """
        first = self.declared.setdefault(name, at)
        if first is not at:
            place = first.location
            raise at.error(
                f"`{name}` is declared twice in the C header",
                code="idl-duplicate",
                why=f"the first is at {place.file}:{place.line}:{place.column}; C has no scopes",
                remedy="rename one of them",
            )

    def check_members(self, members: list[tuple[Member, Token]]) -> None:
        """Check the C names of members: the sequence `data` also becomes `dataLen`."""
        names: list[tuple[str, Token]] = []
        for member, token in members:
            names.append((member.name, token))
            if isinstance(strip_typedefs(member.type), Sequence | String):
                names.append((f"{member.name}Len", token))
        self._check_apart(names)

    def check_parameters(self, method: Method, tokens: list[Token], has_handle: bool) -> None:
        """Check the C names of parameters and of those that the generator adds."""
        names: list[tuple[str, Token]] = []
        taken = {"_h"} if has_handle else set()
        taken |= {"asyncDesc"} if method.is_async else set()
        for parameter, token in zip(method.parameters, tokens, strict=True):
            plain = strip_typedefs(parameter.type)
            names.append((parameter.name, token))
            if isinstance(plain, DmaHandle):
                names.append((f"{parameter.name}Offset", token))
            lone = isinstance(plain, String) and parameter.direction is Direction.IN
            if isinstance(plain, Sequence | String | DmaHandle) and not lone:
                names.append((f"{parameter.name}Len", token))
        self._check_apart(names, taken)

    def _check_apart(self, names: list[tuple[str, Token]], taken: set[str] | None = None) -> None:
        seen = set(taken or ())
        for name, token in names:
            if name in seen:
                raise token.error(
                    f"`{name}` is declared twice here in C",
                    code="idl-duplicate",
                    why="a sequence `a` also becomes `aLen`; a method gets its handle `_h`",
                    remedy="rename it",
                )
            seen.add(name)
        self.used.extend(names)

    def declare_methods(self, interface: Interface, tokens: list[Token], at: Token) -> None:
        if interface.multi_domain:
            self.declare(f"{interface.c_name}_URI", at)
        for method, token in zip(interface.methods, tokens, strict=True):
            self.declare(f"{interface.c_name}_{method.name}", token)

    def check_macros(self) -> None:
        """Check that no C name is the name of a constant, which becomes a macro."""
        for name, token in [*self.used, *self.declared.items()]:
            macro = self.macros.get(name)
            if macro is not None and macro is not token:
                place = macro.location
                raise token.error(
                    f"`{name}` is also a constant",
                    code="idl-duplicate",
                    why=f"{place.file}:{place.line}:{place.column} makes it a C macro",
                    remedy="rename one of them",
                )
