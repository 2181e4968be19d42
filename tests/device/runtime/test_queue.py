"""dspqueue: packets in order in both directions, buffers, callbacks, waits and failures."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import COMMON, HEADERS, Device, Result, zig

FD, DELAYED = 2, 3
REF, DEREF = 4, 8
WOULD_BLOCK, EXPIRED, NO_SUCH_MAP, BUSY_ON_DSP, RESET = "204", "c", "48", "200", "68"


def run(device: Device, script: str) -> Result:
    result = device.run(f"open queue; {script}")
    assert result.status == 0, result.err
    return result


def test_packets_go_both_ways(device: Device) -> None:
    result = run(
        device,
        "queue q 0 0; case queue import @q 1; write q abc 0; read q 60000000; write q xyz 0;"
        "read q 60000000; read q 1000; case queue close_queue; shut q; close queue",
    )
    assert result["case queue import @q 1"].split()[:2] == ["0", "1"], result.err
    reads = [line.split(" = ")[1] for line in result.lines if line.startswith("read q 60000000")]
    assert reads == ["0 'bcd' flags 11", "0 'yz{' flags 11"]
    assert result["read q 1000"] == EXPIRED
    assert result["case queue close_queue"].split()[:3] == ["0", "2", "0"]
    assert result["shut q"] == "0"


def test_buffers_are_shared(device: Device) -> None:
    result = run(
        device,
        f"alloc b 8192; poke b 5; map b {FD}; queue q 0 0; case queue import @q 1;"
        f"write q go 0 @b {REF}; read q 60000000; peek b; write q again 0 @b {DEREF};"
        "read q 60000000; case queue close_queue",
    )
    assert result["read q 60000000"] == "0 'bhbjo' flags 13 buffer of 8192 ours", result.err
    assert result["peek b"] == "0 1005"
    assert result["case queue close_queue"].split()[:3] == ["0", "2", "0"]


def test_buffer_that_is_not_mapped_on_the_dsp_has_no_address(device: Device) -> None:
    result = run(
        device,
        f"alloc b 8192; map b {DELAYED}; queue q 0 0; case queue import @q 1;"
        "write q go 0 @b 0; read q 200000",
    )
    assert result["write q go 0 @b 0"] == "0"
    assert "buffer 0 has no address" in result.err


def test_unmapped_buffer_is_refused_on_both_sides(device: Device) -> None:
    result = run(
        device,
        "alloc b 8192; queue q 0 0; case queue import @q 0; write q go 0 @b 0;"
        "case queue write_unmapped @b",
    )
    assert result["write q go 0 @b 0"] == NO_SUCH_MAP
    assert int(result["case queue write_unmapped @b"].split()[1]) & 0xFFFFFFFF == 0x80000448
    assert "has not mapped with fastrpc_mmap" in result.err


def test_many_packets_to_a_callback_stay_in_order(device: Device) -> None:
    result = run(
        device,
        "queue q 1024 256 callback; case queue import @q 0; case queue write_many 500 60000000;"
        "tally q 500; case queue close_queue; shut q",
    )
    assert result["case queue write_many 500 60000000"].split()[:3] == ["0", "500", "0"], result.err
    assert result["tally q 500"] == "0 500 packets 2000 bytes 500 in order"


def test_burst_through_a_small_queue_is_answered(device: Device) -> None:
    """More packets than fit: in both directions the writer waits for the reader."""
    result = run(
        device,
        "queue q 256 256 callback; case queue import @q 1; burst q 300; tally q 300;"
        "case queue close_queue; shut q",
    )
    assert result["burst q 300"] == "0", result.err
    assert result["tally q 300"].startswith("0 300 packets 1200 bytes")
    assert result["case queue close_queue"].split()[:3] == ["0", "300", "0"]


def test_full_queue_blocks_or_refuses(device: Device) -> None:
    result = run(
        device,
        "queue q 0 64; case queue import @q 0; case queue write_many 10; stat q 1;"
        "case queue write_many 10 20000",
    )
    code, written, last = result["case queue write_many 10"].split()[:3]
    assert (code, last) == ("0", str(0x204))
    assert 1 <= int(written) < 10
    assert result["stat q 1"] == f"0 {written}"
    assert int(result["case queue write_many 10 20000"].split()[2]) & 0xFFFFFFFF == 0x8000040C


def test_dsp_reads_by_waiting(device: Device) -> None:
    result = run(
        device,
        "queue q 0 0; case queue import @q 0; case queue read_one 1000; wakeup q; write q hello 0;"
        "case queue read_one 60000000",
    )
    assert result["case queue read_one 1000"].split()[0] == "8000040c"  # AEE_EEXPIRED
    assert result["case queue read_one 60000000"].split()[:5] == ["0", "5", "104", "0", "17"]


def test_closing_order_and_unknown_ids(device: Device) -> None:
    result = run(
        device,
        "queue q 0 0; case queue import 4711 0; case queue import @q 0; shut q;"
        "case queue close_queue; shut q",
    )
    assert result["case queue import 4711 0"].split()[0] == "8000040e"  # AEE_EBADPARM
    first, last = [line.split(" = ")[1] for line in result.lines if line.startswith("shut q")]
    assert (first, last) == (BUSY_ON_DSP, "0")
    assert "the DSP has not closed its end" in result.err


def test_queue_reports_a_crash_of_the_dsp(device: Device) -> None:
    result = run(device, "queue q 0 0 callback; case queue crash; tally q 1; write q a 0; shut q")
    assert result["case queue crash"].split()[0] == "8000040d"
    assert result["tally q 1"].split()[0] == RESET
    assert result["write q a 0"] == RESET
    assert result["shut q"] == "0"


@pytest.mark.parametrize("sizes", ["99999999 0", "0 99999999"])
def test_sizes_have_limits(device: Device, sizes: str) -> None:
    assert run(device, f"queue q {sizes}")[f"queue q {sizes}"] == "e"


def test_a_packet_is_found_by_a_thread_that_looks_while_it_is_written(tmp_path: Path) -> None:
    program, source = tmp_path / "queue_order", Path(__file__).with_name("queue_order.c")
    ends = (COMMON / "queue_end.c", COMMON / "queue_io.c")
    zig("-O1", "-pthread", *HEADERS, f"-I{COMMON}", source, *ends, "-o", program)
    done = subprocess.run((program,), capture_output=True, text=True, check=True)
    assert done.stdout == "3 of 3 packets were read\n"
