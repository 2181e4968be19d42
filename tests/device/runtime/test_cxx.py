"""C++ skels with exceptions and RTTI, with a libc++abi beside them."""

from __future__ import annotations

import struct

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .cxx import CASES, abi_stand_in, library_stand_in, skel, thrower

PT_GNU_EH_FRAME = 0x6474E550


@pytest.fixture
def with_cxx(device: Device, toolbox: Toolbox) -> Device:
    device.install(
        skel(toolbox), thrower(toolbox), library_stand_in(toolbox), abi_stand_in(toolbox)
    )
    return device


def test_exceptions_and_rtti_with_a_stand_in_for_the_devices_libcxx(with_cxx: Device) -> None:
    steps = [f"case cxx {case}" for case in CASES]
    result = with_cxx.run("; ".join(["open cxx", *steps, "close cxx", "open cxx", steps[1]]))
    assert result.status == 0, result.err
    codes = {case: result[f"case cxx {case}"].split()[0] for case in CASES}
    assert codes == dict.fromkeys(CASES, "0"), result.err


def test_memory_of_the_libraries_is_checked_like_that_of_the_skel(with_cxx: Device) -> None:
    result = with_cxx.run("open cxx; case cxx past_new", BUILDTOOL_SIM_STRICT="back")
    assert result["case cxx past_new"].startswith("8000040d")
    assert "1 byte past the end of a heap block of 8 bytes" in result.err


def test_an_exception_that_nobody_catches_ends_the_process_like_a_crash(with_cxx: Device) -> None:
    result = with_cxx.run("open cxx; case cxx uncaught")
    assert result["case cxx uncaught"].startswith("8000040d")
    assert "abort()" in result.err


def without_index(skel: bytes) -> bytes:
    """A library whose header of the unwind tables' index is null, as in some that the SDK links."""
    data = bytearray(skel)
    start, count = struct.unpack_from("<I", data, 28)[0], struct.unpack_from("<H", data, 44)[0]
    places = [start + 32 * i for i in range(count)]
    indexes = [at for at in places if struct.unpack_from("<I", data, at)[0] == PT_GNU_EH_FRAME]
    assert len(indexes) == 1
    struct.pack_into("<I", data, indexes[0], 0)
    return bytes(data)


def test_unwind_tables_that_a_library_registers_itself(with_cxx: Device, toolbox: Toolbox) -> None:
    place = with_cxx.root / "usr/lib/rfsa/adsp/libcxx_skel.so"
    place.write_bytes(without_index(skel(toolbox).read_bytes()))
    assert with_cxx.run("open cxx; case cxx within")["case cxx within"].startswith("8000040d")

    built = skel(toolbox, "libcxx_frames_skel.so", "-DREGISTERS_FRAMES")
    place.write_bytes(without_index(built.read_bytes()))
    script = "open cxx; case cxx within; close cxx; open cxx; case cxx within; case cxx across"
    result = with_cxx.run(script)
    assert result.out.count("case cxx within = 0 ") == 2, result.err
    assert result["case cxx across"].startswith("0 "), result.err
