"""`--debug` makes the DSP process wait for a debugger, which controls it, and ends with the run."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.device.debug.conftest import VERIFIED, Debuggee
from tests.device.debug.remote_protocol import RemoteProtocol

MAP, STATE, NEXT = 4, 12, 12  # offsets in r_debug and link_map of <link.h>
CONSISTENT, ADD = 0, 1


def symbol(file: Path, name: str) -> int:
    """The address of a symbol in an ELF file."""
    with file.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = table.get_symbol_by_name(name)
        assert symbols, name
        return int(symbols[0]["st_value"])


def skel_file(debuggee: Debuggee) -> Path:
    (found,) = debuggee.root.glob(".buildtool/debug/sim/dsp/v68/*_skel.so.debug")
    return found


def test_a_debugger_stops_when_the_skel_is_loaded_and_in_its_kernel(debuggee: Debuggee) -> None:
    with debuggee.waiting() as run:
        kernel = symbol(skel_file(debuggee), "my_project_dsp_scale_add")
        stub = RemoteProtocol(run.socket)
        loaded, modules = (symbol(run.shell(), f"_rtld_debug{end}") for end in ("_state", ""))
        assert stub.ask("?").startswith("T05")
        assert "hexagon-core.xml" in stub.describe()

        stub.run_to(loaded)
        assert (stub.word(modules + STATE), stub.word(modules + MAP)) == (ADD, 0)
        stub.run_to(loaded)
        assert stub.word(modules + STATE) == CONSISTENT
        entry = stub.word(modules + MAP)
        base, path = stub.word(entry), Path(stub.text(stub.word(entry + 4)))
        assert stub.word(entry + NEXT) == 0
        assert path.name == "libmy_project_dsp_skel.so"
        assert path.read_bytes() == (debuggee.release() / "dsp/v68" / path.name).read_bytes()

        stub.run_to(base + kernel)
        # Arguments: a 64-bit handle in r1:0, then int16_t factor, const int16_t *a, int a_len.
        factor, length = stub.register(2), stub.register(4)
        assert (factor, length) == (3, 1024)
        assert stub.ask("c") == "W00"
        stub.close()

        status, output = run.finish()
    assert status == 0
    assert VERIFIED in output


TRANSLATED = """    __asm__ volatile(".globl packet_with_float\\npacket_with_float:\\n"
                     "{ v0.qf32 = vadd(v0.sf,v0.sf) }" : : : "v0");
"""


@pytest.mark.long
def test_a_breakpoint_on_a_translated_packet(debuggee: Debuggee, tmp_path: Path) -> None:
    copy = Debuggee(tmp_path / "copy", variables=debuggee.variables)
    shutil.copytree(debuggee.root, copy.root, ignore=shutil.ignore_patterns(".buildtool"))
    kernel = copy.root / "dsp/src/my_project_dsp_imp.c"
    text = kernel.read_text()
    kernel.write_text(text.replace("    int i = 0;\n", f"    int i = 0;\n{TRANSLATED}", 1))
    with copy.waiting() as run:
        packet = symbol(skel_file(copy), "packet_with_float")
        stub = RemoteProtocol(run.socket)
        loaded, modules = (symbol(run.shell(), f"_rtld_debug{end}") for end in ("_state", ""))
        stub.run_to(loaded)
        stub.run_to(loaded)
        base = stub.word(stub.word(modules + MAP))
        stub.run_to(base + packet)
        assert stub.ask("c") == "W00"
        stub.close()

        status, output = run.finish()
    assert status == 0
    assert VERIFIED in output


@pytest.mark.long
def test_two_runs_at_once_wait_at_sockets_of_their_own(debuggee: Debuggee) -> None:
    with debuggee.waiting() as one, debuggee.waiting() as other:
        assert one.socket != other.socket
        for run in (other, one):
            stub = RemoteProtocol(run.socket)
            assert stub.ask("c") == "W00"
            stub.close()
            status, output = run.finish()
            assert status == 0
            assert VERIFIED in output


def test_a_run_goes_on_when_its_debugger_has_gone(debuggee: Debuggee) -> None:
    with debuggee.waiting() as run:
        RemoteProtocol(run.socket).close()
        status, output = run.finish()
    assert status == 0
    assert VERIFIED in output


def test_ctrl_c_ends_a_run_that_waits_for_a_debugger(debuggee: Debuggee) -> None:
    with debuggee.waiting() as run:
        run.process.send_signal(signal.SIGINT)
        assert run.finish()[0] == 130


def test_ctrl_c_ends_a_run_that_a_debugger_has_stopped(debuggee: Debuggee) -> None:
    with debuggee.waiting() as run:
        stub = RemoteProtocol(run.socket)
        assert stub.describe()
        stub.run_to(symbol(run.shell(), "_rtld_debug_state"))
        run.process.send_signal(signal.SIGINT)
        assert run.finish()[0] == 130
        stub.close()


def test_a_timeout_includes_the_time_in_the_debugger(debuggee: Debuggee) -> None:
    with debuggee.waiting("--timeout", "2s") as run:
        status, output = run.finish()
    assert status == 125
    assert "bin/my-project did not end in 2 s" in output


@pytest.mark.long
def test_the_timeout_of_a_named_run_is_not_for_debugging(debuggee: Debuggee) -> None:
    text = (debuggee.root / "buildtool.toml").read_text()
    debuggee.write(
        "buildtool.toml", f'{text}\n[run.quick]\nprogram = "bin/my-project"\ntimeout = "1s"\n'
    )
    try:
        with debuggee.waiting("quick") as run:
            time.sleep(1.5)
            stub = RemoteProtocol(run.socket)
            assert stub.ask("c") == "W00"
            stub.close()
            assert run.finish()[0] == 0
    finally:
        debuggee.write("buildtool.toml", text)
