"""What Python callers may pass, and what becomes of it."""

from __future__ import annotations

import array
import ctypes
import struct
from typing import Any

import pytest

from buildtool.idl.emit.python import _fastrpc as rpc
from buildtool.idl.emit.python._fastrpc.scalars import Keep, borrow, room_for


def borrowed(values: Any, scalar: rpc.Scalar = rpc.INT32) -> list[Any]:
    pointer, length = borrow(values, scalar, Keep())
    return [pointer[at] for at in range(length)]


@pytest.mark.parametrize(
    "values",
    [
        [1, -2],
        (1, -2),
        array.array("i", [1, -2]),
        struct.pack("=ii", 1, -2),
        bytearray(struct.pack("=ii", 1, -2)),
        memoryview(array.array("i", [1, -2])),
        memoryview(array.array("i", [1, -2])).toreadonly(),
        (ctypes.c_int32 * 2)(1, -2),
    ],
)
def test_sequences_of_numbers_may_be_anything_with_numbers_or_bytes(values: Any) -> None:
    assert borrowed(values) == [1, -2]


def test_writable_buffers_and_bytes_are_not_copied() -> None:
    for values in (array.array("i", [1, 2]), struct.pack("=ii", 1, 2)):
        pointer, _ = borrow(values, rpc.INT32, Keep())
        address = ctypes.cast(pointer, ctypes.c_void_p).value
        if isinstance(values, bytes):
            assert address == ctypes.cast(ctypes.c_char_p(values), ctypes.c_void_p).value
        else:
            assert address == values.buffer_info()[0]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        (array.array("I", [1]), TypeError),
        (array.array("h", [1, 2]), TypeError),
        (array.array("f", [1]), TypeError),
        (b"123", ValueError),
        (memoryview(array.array("i", range(4)))[::2], TypeError),
        ([2**31], OverflowError),
        ([1.5], TypeError),
        ("12", TypeError),
        (7, TypeError),
        (None, TypeError),
    ],
)
def test_other_values_are_refused(values: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        borrowed(values)


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        (rpc.INT8, 128),
        (rpc.INT8, -129),
        (rpc.UINT8, -1),
        (rpc.UINT16, 65536),
        (rpc.INT64, 2**63),
        (rpc.UINT64, 2**64),
        (rpc.UINT64, -1),
    ],
)
def test_numbers_out_of_range_are_refused_rather_than_cut(scalar: rpc.Scalar, value: int) -> None:
    with pytest.raises(OverflowError):
        scalar.to_c(value, Keep())


def test_a_sequence_of_shared_buffers_is_an_array_of_qaics_struct() -> None:
    keep = Keep()
    made = rpc.Sequence(rpc.DMA).to_c([rpc.DmaHandle(7, 4096, 2**32 - 1)], keep)
    assert made.dataLen == 1
    assert bytes(made.data[0]) == struct.pack("=iII", 7, 4096, 2**32 - 1)
    assert not rpc.Sequence(rpc.DMA).to_c([], keep).data
    with pytest.raises(OverflowError):
        rpc.Sequence(rpc.DMA).to_c([rpc.DmaHandle(7, -1, 1)], keep)


def test_the_room_for_results_is_new_or_the_callers_buffer() -> None:
    assert room_for(3, rpc.INT32).tolist() == [0, 0, 0]
    assert room_for(0, rpc.INT32).nbytes == 0
    numbers = array.array("i", [1, 2])
    room_for(numbers, rpc.INT32)[1] = 7
    assert numbers.tolist() == [1, 7]
    octets = bytearray(8)
    room_for(octets, rpc.INT32)[1] = 1
    assert struct.unpack("=ii", octets) == (0, 1)
    foreign = (ctypes.c_int32 * 2)()
    room_for(foreign, rpc.INT32)[0] = 5
    assert foreign[0] == 5
    square = memoryview(bytearray(16)).cast("i", (2, 2))
    assert room_for(square, rpc.INT32).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("space", "error"),
    [(b"1234", TypeError), (-1, ValueError), (2**31, ValueError), ("4", TypeError)],
)
def test_room_that_cannot_be_written_is_refused(space: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        room_for(space, rpc.INT32)


def test_strings_have_a_terminator_and_any_byte() -> None:
    text, wide = rpc.Text(), rpc.Text(wide=True)
    assert text.encoded("aä\udcff") == b"a\xc3\xa4\xff\0"
    assert wide.encoded("ä\ud800") == "ä\ud800\0".encode("utf-16-le", "surrogatepass")
    for value in ("a\0b", "\ud800"):
        with pytest.raises(ValueError, match=r"NUL|surrogate"):
            text.encoded(value)
    with pytest.raises(TypeError):
        text.encoded(b"bytes")  # type: ignore[arg-type]
    keep = Keep()
    for type_, value in ((text, "aä\udcff"), (wide, "ä\ud800😀")):
        assert type_.from_c(type_.to_c(value, keep)) == value


def test_unknown_enumerators_keep_their_number() -> None:
    class Kind(rpc.OpenEnum):
        red = 0

    kind = rpc.enumeration(Kind).from_c(2**31)
    assert isinstance(kind, Kind)
    assert (kind.value, kind.name) == (2**31, "unknown_2147483648")
    assert Kind(0) is Kind.red


def test_arrays_have_exactly_their_length() -> None:
    type_ = rpc.Array(rpc.UINT8, 3)
    assert list(type_.to_c(b"abc", Keep())) == [97, 98, 99]
    for values in (b"ab", [1, 2, 3, 4]):
        with pytest.raises(ValueError, match="3 elements"):
            type_.to_c(values, Keep())
