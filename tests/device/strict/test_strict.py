"""`run sim --strict` stops a skel at its first wrong access to memory, and says where it is."""

from __future__ import annotations

import re

import pytest

from tests.conftest import LONG

from .conftest import Faults

CRASHED = "0x8000040d 0\n"
SHARED = "SHARED=1"


def test_a_program_that_fails_without_a_cause_is_told_of_strict(faults: Faults) -> None:
    advice = "are numbers of the DSP wrong? With --strict sim stops a kernel"
    call = ("sum", 1024, 0, 1024)
    failed, good = faults.call(*call, env="STATUS=3"), faults.call(*call)
    assert (failed.returncode, good.returncode) == (3, 0)
    assert advice in failed.stderr
    assert advice not in good.stderr + faults.call(*call, strict="--strict", env="STATUS=3").stderr


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


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (("spoil", 1024, 5), "'data' of faults_spoil (in, 1,024 bytes)"),
        (("piece", 1000, 5), "'part.bytes' of faults_spoil_piece (in, 1,000 bytes)"),
        (("text", 100, 5), "'text' of faults_spoil_text (in, 100 bytes)"),
    ],
)
@pytest.mark.parametrize("env", ["", SHARED])
def test_write_to_an_in_argument(
    faults: Faults, call: tuple[str | int, ...], parameter: str, env: str
) -> None:
    done = faults.call(*call, strict="--strict", env=env)

    assert (done.returncode, done.stdout) == (1, CRASHED), done.stderr
    assert "crashed: a write to an argument that is only sent (in)\n" in done.stderr
    assert f"\n  byte 5 of parameter {parameter}\n" in done.stderr
    assert f"\n  at write_byte (faults_imp.c:{faults.line('write')})\n  by faults_" in done.stderr


@pytest.mark.parametrize(
    ("option", "result"), [("--strict", 1), ("--strict", -1), ("--strict-front", -1)]
)
def test_write_to_an_in_argument_on_the_page_of_a_rout_argument(
    faults: Faults, option: str, result: int
) -> None:
    done = faults.call("spoil", 1024, 1023, result, strict=option, env=SHARED)

    assert (done.returncode, done.stdout) == (1, CRASHED), done.stderr
    assert (
        "crashed: the method has written to an argument that is only sent (in)\n"
        "  byte 1,023 of parameter 'data' of faults_spoil (in, 1,024 bytes)\n"
        f"  at faults_spoil (faults_imp.c:{faults.line('spoil')}), or in what it has called\n"
        "  in faults_spoil, method 11 of libfaults_skel.so\n"
    ) in done.stderr


def test_in_memory_of_fastrpc_mmap_is_read_only_unless_the_skel_gets_its_pointer(
    faults: Faults,
) -> None:
    by_argument = faults.call("mapped", 1024, 5, 1, strict="--strict", env=SHARED)
    assert by_argument.returncode == 1
    assert "\n  byte 5 of parameter 'data' of faults_spoil (in, 1,024 byt" in by_argument.stderr
    assert faults.call("mapped", 1024, 5, 0, strict="--strict", env=SHARED).stdout == "0x0 7\n"


def test_threads_may_send_the_same_data_and_write_beside_it(faults: Faults) -> None:
    done = faults.call("crowd", 1024, strict="--strict", env=SHARED)
    assert (done.returncode, done.stdout) == (0, "0x0 0\n"), done.stderr


def test_memory_of_a_buffer_beside_its_arguments_is_writable(faults: Faults) -> None:
    beside = faults.call("mapped", 1000, 1010, 1, strict="--strict", env=SHARED)
    assert beside.stdout == "0x0 7\n", beside.stderr


@pytest.mark.parametrize("env", ["", SHARED])
def test_inrout_and_neighbours_of_in_arguments_are_writable(faults: Faults, env: str) -> None:
    assert faults.call("turn", 1000, strict="--strict", env=env).stdout == "0x0 7\n"
    for result in (0, 1, -1):
        done = faults.call("spoil", 1000, -1, result, strict="--strict", env=env)
        assert done.stdout == "0x0 1\n"


@pytest.mark.parametrize(
    ("what", "option", "at", "distance"),
    [
        ("write", "--strict", 1024, "1 byte past the end of an rpcmem buffer of 1,024 bytes"),
        (
            "write",
            "--strict-front",
            -3,
            "3 bytes before the start of an rpcmem buffer of 1,024 bytes",
        ),
        ("freed", "--strict", 5, "byte 5 of a freed rpcmem buffer of 1,024 bytes"),
        ("copy", "--strict", 1025, "1 byte past the end of an rpcmem buffer of 1,024 bytes"),
    ],
)
def test_program_that_misses_a_buffer(
    faults: Faults, what: str, option: str, at: int, distance: str
) -> None:
    done = faults.call("program", what, 1024, at, strict=option, env=SHARED)

    source = "host/main.c"
    assert (done.returncode, done.stdout) == (139, "")
    assert "\nthe program crashed on the ARM64 side: bad memory access (SIGSEGV) at" in done.stderr
    allocated = f"  allocated by buffer (main.c:{faults.line('allocate', source)})\n"
    assert f"\n  {distance}\n{allocated}" in done.stderr
    if what != "copy":
        at_byte = f"  at write_byte (main.c:{faults.line('write', source)})\n  by fault (main.c:"
        assert f"{allocated}{at_byte}" in done.stderr
    else:  # in the C library
        assert f"\n  by fault (main.c:{faults.line('copy', source)})\n" in done.stderr
    assert "DSP process crashed" not in done.stderr


def test_crash_of_the_program_without_strict(faults: Faults) -> None:
    done = faults.call("program", "thread")

    place = f"write_byte (main.c:{faults.line('write', 'host/main.c')})"
    assert done.returncode == 139
    assert (
        "the program crashed on the ARM64 side: bad memory access (SIGSEGV) at address 0x0,"
        f" through a null pointer\n  at {place}\n  by write_null (main.c:"
    ) in done.stderr


@pytest.mark.parametrize(("what", "status"), [("handled", 11), ("raised", 139)])
def test_signal_that_is_no_crash_of_the_program(faults: Faults, what: str, status: int) -> None:
    done = faults.call("program", what, 1024, 1024, strict="--strict", env=SHARED)

    assert done.returncode == status
    assert "the program crashed" not in done.stderr


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
        "crashed: Vd.f8=vabs(Vu.f8): DSPs have no such instruction from v79 on, and give zeros or"
        " infinities: compute in .qf32 or .qf16, and convert the result"
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
    assert "Vd.f8=vabs(Vu.f8): DSPs have no such instruction from v79 on" in unsupported
    null = with_newer_qemu.call("crash", "null").stderr
    assert "at address 0x18, through a null pointer\n" in null
    assert f"\n  at write_null (faults_imp.c:{with_newer_qemu.line('null')})\n" in null


def test_strict_is_for_the_emulated_device(faults: Faults) -> None:
    done = faults.run("run", "board", "--strict")
    assert (done.returncode, done.stdout) == (125, "")
    assert "--strict is for sim only" in done.stderr


def test_qf_numbers_that_are_stored(faults: Faults) -> None:
    run = ("run", "sim", "--target", "newer", "--strict")
    done = faults.run(*run, "--", "bin/faults", "crash", "qf")

    assert (done.returncode, done.stdout) == (1, CRASHED), done.stderr
    report = (
        "\na qf number is stored: memory has 32 of the 36 bits of each word\n"
        f"  at add_up (faults_imp.c:{faults.line('qf')})\n"
        f"  written at add_up (faults_imp.c:{faults.line('qf')})\n"
    )
    assert done.stderr.count(report) == 1
    assert "the DSP process crashed: numbers in qf were lost or misread at " in done.stderr
    assert "  in faults_crash, method " in done.stderr
