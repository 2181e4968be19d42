"""Reduces the grammar's rules to syntax values while the parser runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lark import Token as LarkToken
from lark import Transformer, v_args

from buildtool.idl.keywords import INTEGERS, SIZED, STANDARD
from buildtool.idl.model import Primitive
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.syntax import nodes as syntax
from buildtool.idl.syntax.nodes import Expression, Literal, Operator, ScopedName

Postfix = list[Literal | ScopedName | Operator]


def _call(rule: Callable[..., Any], name: str, children: list[Any], _: Any) -> Any:
    """Call a rule with this compiler's tokens in place of lark's; `literal` also gets the form."""
    if name == "literal":
        return rule(children[0].type, [child.value for child in children])
    return rule([child.value if isinstance(child, LarkToken) else child for child in children])


@v_args(wrapper=_call)
class BuildSyntax(Transformer[Any, Any]):
    """One method for each rule of the grammar.  Stateless, because it runs inside the parser.

    With `standard_types` the C types are those of C's own headers, as with qaic's option -st.
    """

    def __init__(self, *, standard_types: bool) -> None:
        super().__init__()
        self._primitives: dict[str, Primitive] = {**SIZED, **INTEGERS}
        if standard_types:
            self._primitives |= STANDARD

    def start(self, parts: list[Any]) -> tuple[syntax.DefinitionSyntax, ...]:
        return tuple(parts)

    def name(self, parts: list[Any]) -> Token:
        token: Token = parts[0]
        return token

    # ---- modules and interfaces

    def module(self, parts: list[Any]) -> syntax.ModuleSyntax:
        keyword, name, *body, _ = parts
        return syntax.ModuleSyntax(name, tuple(body), keyword)

    def base(self, parts: list[Any]) -> ScopedName:
        base: ScopedName = parts[0]
        return base

    def interface(self, parts: list[Any]) -> syntax.InterfaceSyntax:
        keyword, name, *rest, semicolon = parts
        base = rest.pop(0) if rest and isinstance(rest[0], ScopedName) else None
        doc = _doc(keyword, semicolon)
        return syntax.InterfaceSyntax(name, base, tuple(rest), keyword, doc)

    def forward(self, parts: list[Any]) -> syntax.InterfaceSyntax:
        keyword, name, _ = parts
        return syntax.InterfaceSyntax(name, None, None, keyword, "")

    # ---- types

    def struct(self, parts: list[Any]) -> syntax.StructSyntax:
        keyword, name, *members = parts
        return syntax.StructSyntax(name, tuple(members), keyword.doc)

    def enum(self, parts: list[Any]) -> syntax.EnumSyntax:
        keyword, name, (names, docs) = parts
        return syntax.EnumSyntax(name, names, docs, keyword.doc)

    def struct_definition(self, parts: list[Any]) -> syntax.StructSyntax:
        struct: syntax.StructSyntax = parts[0]
        return struct

    def enum_definition(self, parts: list[Any]) -> syntax.EnumSyntax:
        enum: syntax.EnumSyntax = parts[0]
        return enum

    def enumerators(self, parts: list[Token]) -> tuple[tuple[Token, ...], tuple[str, ...]]:
        names = tuple(parts[::2])
        commas: list[Token | None] = [*parts[1::2], None]
        docs = tuple(_doc(name, name, comma) for name, comma in zip(names, commas, strict=False))
        return names, docs

    def member(self, parts: list[Any]) -> syntax.MemberSyntax:
        kind, declarators, semicolon = parts
        return syntax.MemberSyntax(kind, declarators, _doc(kind.token, semicolon))

    def typedef(self, parts: list[Any]) -> syntax.TypedefSyntax:
        keyword, kind, declarators, semicolon = parts
        return syntax.TypedefSyntax(kind, declarators, _doc(keyword, semicolon))

    def declarators(self, parts: list[Any]) -> tuple[syntax.Declarator, ...]:
        return tuple(parts[::2])

    def declarator(self, parts: list[Any]) -> syntax.Declarator:
        name, *dimensions = parts
        return syntax.Declarator(name, tuple(dimensions))

    def dimension(self, parts: list[Any]) -> Expression:
        size: Expression = parts[0]
        return size

    def base_type(self, parts: list[Token]) -> syntax.BaseType:
        words = " ".join(part.text for part in parts)
        return syntax.BaseType(self._primitives[words], parts[0])

    def sequence(self, parts: list[Any]) -> syntax.SequenceType:
        keyword, element, *bound = parts
        return syntax.SequenceType(element, bound[1] if bound else None, keyword)

    def string(self, parts: list[Any]) -> syntax.StringType:
        keyword, *bound = parts
        return syntax.StringType(keyword.text == "wstring", bound[0] if bound else None, keyword)

    def bound(self, parts: list[Any]) -> Expression:
        bound: Expression = parts[0]
        return bound

    def dmahandle(self, parts: list[Token]) -> syntax.DmaHandleType:
        return syntax.DmaHandleType(parts[0])

    def scoped_name(self, parts: list[Token]) -> ScopedName:
        names = tuple(part for part in parts if part.text != "::")
        return ScopedName(names, parts[0].text == "::", parts[0])

    # ---- constants

    def const(self, parts: list[Any]) -> syntax.ConstSyntax:
        keyword, kind, name, value, semicolon = parts
        return syntax.ConstSyntax(kind, name, value, _doc(keyword, semicolon))

    def expression(self, parts: list[Postfix]) -> Expression:
        items = parts[0]
        return Expression(tuple(items), _leftmost([item.token for item in items]))

    def binary(self, parts: list[Any]) -> Postfix:
        left, operator, right = parts
        postfix: Postfix = left
        postfix.extend(right)
        postfix.append(Operator(operator, 2))
        return postfix

    def prefix(self, parts: list[Any]) -> Postfix:
        operator, operand = parts
        postfix: Postfix = operand
        postfix.append(Operator(operator, 1))
        return postfix

    def literal(self, form: str, tokens: list[Token]) -> Postfix:
        return [Literal(form, tuple(tokens))]

    def reference(self, parts: list[Any]) -> Postfix:
        return [parts[0]]

    # ---- methods

    def attribute(self, parts: list[Any]) -> syntax.AttributeSyntax:
        first, *rest, semicolon = parts
        readonly = first.text == "readonly"
        kind, *names = rest[1:] if readonly else rest
        doc = _doc(first, semicolon)
        return syntax.AttributeSyntax(tuple(names[::2]), kind, readonly, doc)

    def operation(self, parts: list[Any]) -> syntax.OperationSyntax:
        *start, name, parameters, semicolon = parts
        attributes = [each for each in start if isinstance(each, syntax.MethodAttribute)]
        start = [each for each in start if each not in attributes]
        is_async = isinstance(start[0], Token) and start[0].text == "async"
        result = None if isinstance(start[-1], Token) else start[-1]
        first = start[0] if isinstance(start[0], Token) else start[0].token
        doc = _doc(first, semicolon)
        attribute = attributes[0] if attributes else None
        return syntax.OperationSyntax(name, result, parameters, is_async, doc, attribute)

    def method_attribute(self, parts: list[Token]) -> syntax.MethodAttribute:
        return syntax.MethodAttribute(parts[0])

    def parameters(self, parts: list[Any]) -> tuple[syntax.ParameterSyntax, ...]:
        return tuple(parts[::2])

    def parameter(self, parts: list[Any]) -> syntax.ParameterSyntax:
        *direction, kind, declarator = parts
        return syntax.ParameterSyntax(direction[0] if direction else None, kind, declarator)


def _leftmost(tokens: list[Token]) -> Token:
    """The leftmost token in the source, or the first in the list if they are not comparable."""
    one_file = all(token.source is tokens[0].source for token in tokens)
    return min(tokens, key=lambda token: token.offset) if one_file else tokens[0]


def _doc(first: Token, *last: Token | None) -> str:
    """The comments before and after a declaration as one string."""
    texts = [first.doc, *(token.trailing for token in last if token is not None)]
    return "\n".join(text for text in texts if text)
