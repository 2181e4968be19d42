"""Properties of IDL types for the back end: whether they are flat, their sizes, their members.

A *flat* type has the same bytes in C and on the wire, on both sides.  Other types contain
sequences and strings, which are sent as separate buffers; a `Composite` is such a type as a
struct member or as an element of a sequence.  Also checks the limits of a call.
"""

from __future__ import annotations

from buildtool.core.value import Value
from buildtool.idl.errors import IdlError
from buildtool.idl.model import (
    Alias,
    Array,
    DmaHandle,
    Enum,
    Handle,
    Member,
    Method,
    Primitive,
    Sequence,
    String,
    Struct,
    Type,
)


def strip_typedefs(type_: Type) -> Type:
    """The type behind all typedef names; of a basic type its kind, whatever its C name is."""
    while isinstance(type_, Alias):
        type_ = type_.target
    return type_.kind if isinstance(type_, Primitive) else type_


def is_flat(type_: Type) -> bool:
    """Whether the type contains no sequence, string or handle at any depth."""
    match strip_typedefs(type_):
        case Primitive() | Enum():
            return True
        case Array(element=element):
            return is_flat(element)
        case Struct(members=members):
            return all(is_flat(member.type) for member in members)
        case _:
            return False


def is_dma_sequence(type_: Type) -> bool:
    """Whether it is a sequence of `dmahandle`, whose elements are handles and not in a buffer."""
    resolved = strip_typedefs(type_)
    return isinstance(resolved, Sequence) and isinstance(
        strip_typedefs(resolved.element), DmaHandle
    )


def is_nested(type_: Type) -> bool:
    """Whether marshalling has to traverse C values: a composite, or a sequence of composites or
    handles."""
    match strip_typedefs(type_):
        case Sequence(element=element):
            return not is_flat(element)
        case String() | DmaHandle() | Handle():
            return False
        case _:
            return not is_flat(type_)


def flat_size(type_: Type) -> tuple[int, int]:
    """Size and alignment in bytes of a flat type, with C's padding.

    They are the same for 32 and 64 bits: flat types contain no pointers.
    """
    match strip_typedefs(type_):
        case Primitive() as primitive:
            return primitive.size, primitive.size
        case Enum():
            return 4, 4
        case Array(element=element, length=length):
            size, alignment = flat_size(element)
            return size * length, alignment
        case Struct(members=members):
            end, alignment = 0, 1
            for member in members:
                size, align = flat_size(member.type)
                end = align_up(end, align) + size
                alignment = max(alignment, align)
            return align_up(end, alignment), alignment
        case other:
            raise ValueError(f"not a flat type: {other!r}")


def align_up(offset: int, alignment: int) -> int:
    """`offset` rounded up to a multiple of `alignment`."""
    return -(-offset // alignment) * alignment


def element_of(type_: Sequence | String) -> Type:
    """The type of one element; a character for strings."""
    if isinstance(type_, Sequence):
        return type_.element
    return Primitive.WCHAR if type_.wide else Primitive.CHAR


class Composite(Value):
    """A type that is not flat, as a member of a struct or an element of a sequence.

    A sequence or string as an element is a struct with the member `data`: a `sequence<string>`
    has elements `{char *data; int dataLen;}`.
    """

    c_type: str
    members: tuple[Member, ...]  # in order


def composite(type_: Type) -> Composite:
    """`type_` as a composite.  `type_rules` has refused what the wire format does not support."""
    resolved = strip_typedefs(type_)
    match resolved:
        case Struct(c_name=c_name, members=members):
            return Composite(c_name, members)
        case String(wide=wide):
            own = "_wstring1_t" if wide else "_cstring1_t"
            return Composite(typedef_name(type_) or own, (Member("data", resolved),))
        case Sequence() if typedef := typedef_name(type_):
            return Composite(typedef, (Member("data", resolved),))
        case _:
            raise ValueError(f"not a composite: {type_!r}")


def typedef_name(type_: Type) -> str | None:
    """The outermost typedef name, or None."""
    return type_.c_name if isinstance(type_, Alias) else None


MAX_BUFFERS = 255
MAX_HANDLES = 15


def check_limits(method: Method, counts: tuple[int, int, int, int]) -> None:
    """Raise IdlError if a call cannot pass that many buffers or handles."""
    inputs, outputs, in_handles, out_handles = counts
    for what, count, limit in (
        ("in buffers", inputs, MAX_BUFFERS),
        ("rout buffers", outputs, MAX_BUFFERS),
        ("in handles", in_handles, MAX_HANDLES),
        ("out handles", out_handles, MAX_HANDLES),
    ):
        if count > limit:
            raise IdlError(
                f"'{method.name}' has {count} {what}, but a call passes at most {limit}",
                code="idl-limit",
                location=method.location,
                remedy="Split the method, or combine several sequences into one.",
            )


def check_async(method: Method, returned: list[str]) -> None:
    """Raise IdlError if an async method returns values in records of the stub; `returned` are the
    paths of what has them."""
    if method.is_async and returned:
        raise IdlError(
            f"the async method '{method.name}' returns '{returned[0]}' by value",
            code="idl-unsupported",
            location=method.location,
            why="The result arrives after the stub has returned, so it cannot be copied.",
            remedy="Return it in a rout sequence of numbers or of structs without sequences.",
        )
