"""The syntax of a file before its names are resolved, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from buildtool.idl.model import Primitive
from buildtool.idl.preprocess.tokens import Token


@dataclass(frozen=True, slots=True)
class ScopedName:
    """`A::B`, or `::A::B` (`absolute`)."""

    parts: tuple[Token, ...]
    absolute: bool
    token: Token

    @property
    def text(self) -> str:
        return ("::" if self.absolute else "") + "::".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of an expression; `operands` is 1 or 2."""

    token: Token
    operands: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal; `form` is its terminal's name.  Adjacent strings form one literal."""

    form: str
    tokens: tuple[Token, ...]

    @property
    def token(self) -> Token:
        return self.tokens[0]


@dataclass(frozen=True, slots=True)
class Expression:
    """A constant expression in postfix order, so that evaluation needs no recursion."""

    items: tuple[Literal | ScopedName | Operator, ...]
    token: Token


@dataclass(frozen=True, slots=True)
class BaseType:
    primitive: Primitive
    token: Token


@dataclass(frozen=True, slots=True)
class SequenceType:
    element: TypeSyntax
    bound: Expression | None
    token: Token


@dataclass(frozen=True, slots=True)
class StringType:
    wide: bool
    bound: Expression | None
    token: Token


@dataclass(frozen=True, slots=True)
class DmaHandleType:
    token: Token


TypeSyntax = BaseType | SequenceType | StringType | DmaHandleType | ScopedName


@dataclass(frozen=True, slots=True)
class Declarator:
    """A name with its array dimensions."""

    name: Token
    dimensions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MemberSyntax:
    type: TypeSyntax
    declarators: tuple[Declarator, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class StructSyntax:
    name: Token
    members: tuple[MemberSyntax, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class EnumSyntax:
    name: Token
    enumerators: tuple[Token, ...]
    docs: tuple[str, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class TypedefSyntax:
    type: TypeSyntax | StructSyntax | EnumSyntax
    declarators: tuple[Declarator, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class ConstSyntax:
    type: TypeSyntax
    name: Token
    value: Expression
    doc: str


@dataclass(frozen=True, slots=True)
class ParameterSyntax:
    direction: Token | None
    type: TypeSyntax
    declarator: Declarator


@dataclass(frozen=True, slots=True)
class MethodAttribute:
    """`[name]` before a method."""

    name: Token


@dataclass(frozen=True, slots=True)
class OperationSyntax:
    """A method; `result` is None for void."""

    name: Token
    result: TypeSyntax | None
    parameters: tuple[ParameterSyntax, ...]
    is_async: bool
    doc: str
    attribute: MethodAttribute | None = None


@dataclass(frozen=True, slots=True)
class AttributeSyntax:
    names: tuple[Token, ...]
    type: TypeSyntax
    readonly: bool
    doc: str


@dataclass(frozen=True, slots=True)
class InterfaceSyntax:
    """An interface; `body` is None for a forward declaration."""

    name: Token
    base: ScopedName | None
    body: tuple[DefinitionSyntax, ...] | None
    keyword: Token
    doc: str


@dataclass(frozen=True, slots=True)
class ModuleSyntax:
    name: Token
    body: tuple[DefinitionSyntax, ...]
    keyword: Token


DefinitionSyntax = (
    ModuleSyntax
    | InterfaceSyntax
    | StructSyntax
    | EnumSyntax
    | TypedefSyntax
    | ConstSyntax
    | OperationSyntax
    | AttributeSyntax
)
