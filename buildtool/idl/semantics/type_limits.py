"""Limits of the size and depth of types, which bound the work of every later stage."""

from __future__ import annotations

from dataclasses import dataclass, field

from buildtool.idl.model import Alias, Array, Primitive, Sequence, Struct, Type
from buildtool.idl.preprocess.tokens import Token

MAX_TYPE_DEPTH = 32
MAX_LEAVES = 4096
MAX_TOTAL_LEAVES = 100_000
MAX_FLAT_BYTES = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class TypeExtent:
    """The extent of a type: its depth, its leaves with all uses expanded, its bytes at most."""

    depth: int = 1
    leaves: int = 1
    size: int = 8


@dataclass(slots=True)
class TypeLimits:
    """The extents of the named types so far; `total` counts the leaves of all uses."""

    named: dict[str, TypeExtent] = field(default_factory=dict)
    total: int = 0

    def of(self, kind: Type) -> TypeExtent:
        if isinstance(kind, Struct | Alias):
            return self.named.get(kind.c_name, TypeExtent())
        if isinstance(kind, Primitive):
            return TypeExtent(size=kind.size)
        if isinstance(kind, Array | Sequence):
            inner = self.of(kind.element)
            times = kind.length if isinstance(kind, Array) else 1
            return TypeExtent(inner.depth + 1, inner.leaves + 1, inner.size * times)
        return TypeExtent()

    def declare(self, kind: Struct | Alias, at: Token) -> None:
        """Add a new named type.

        Raises:
            IdlError: it exceeds a limit.
        """
        if isinstance(kind, Alias):
            inner = self.of(kind.target)
            result = TypeExtent(inner.depth + 1, inner.leaves, inner.size)
        else:
            inside = [self.of(member.type) for member in kind.members]
            result = TypeExtent(
                1 + max(each.depth for each in inside),
                sum(each.leaves for each in inside),
                sum(each.size + 7 for each in inside),
            )
        self.check(result, at)
        self.named[kind.c_name] = result

    def use(self, kind: Type, at: Token) -> None:
        """Count the use of a type by a parameter; raises the errors of `declare`."""
        self.check(self.of(kind), at)

    def check(self, measure: TypeExtent, at: Token) -> None:
        self.total += measure.leaves
        if measure.depth > MAX_TYPE_DEPTH:
            raise at.error("this type is nested too deeply", code="idl-limit", remedy="flatten it")
        if measure.leaves > MAX_LEAVES or self.total > MAX_TOTAL_LEAVES:
            raise at.error(
                "this type has too many parts, counting all nested parts",
                code="idl-limit",
                remedy="use arrays or sequences for repeated parts",
            )
        if measure.size > MAX_FLAT_BYTES:
            raise at.error(
                f"this type takes more than {MAX_FLAT_BYTES:,} bytes",
                code="idl-limit",
                remedy="use a sequence, which is sent in a separate buffer",
            )
