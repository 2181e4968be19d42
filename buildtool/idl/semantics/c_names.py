"""Name clashes in the generated C, which has one namespace where IDL has scopes."""

from __future__ import annotations

from dataclasses import dataclass, field

from buildtool.idl.model import Direction, DmaHandle, Interface, Member, Method, Sequence, String
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.semantics.type_rules import stripped


@dataclass(slots=True)
class CNames:
    """All C names of a compilation, including those of included files."""

    declared: dict[str, Token] = field(default_factory=dict)
    macros: dict[str, Token] = field(default_factory=dict)
    used: list[tuple[str, Token]] = field(default_factory=list)

    def declare(self, name: str, at: Token) -> None:
        """Declare a name at C's file scope.

        Raises:
            IdlError: something else has it already.
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
            if isinstance(stripped(member.type), Sequence | String):
                names.append((f"{member.name}Len", token))
        self._check_apart(names)

    def check_parameters(self, method: Method, tokens: list[Token], has_handle: bool) -> None:
        """Check the C names of parameters and of those that the generator adds."""
        names: list[tuple[str, Token]] = []
        taken = {"_h"} if has_handle else set()
        taken |= {"asyncDesc"} if method.is_async else set()
        for parameter, token in zip(method.parameters, tokens, strict=True):
            plain = stripped(parameter.type)
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
