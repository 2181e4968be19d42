"""`run sim --strict` stops a skel at its first wrong access to memory, and says where it is."""

from __future__ import annotations

import re

import pytest

from tests.conftest import LONG

from .conftest import Faults

CRASHED = "0x8000040d 0\n"
SHARED = "SHARED=1"


@pytest.mark.parametrize(
    ("call", "option", "where", "distance"),
    [
        pytest.param(
            ("sum", 1024, 0, 1025),
            "--strict",
            ("read_byte", "read"),
            "1 byte past the end of parameter 'data' of faults_sum (in, 1,024 bytes)",
            id="overread by a byte",
        ),
        pytest.param(
            ("vectors", 1024, 9),
            "--strict",
            ("add_vectors", "vector"),
            "1 byte past the end of parameter 'data' of faults_vectors (in, 1,024 bytes)",
            id="overread by a vector",
        ),
        pytest.param(
            ("sum", 1000, -3, 3),
            "--strict-front",
            ("read_byte", "read"),
            "3 bytes before the start of parameter 'data' of faults_sum (in, 1,000 bytes)",
            id="underread",
            marks=pytest.mark.long,
        ),
        pytest.param(
            ("fill", 1024, 1025),
            "--strict",
            ("write_byte", "write"),
            "1 byte past the end of parameter 'result' of faults_fill (rout, 1,024 bytes)",
            id="write past a rout buffer",
        ),
        pytest.param(
            ("keep", 1024, 5),
            "--strict",
            ("read_byte", "read"),
            "byte 5 of parameter 'data' of faults_keep (in, 1,024 bytes), whose call has returned",
            id="use of a buffer of a finished call",
        ),
    ],
)
def test_wrong_access_to_an_argument(
    faults: Faults,
    call: tuple[str | int, ...],
    option: str,
    where: tuple[str, str],
    distance: str,
) -> None:
    function, mark = where
    for env in ("", SHARED) if LONG or mark == "write" else (SHARED,):
        done = faults.call(*call, strict=option, env=env)

        assert (done.returncode, done.stdout) == (1, CRASHED), done.stderr
        assert f"\n  {distance}\n" in done.stderr
        assert f"\n  at {function} (faults_imp.c:{faults.line(mark)})\n" in done.stderr
        assert "\n  by faults_" in done.stderr


def test_use_of_a_freed_heap_block(faults: Faults) -> None:
    done = faults.call("heap", "after-free", 24, strict="--strict")

    assert done.stdout == CRASHED
    assert "\n  byte 0 of a freed heap block of 24 bytes\n" in done.stderr
    assert f"\n  at read_byte (faults_imp.c:{faults.line('read')})\n" in done.stderr
    assert "\n  in faults_heap, method 7 of libfaults_skel.so\n" in done.stderr


def test_write_past_a_heap_block_stops_at_the_instruction(faults: Faults) -> None:
    done = faults.call("heap", "overrun", 24, strict="--strict")

    assert done.stdout == CRASHED
    assert "\n  1 byte past the end of a heap block of 24 bytes\n" in done.stderr
    assert f"\n  at write_byte (faults_imp.c:{faults.line('write')})\n" in done.stderr


@pytest.mark.parametrize(
    ("left", "missing"),
    [
        pytest.param(0, 1024, id="the frame cannot be allocated"),
        pytest.param(512, 512, id="the frame is used"),
    ],
)
def test_stack_overflow_by_a_kilobyte(faults: Faults, left: int, missing: int) -> None:
    done = faults.call("overflow", left, strict="--strict")

    assert done.stdout == CRASHED
    assert (
        f"crashed: stack overflow: the code needs at least {16384 + missing} bytes of stack,"
        f" {missing} more than the 16384 that were requested\n"
    ) in done.stderr
    assert "remote_session_control(FASTRPC_THREAD_PARAMS) sets the size for methods" in done.stderr
    assert re.search(r"\n  at use_stack \(faults_imp\.c:\d+\)\n", done.stderr)
    assert "\n  in faults_overflow, method 10 of libfaults_skel.so\n" in done.stderr


@pytest.mark.long
def test_a_stack_that_is_large_enough_does_not_overflow(faults: Faults) -> None:
    assert faults.call("recurse", 12 * 1024, strict="--strict").returncode == 0
    assert faults.call("overflow", 1024, strict="--strict").returncode == 0


def test_right_calls_pass_and_results_are_poisoned(faults: Faults) -> None:
    assert faults.call("sum", 1000, 0, 1000, strict="--strict").stdout == "0x0 1000\n"
    assert faults.call("vectors", 1024, 8, strict="--strict-front").returncode == 0
    unwritten = faults.call("fill", 1024, 1023, strict="--strict")
    assert unwritten.stdout == f"0x0 {0x7E}\n"


@pytest.mark.parametrize(
    ("what", "size", "text"),
    [
        ("overrun", 21, "the skel has written past the end of a heap block, which it frees now"),
        pytest.param(
            "twice", 20, "the skel frees a heap block a second time", marks=pytest.mark.long
        ),
        pytest.param(
            "inside", 30, "the skel frees memory that it has not allocated", marks=pytest.mark.long
        ),
    ],
)
def test_the_heap_is_checked_without_strict(
    faults: Faults, what: str, size: int, text: str
) -> None:
    done = faults.call("heap", what, size)

    assert done.stdout == CRASHED
    assert f"the DSP process crashed: {text}" in done.stderr
    assert f"of {size} bytes\n" in done.stderr
    assert f"\n  at faults_heap (faults_imp.c:{faults.line('free')})\n" in done.stderr


@pytest.mark.long
def test_the_heap_has_the_size_of_the_soc(faults: Faults) -> None:
    assert faults.call("heap", "limit", 500 << 20).stdout == "0x0 0\n"
    done = faults.call("heap", "limit", 513 << 20)
    assert done.stdout == "0x0 1\n"
    assert "do not fit into its 512 MiB" in done.stderr


def test_what_a_crash_without_strict_says(faults: Faults) -> None:
    null = faults.call("crash", "null").stderr
    assert "at address 0x18, through a null pointer\n" in null
    assert f"\n  at write_null (faults_imp.c:{faults.line('null')})\n" in null
    stomped = faults.call("crash", "return").stderr
    assert "a jump to 0x1234568, where no code is: a return address or a function" in stomped
    assert "qemu does not emulate" not in stomped
    unknown = faults.call("crash", "unknown").stderr
    assert "most likely an instruction that qemu does not emulate" in unknown
    assert re.search(
        r"^QEMU has ended at a packet that it does not decode:\n  libfaults_skel\.so\+0x[0-9a-f]+, "
        rf"faults_crash \(faults_imp\.c:{faults.line('unknown')}\)(: .*)?$",
        unknown,
        re.MULTILINE,
    )


@pytest.mark.long
def test_what_a_crash_in_other_places_says(faults: Faults) -> None:
    data = faults.call("crash", "data").stderr
    assert re.search(r"a jump to 0x[0-9a-f]+, where no code is: a return address or a fun", data)
    assert "\n  at faults_crash (faults_imp.c:" in data
    code = faults.call("crash", "code").stderr
    assert ", a write to code or constant data\n" in code
    assert f"\n  at write_byte (faults_imp.c:{faults.line('write')})\n" in code
    for translated in ("store", "load"):
        packet = faults.call("crash", translated).stderr
        assert "at address 0x0, through a null pointer\n" in packet
        line = faults.line(translated)
        assert f"\n  at {translated}_float (faults_imp.c:{line})\n  by faults_crash (" in packet
    unsupported = faults.call("crash", "float").stderr
    assert (
        "crashed: Vd.f8=vabs(Vu.f8): the emulated device does not execute this instruction of HVX"
        f"\n  at faults_crash (faults_imp.c:{faults.line('float')})\n" in unsupported
    )
    matrix = faults.call("crash", "matrix").stderr
    assert (
        "crashed: an instruction of HMX in a thread that has not locked HMX, with"
        " HAP_compute_res_hmx_lock"
        f"\n  at faults_crash (faults_imp.c:{faults.line('matrix')})\n" in matrix
    )


@pytest.mark.long
def test_a_newer_qemu_tells_where_code_executes_too(with_newer_qemu: Faults) -> None:
    overread = with_newer_qemu.call("sum", 1024, 0, 1025, strict="--strict").stderr
    assert (
        "\n  1 byte past the end of parameter 'data' of faults_sum (in, 1,024 bytes)\n" in overread
    )
    assert f"\n  at read_byte (faults_imp.c:{with_newer_qemu.line('read')})\n" in overread
    overflow = with_newer_qemu.call("overflow", 512, strict="--strict").stderr
    assert f"needs at least {16384 + 512} bytes of stack" in overflow
    assert "\n  at use_stack (faults_imp.c:" in overflow
    unsupported = with_newer_qemu.call("crash", "float").stderr
    assert "Vd.f8=vabs(Vu.f8): the emulated device does not execute" in unsupported
    null = with_newer_qemu.call("crash", "null").stderr
    assert "at address 0x18, through a null pointer\n" in null
    assert f"\n  at write_null (faults_imp.c:{with_newer_qemu.line('null')})\n" in null


def test_strict_is_for_the_emulated_device(faults: Faults) -> None:
    done = faults.run("run", "board", "--strict")
    assert (done.returncode, done.stdout) == (125, "")
    assert "--strict is for sim only" in done.stderr
