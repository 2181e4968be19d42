"""Turns operations and attributes into methods."""

from __future__ import annotations

from buildtool.idl.keywords import c_identifier
from buildtool.idl.model import Direction, Handle, Method, Parameter, Primitive, Type
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.semantics import type_rules
from buildtool.idl.semantics.c_names import CNames
from buildtool.idl.semantics.resolve_type import is_root, resolve_type
from buildtool.idl.semantics.scope import Scope, TypeSymbol
from buildtool.idl.semantics.type_rules import TypeLimits
from buildtool.idl.syntax.nodes import AttributeSyntax, OperationSyntax, ParameterSyntax

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

        Raises:
            IdlError: an invalid type or direction.
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
