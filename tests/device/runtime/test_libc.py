"""The C library and the compiler's helpers in the emulated shell, and the names it exports."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import ziglang  # type: ignore[import-untyped]

from buildtool.toolchains.system_libraries import known_shells
from tests.device.fastrpc.toolbox import Device, Toolbox

from .test_threads import case

EVERYWHERE = {name for name, has in known_shells().names.items() if set(has) == {"y"}}


@pytest.mark.parametrize("words", ["text", "numbers 7", "saved_registers", "helpers"])
def test_libraries(device: Device, words: str) -> None:
    code, _, log = case(device, "libc", words)
    assert code == 0, log
    assert log == ""


def test_a_kernel_sorts_and_prints_to_the_log(device: Device) -> None:
    code, out, log = case(device, "libc", "sort_and_print 30 -4 7 1")
    assert (code, out[:4]) == (0, [-4, 1, 7, 30]), log
    assert log == (
        "[dsp] HIGH: sorted -4 1 7 30 of 1099511627776, 2.50\n[dsp] HIGH: and a second line\n"
    )


def test_a_line_of_the_log_is_a_line_that_was_printed(device: Device) -> None:
    code, _, log = case(device, "libc", "print_pieces")
    assert code == 0, log
    lines = log.splitlines()
    assert lines[:3] == ["[dsp] HIGH: one line, ended by puts", "[dsp] HIGH: ", "[dsp] HIGH: 42!"]
    assert "".join(line.removeprefix("[dsp] HIGH: ") for line in lines[3:-1]).startswith("x" * 1000)
    assert lines[-1] == "[dsp] HIGH: no newline at the end of the call"


def test_longjmp_returns_to_setjmp(device: Device) -> None:
    code, out, log = case(device, "libc", "jumps 5")
    assert (code, out[0]) == (0, 5), log


@pytest.fixture(scope="module")
def offered(toolbox: Toolbox) -> list[str]:
    """The names that the emulated shell exports, as printed by the shell."""
    qemu = shutil.which("qemu-hexagon")
    assert qemu
    command = [qemu, "-cpu", "v67", str(toolbox.shell()), "--symbols"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [name for table, name in rows if table != "unimplemented"]


def test_each_name_is_offered_once_and_on_a_known_shell(offered: list[str]) -> None:
    assert len(offered) == len(set(offered)) > 600
    # That of bt_trace.h is weak: skels do without it.
    assert set(offered) - known_shells().names.keys() == {"bt_trace_event"}


@pytest.mark.long
def test_what_compilers_call_is_offered(offered: list[str]) -> None:
    """The names that the open compiler contains, and those of older compilers of the SDK."""
    compiler = Path(ziglang.__file__).parent / "zig"
    names = re.findall(rb"\0(__(?:hexagon|save|restore)_[a-z]\w+)(?=\0)", compiler.read_bytes())
    called = {name.decode() for name in names} & EVERYWHERE
    older = {name for name in EVERYWHERE if name.startswith(("__save_r24", "__restore_r24"))}
    older |= {name.replace("__hexagon", "__qdsp") for name in called} & EVERYWHERE
    assert {"__save_r16_through_r27", "__hexagon_udivdi3", "__hexagon_fast2_sqrtf"} <= called
    assert {"__restore_r24_through_r25_and_deallocframe", "__qdsp_divdf3"} <= older
    assert called | older <= set(offered)
