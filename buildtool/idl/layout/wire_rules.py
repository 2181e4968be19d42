"""Checks of the limits of a call and of name clashes in C."""

from __future__ import annotations

from collections.abc import Iterable

from buildtool.idl.errors import IdlError
from buildtool.idl.layout.types import is_dma_sequence, is_nested, strip_typedefs
from buildtool.idl.model import (
    Direction,
    DmaHandle,
    Handle,
    Location,
    Member,
    Method,
    Parameter,
    Sequence,
    String,
)

MAX_BUFFERS = 255
MAX_HANDLES = 15


def c_names(item: Parameter | Member) -> tuple[str, ...]:
    """The names that a parameter or member has in C."""
    match strip_typedefs(item.type):
        case DmaHandle():
            return item.name, f"{item.name}Offset", f"{item.name}Len"
        case String() if isinstance(item, Parameter) and item.direction is Direction.IN:
            return (item.name,)
        case Sequence() | String():
            return item.name, f"{item.name}Len"
        case _:
            return (item.name,)


def check_names(items: Iterable[Parameter | Member], location: Location | None) -> None:
    """Raise IdlError if two parameters or members have the same name in C."""
    taken: dict[str, str] = {}
    for item in items:
        for name in c_names(item):
            if name in taken:
                raise IdlError(
                    f"'{item.name}' and '{taken[name]}' both become '{name}' in C",
                    code="idl-name",
                    location=item.location or location,
                    why="A sequence or string x has a second name, xLen, in C.",
                    remedy="Rename one of them.",
                )
            taken[name] = item.name


def check_inrout(parameter: Parameter) -> None:
    """Raise IdlError for an inrout parameter that the wire format does not support."""
    if parameter.direction is not Direction.INROUT:
        return
    is_handle = isinstance(strip_typedefs(parameter.type), DmaHandle | Handle)
    if is_handle or is_dma_sequence(parameter.type):
        raise IdlError(
            f"'{parameter.name}' cannot be inrout: it is a handle or a sequence of handles",
            code="idl-unsupported",
            location=parameter.location,
            remedy="Pass it as in or as rout.",
        )
    if is_nested(parameter.type):
        raise IdlError(
            f"'{parameter.name}' cannot be inrout: it contains sequences or strings",
            code="idl-unsupported",
            location=parameter.location,
            remedy="Pass it as two parameters, one in and one rout.",
        )


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
