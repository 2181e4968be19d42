"""Turns definitions into declarations: enters names, evaluates values, checks rules."""

from __future__ import annotations

import itertools

from buildtool.idl import constants, type_rules
from buildtool.idl.keywords import c_identifier
from buildtool.idl.methods import (
    CNames,
    MethodReader,
    base_interface,
    is_root,
    opens_sessions,
    resolve_type,
)
from buildtool.idl.model import (
    Alias,
    Array,
    Constant,
    Declaration,
    Enum,
    Interface,
    Member,
    Method,
    Struct,
    Type,
)
from buildtool.idl.nodes import (
    AttributeSyntax,
    ConstSyntax,
    Declarator,
    DefinitionSyntax,
    EnumSyntax,
    InterfaceSyntax,
    ModuleSyntax,
    OperationSyntax,
    StructSyntax,
    TypedefSyntax,
)
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.scope import (
    ConstantSymbol,
    InterfaceSymbol,
    MethodSymbol,
    ModuleSymbol,
    Problems,
    Scope,
    Symbol,
    TypeSymbol,
    definition_name,
)
from buildtool.idl.type_rules import TypeLimits

MAX_METHODS = 4096
MAX_INHERITANCE = 32


class Declarer:
    """Walks the definitions in order, filling the scopes."""

    def __init__(self, problems: Problems) -> None:
        self.file = Scope()
        self._problems = problems
        self.c_names = CNames()
        self.type_limits = TypeLimits()
        self._methods = MethodReader(self.c_names, self.type_limits)
        self._method_count = 0

    def definition(self, definition: DefinitionSyntax, scope: Scope) -> list[Declaration]:
        """Declare one definition; returns its declarations in order."""
        match definition:
            case ModuleSyntax():
                return self._module(definition, scope)
            case InterfaceSyntax():
                return self._interface(definition, scope)
            case StructSyntax():
                return [self._struct(definition, scope)]
            case EnumSyntax():
                return [self._enum(definition, scope)]
            case TypedefSyntax():
                return self._typedef(definition, scope)
            case ConstSyntax():
                return [self._constant(definition, scope)]
            case OperationSyntax() | AttributeSyntax():
                raise definition_name(definition).error(
                    "methods belong in an interface", code="idl-syntax"
                )

    def _declare(self, scope: Scope, name: Token, symbol: Symbol, *, in_c: str = "") -> None:
        first = scope.symbols.get(name.text)
        if first is not None:
            place = first.token.location
            raise name.error(
                f"`{name.text}` is declared twice",
                code="idl-duplicate",
                why=f"the first is at {place.file}:{place.line}:{place.column}",
                remedy="rename one of them"
                if first.token.source.name == name.source.name
                else "rename one of them, or guard the included file with #ifndef",
            )
        scope.symbols[name.text] = symbol
        if in_c:
            self.c_names.declare(in_c, name)

    # ---- modules and interfaces

    def _module(self, module: ModuleSyntax, scope: Scope) -> list[Declaration]:
        symbol = scope.symbols.get(module.name.text)
        if not isinstance(symbol, ModuleSymbol):
            symbol = ModuleSymbol(Scope(module.name.text, scope), module.name)
            self._declare(scope, module.name, symbol)
        made: list[Declaration] = []
        for definition in module.body:
            with self._problems.noted(definition):
                made.extend(self.definition(definition, symbol.scope))
        return made

    def _interface(self, syntax: InterfaceSyntax, scope: Scope) -> list[Declaration]:
        announced = scope.symbols.get(syntax.name.text)
        if syntax.body is None and isinstance(announced, InterfaceSymbol):
            return []
        inner = Scope(syntax.name.text, scope)
        symbol = InterfaceSymbol(None, inner, syntax.name)
        if isinstance(announced, InterfaceSymbol) and announced.interface is None:
            symbol = announced
            inner = announced.scope
        else:
            self._declare(scope, syntax.name, symbol, in_c=scope.c_name(syntax.name.text))
        if syntax.body is None:
            return []
        base = base_interface(syntax.base, scope) if syntax.base else None
        inner.base = base.scope if base else None
        if inner.inheritance() > MAX_INHERITANCE:
            raise syntax.name.error(
                "the inheritance of interfaces is too deep",
                code="idl-limit",
                remedy="reduce the number of levels",
            )
        inherited = base.interface.methods if base and base.interface else ()
        inherited_names = {method.name for method in inherited}
        method_tokens = [syntax.name] * len(inherited)
        multi_domain = base is not None and opens_sessions(base)
        made: list[Declaration] = []
        methods: list[Method] = list(inherited)
        for definition in syntax.body:
            with self._problems.noted(definition):
                if not isinstance(definition, OperationSyntax | AttributeSyntax):
                    made.extend(self.definition(definition, inner))
                    continue
                for name, method in self._methods.read(definition, inner, multi_domain):
                    type_rules.check_not_inherited(name, method, inherited_names, multi_domain)
                    self._declare(inner, name, MethodSymbol(name))
                    methods.append(method)
                    method_tokens.append(name)
        if is_root(inner):
            type_rules.check_root(methods, syntax.name)
        self._count_methods(len(methods), syntax.name)
        interface = Interface(
            name=syntax.name.text,
            c_name=scope.c_name(syntax.name.text),
            methods=tuple(methods),
            multi_domain=multi_domain,
            base=base.interface.c_name if base and base.interface else None,
            doc=syntax.doc,
            location=syntax.name.location,
        )
        scope.symbols[syntax.name.text] = InterfaceSymbol(interface, inner, syntax.name)
        self.c_names.declare_methods(interface, method_tokens, syntax.name)
        return [*made, interface]

    def _count_methods(self, count: int, at: Token) -> None:
        self._method_count += count
        if self._method_count > MAX_METHODS:
            raise at.error(
                f"more than {MAX_METHODS} methods, counting inherited ones in each interface",
                code="idl-limit",
                remedy="split the file",
            )

    # ---- types and constants

    def _struct(self, syntax: StructSyntax, scope: Scope) -> Struct:
        # Declared before its members are read, so that recursion is detected.
        self._declare(scope, syntax.name, TypeSymbol(None, syntax.name))
        members: list[tuple[Member, Token]] = []
        names: dict[str, Token] = {}
        for line in syntax.members:
            kind = resolve_type(line.type, scope)
            docs = itertools.chain([line.doc], itertools.repeat(""))
            for declarator, doc in zip(line.declarators, docs, strict=False):
                token = declarator.name
                if names.setdefault(token.text, token) is not token:
                    raise token.error(
                        f"the member `{token.text}` is declared twice",
                        code="idl-duplicate",
                        remedy="rename one of them",
                    )
                name = c_identifier(token.text)
                whole = self._array(kind, declarator, scope)
                type_rules.check_member(whole, token)
                members.append((Member(name, whole, doc, token.location), token))
        struct = Struct(
            c_identifier(scope.c_name(syntax.name.text)),
            tuple(member for member, _ in members),
            syntax.doc,
            syntax.name.location,
        )
        self.c_names.check_members(members)
        self.c_names.declare(struct.c_name, syntax.name)
        self.type_limits.declare(struct, syntax.name)
        scope.symbols[syntax.name.text] = TypeSymbol(struct, syntax.name)
        return struct

    def _enum(self, syntax: EnumSyntax, scope: Scope) -> Enum:
        enum = Enum(
            c_identifier(scope.c_name(syntax.name.text)),
            tuple(c_identifier(token.text) for token in syntax.enumerators),
            syntax.doc,
            syntax.name.location,
            syntax.docs,
        )
        self._declare(scope, syntax.name, TypeSymbol(enum, syntax.name), in_c=enum.c_name)
        for value, token in enumerate(syntax.enumerators):
            symbol = ConstantSymbol(enum, value, token)
            self._declare(scope, token, symbol, in_c=c_identifier(token.text))
        return enum

    def _typedef(self, syntax: TypedefSyntax, scope: Scope) -> list[Declaration]:
        made: list[Declaration] = []
        kind: Type
        if isinstance(syntax.type, StructSyntax):
            kind = self._struct(syntax.type, scope)
            made.append(kind)
        elif isinstance(syntax.type, EnumSyntax):
            kind = self._enum(syntax.type, scope)
            made.append(kind)
        else:
            kind = resolve_type(syntax.type, scope)
        docs = itertools.chain([syntax.doc], itertools.repeat(""))
        for declarator, doc in zip(syntax.declarators, docs, strict=False):
            alias = Alias(
                c_identifier(scope.c_name(declarator.name.text)),
                self._array(kind, declarator, scope),
                doc,
                declarator.name.location,
            )
            symbol = TypeSymbol(alias, declarator.name)
            self._declare(scope, declarator.name, symbol, in_c=alias.c_name)
            self.type_limits.declare(alias, declarator.name)
            made.append(alias)
        return made

    def _array(self, kind: Type, declarator: Declarator, scope: Scope) -> Type:
        if len(declarator.dimensions) > 1:
            raise declarator.dimensions[1].token.error(
                "arrays have one dimension",
                code="idl-unsupported",
                remedy="multiply the lengths, or put the inner array in a struct",
            )
        for dimension in declarator.dimensions:
            self.type_limits.use(kind, declarator.name)
            type_rules.check_array_element(kind, declarator.name)
            kind = Array(kind, constants.length(dimension, scope, least=1))
        return kind

    def _constant(self, syntax: ConstSyntax, scope: Scope) -> Constant:
        kind = resolve_type(syntax.type, scope)
        value = constants.evaluate(syntax.value, kind, scope)
        constant = Constant(
            c_identifier(scope.c_name(syntax.name.text)),
            kind,
            value,
            syntax.doc,
            syntax.name.location,
        )
        symbol = ConstantSymbol(kind, value, syntax.name)
        self._declare(scope, syntax.name, symbol, in_c=constant.c_name)
        self.c_names.macros[constant.c_name] = syntax.name
        return constant
