"""Methods that exceed the limits of a call are errors with a location."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from buildtool.idl.errors import IdlError
from buildtool.idl.method_layout import WireMethod, wire_method
from buildtool.idl.model import (
    Alias,
    Array,
    Direction,
    DmaHandle,
    Handle,
    Location,
    Member,
    Method,
    Parameter,
    Primitive,
    Sequence,
    String,
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


def method(type_: Type, direction: Direction = Direction.IN, *, is_async: bool = False) -> Method:
    """A method that no IDL text can define, as the front end refuses it."""
    return Method("m", (Parameter("x", direction, type_, HERE),), is_async=is_async, location=HERE)


DMAS = Sequence(DmaHandle())
REC = Struct("rec", (Member("a", Sequence(Primitive.LONG)), Member("x", Primitive.LONG)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (method(REC, Direction.INROUT), "cannot be inrout: it contains"),
        (method(Sequence(String()), Direction.INROUT), "cannot be inrout: it contains"),
        (method(DmaHandle(), Direction.INROUT), "cannot be inrout: it is a handle"),
        (method(DMAS, Direction.INROUT), "cannot be inrout: it is a handle or a sequence of"),
        (method(Sequence(Sequence(Primitive.LONG))), "needs a typedef"),
        (method(Array(String(), 3)), "an array may only contain flat types"),
        (method(Sequence(Alias("dmas", DMAS))), "a handle can only be a separate parameter"),
        (method(Sequence(Handle())), "a handle can only be a separate parameter"),
        (
            method(Struct("s", (Member("h", DmaHandle()),))),
            "a handle can only be a separate parameter",
        ),
        (method(Struct("s", (Member("h", DMAS),))), "a handle can only be a separate parameter"),
        (method(Primitive.LONG, Direction.ROUT, is_async=True), "returns 'x' by value"),
        (method(Sequence(REC), Direction.ROUT, is_async=True), "returns 'x' by value"),
    ],
)
def test_what_the_wire_has_no_form_for(wrong: Method, message: str) -> None:
    with pytest.raises(IdlError, match=message) as caught:
        wire_method(wrong, 0)
    assert caught.value.code.startswith("idl")
    assert caught.value.remedy


def test_two_parameters_with_one_c_name() -> None:
    wrong = Method(
        "m",
        (
            Parameter("v", Direction.IN, Sequence(Primitive.LONG), HERE),
            Parameter("vLen", Direction.IN, Primitive.LONG, HERE),
        ),
    )
    with pytest.raises(IdlError, match="'vLen' and 'v' both become 'vLen' in C"):
        wire_method(wrong, 0)
