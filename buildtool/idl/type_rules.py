"""Rules about the parts of a type, and where a type may be used.

Limits of the size and depth of types bound the work of every later stage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from buildtool.core.value import Value
from buildtool.idl.model import (
    Alias,
    Array,
    Direction,
    DmaHandle,
    Enum,
    Handle,
    Method,
    Primitive,
    Sequence,
    String,
    Struct,
    Type,
)
from buildtool.idl.nodes import ParameterSyntax
from buildtool.idl.preprocess.tokens import Token
from buildtool.idl.types import is_dma_sequence, is_flat, strip_typedefs


def is_long(kind: Type) -> bool:
    """Whether it is a 32-bit integer under any name."""
    return strip_typedefs(kind) in (
        Primitive.LONG,
        Primitive.ULONG,
        Primitive.INT32,
        Primitive.UINT32,
    )


def check_array_element(kind: Type, at: Token) -> None:
    plain = strip_typedefs(kind)
    _check_part(plain, at, "an array")
    if isinstance(plain, Array):
        raise at.error(
            "arrays have one dimension",
            code="idl-unsupported",
            remedy="multiply the lengths, or put the inner array in a struct",
        )
    if isinstance(plain, String | Sequence):
        what = "string" if isinstance(plain, String) else "sequence"
        raise at.error(
            f"arrays of {what}s are not supported",
            code="idl-unsupported",
            remedy=f"use a sequence of {what}s",
        )
    if not is_flat(plain):
        raise at.error(
            "an array whose elements contain sequences or strings is not supported",
            code="idl-unsupported",
            remedy="use a sequence",
        )


def check_sequence_element(kind: Type, at: Token) -> None:
    if isinstance(strip_typedefs(kind), DmaHandle):
        return  # where the sequence itself may be is checked there
    _check_part(strip_typedefs(kind), at, "a sequence")
    if isinstance(kind, Sequence):
        raise at.error(
            "a sequence inside a sequence needs a typedef",
            code="idl-unsupported",
            remedy="write `typedef sequence<…> name;` first, and use that name",
        )


def check_member(kind: Type, at: Token) -> None:
    _check_part(strip_typedefs(kind), at, "a struct")


def _check_part(plain: Type, at: Token, where: str) -> None:
    if isinstance(plain, DmaHandle | Handle) or is_dma_sequence(plain):
        what = "dmahandle" if isinstance(plain, DmaHandle) else "remote_handle64"
        if isinstance(plain, Sequence):
            what = "sequence of dmahandles"
        raise at.error(
            f"a {what} cannot be used in {where}",
            code="idl-unsupported",
            remedy="make it a separate parameter",
        )


def check_direction(kind: Type, direction: Direction, at: Token) -> None:
    """Check that the type is allowed for `direction`: `inrout` allows only one level."""
    plain = strip_typedefs(kind)
    if direction is not Direction.INROUT:
        return
    if isinstance(plain, DmaHandle) or is_dma_sequence(plain):
        what = "dmahandle" if isinstance(plain, DmaHandle) else "sequence of dmahandles"
        raise at.error(
            f"a {what} cannot be inrout", code="idl-unsupported", remedy="use `in` or `rout`"
        )
    nested = not is_flat(plain.element) if isinstance(plain, Sequence) else not is_flat(plain)
    if nested and not isinstance(plain, String):
        raise at.error(
            "a type that contains sequences or strings cannot be inrout",
            code="idl-unsupported",
            remedy="use an `in` and a `rout` parameter",
        )


def check_async(method: Method, parameters: tuple[ParameterSyntax, ...]) -> None:
    """Check an async method: it returns before primROut arrives, so it can only return buffers."""
    for parameter, written in zip(method.parameters, parameters, strict=True):
        plain = strip_typedefs(parameter.type)
        if parameter.direction is not Direction.IN and not isinstance(plain, Sequence):
            raise written.declarator.name.error(
                "an async method can only return sequences",
                code="idl-unsupported",
                why="it returns before its other results could be written",
                remedy="use a sequence with one element, or a synchronous method",
            )


def check_not_inherited(
    name: Token, method: Method, inherited: Collection[str], multi_domain: bool
) -> None:
    if method.name not in inherited:
        return
    opens = multi_domain and method.name in ("open", "close")
    raise name.error(
        f"the inherited method `{name.text}` cannot be declared again",
        code="idl-duplicate",
        why="every interface inherits `open` and `close` from remote_handle64" if opens else "",
        remedy="remove it" if opens else "rename it",
    )


def check_root(methods: Iterable[Method], name: Token) -> None:
    """Check the methods of remote_handle64: libcdsprpc has `open` and `close` in this form only."""
    handle, text = Handle(), String(wide=False)
    known = {
        "open": [(Direction.IN, text), (Direction.ROUT, handle)],
        "close": [(Direction.IN, handle)],
    }
    found = [
        (method.name, [(each.direction, strip_typedefs(each.type)) for each in method.parameters])
        for method in methods
    ]
    if found != [*known.items()]:
        raise name.error(
            "remote_handle64 is not declared as remote.idl declares it",
            code="idl-type",
            why="it has the methods open(in string uri, rout remote_handle64 h) and"
            " close(in remote_handle64 h), and no others",
            remedy='remove it, and write: #include "remote.idl"',
        )


def check_attribute(method: Method, name: Token) -> None:
    """Check `[oneway]` or `[signal]`; as in qaic, the call is an ordinary one all the same."""
    if name.text not in ("oneway", "signal"):
        raise name.error(
            f"`[{name.text}]` is not an attribute of methods",
            code="idl-syntax",
            remedy="remove it; qaic has `[oneway]` and `[signal]`",
        )
    if any(each.direction is not Direction.IN for each in method.parameters):
        raise name.error(
            f"a `[{name.text}]` method has only `in` parameters",
            code="idl-unsupported",
            remedy=f"remove `[{name.text}]`, or the parameters that return something",
        )


def check_result(kind: Type, at: Token) -> None:
    """Check the type of a result: it is the error code of the call, whatever type it has in C."""
    if not isinstance(strip_typedefs(kind), Primitive | Enum):
        raise at.error(
            "a method returns a number, usually `long`, or `void`",
            code="idl-type",
            why="the result is the error code of the call, 0 for success",
            remedy="return AEEResult, and return the value in a `rout` parameter",
        )


MAX_TYPE_DEPTH = 32
MAX_LEAVES = 4096
MAX_TOTAL_LEAVES = 100_000
MAX_FLAT_BYTES = (1 << 31) - 1


class TypeExtent(Value):
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

        Raises IdlError: it exceeds a limit.
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
