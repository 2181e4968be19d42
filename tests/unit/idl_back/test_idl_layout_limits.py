"""Methods that exceed the limits of a call are errors with a location."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from buildtool.idl.errors import IdlError
from buildtool.idl.method_layout import WireMethod, wire_method
from buildtool.idl.model import (
    Direction,
    Location,
    Member,
    Method,
    Parameter,
    Primitive,
    Sequence,
    Struct,
    Type,
)

Wire = Callable[..., WireMethod]
HERE = Location("v.idl", 3, 7)


def sequences(count: int, direction: str) -> str:
    return ", ".join(f"{direction} sequence<octet> v{i}" for i in range(count))


def test_255_buffers_go_256_do_not(wire: Wire) -> None:
    assert wire(sequences(254, "in")).counts == (255, 0, 0, 0)
    with pytest.raises(IdlError, match="256 in buffers, but a call passes at most 255") as caught:
        wire(sequences(255, "in"))
    assert caught.value.code == "idl-limit"
    assert caught.value.location is not None
    assert caught.value.location.line > 1


def test_255_rout_buffers_go_256_do_not(wire: Wire) -> None:
    assert wire(sequences(255, "rout")).counts == (1, 255, 0, 0)
    with pytest.raises(IdlError, match="256 rout buffers"):
        wire(sequences(256, "rout"))


@pytest.mark.parametrize(("direction", "what"), [("in", "in handles"), ("rout", "out handles")])
def test_15_handles_go_16_do_not(wire: Wire, direction: str, what: str) -> None:
    handles = [f"{direction} dmahandle d{i}" for i in range(16)]
    assert 15 in wire(", ".join(handles[:15])).counts
    with pytest.raises(IdlError, match=f"16 {what}, but a call passes at most 15"):
        wire(", ".join(handles))


def test_elements_of_sequences_do_not_count_when_compiled(wire: Wire) -> None:
    """Their number is known at the call, where the stub checks it."""
    handles = ", ".join(f"in dmahandle d{i}" for i in range(15))
    assert wire(f"{handles}, in sequence<dmahandle> more").counts == (1, 0, 15, 0)


def method(type_: Type) -> Method:
    """An async method that returns a value of this type."""
    parameter = Parameter("x", Direction.ROUT, type_, HERE)
    return Method("m", (parameter,), is_async=True, location=HERE)


REC = Struct("rec", (Member("a", Sequence(Primitive.LONG)), Member("x", Primitive.LONG)))


@pytest.mark.parametrize("wrong", [method(Primitive.LONG), method(Sequence(REC))])
def test_what_an_async_method_cannot_return(wrong: Method) -> None:
    with pytest.raises(IdlError, match="returns 'x' by value") as caught:
        wire_method(wrong, 0)
    assert caught.value.code.startswith("idl")
    assert caught.value.remedy
