"""Host libraries and skels with traits of those that the SDK builds, on two SoCs."""

from __future__ import annotations

import dataclasses
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from tests.device.runtime.conftest import QURT, WRAP, build_skel, client_of, install
from tests.device.runtime.cxx import CASES, abi_stand_in, library_stand_in, thrower
from tests.device.runtime.cxx import skel as cxx_skel
from tests.device.runtime.test_modules import companion

from .dsp_processes import wait_for_endless_calls
from .toolbox import (
    ARM,
    HEADERS,
    SKEL_HEADERS,
    START_FILE,
    Device,
    Toolbox,
    zig_program,
)

SOURCES = Path(__file__).parent / "sdk_style"
CYCLES = 25
SOCS = {
    "QCS6490": {},
    "SM8550": {"soc": "SM8550", "arch": "73", "vtcm_bytes": str(8 << 20)},
}
HASHES = {"68": "sysv", "73": "both"}  # the styles of hash tables, by arch
# What DT_FINI logs, after DT_FINI_ARRAY in reverse order.
UNLOADED = re.compile(r"\[dsp\] HIGH skel\.c:\d+: order 12345\n")
NOT_MAPPED = 0x80000600 - (1 << 32)
NO_SUCH_MAPPING = 0x80000448 - (1 << 32)
UNSUPPORTED_API = -3  # HAP_POWER_ERR_UNSUPPORTED_API


def sdk_skel(toolbox: Toolbox, arch: str) -> Path:
    """A skel of skel.c, linked as the SDK's linker does, with two segments."""
    folder = toolbox.base / "sdk_style" / arch
    compiled = toolbox._once(
        folder / "skel.o",
        [
            *("-target", "hexagon-linux-musl", f"-mcpu=hexagonv{arch}", *QURT),
            *("-O2", "-fPIC", "-G0", "-funwind-tables", "-fno-builtin", *HEADERS, *SKEL_HEADERS),
            "-c",
            SOURCES / "skel.c",
        ],
    )
    return toolbox._once(
        folder / "libsdkstyle_skel.so",
        [
            *("ld.lld", "-shared", "--no-rosegment", "-z", "norelro", "-z", "nognustack"),
            *("-z", "max-page-size=4096", "-z", "notext", "-Bsymbolic", "--no-as-needed"),
            *(f"--hash-style={HASHES[arch]}", "-soname", "libsdkstyle_skel.so"),
            *(flag.removeprefix("-Wl,") for flag in WRAP),
            compiled,
            *(toolbox.library_for_skels(name, "empty.c") for name in ("libc.so", "libgcc.so")),
        ],
        compiler=zig_program(),
    )


@pytest.fixture
def sdk_device(make_device: Callable[..., Device], toolbox: Toolbox) -> Callable[[str], Device]:
    """A function that lays out a device with a SoC, which runs the SDK-style program."""
    base = toolbox.base / "sdk_style"
    closer = toolbox._once(
        base / "closer" / "libsdkcloser.so",
        [
            *(*ARM, *HEADERS, "-std=c++17", "-nostdlib++", "-fno-exceptions", "-fno-rtti"),
            *("-shared", "-fPIC", SOURCES / "closer.cpp", *START_FILE, toolbox.library()),
            "-Wl,-soname,libsdkcloser.so",
        ],
    )
    library = toolbox._once(
        base / "libsdkstyle.so",
        [
            *(*ARM, *HEADERS, "-shared", "-fPIC"),
            *("-Wl,-rpath,$ORIGIN/closer", "-Wl,--enable-new-dtags"),
            *(SOURCES / "library.c", closer, toolbox.library()),
        ],
    )
    program = toolbox._once(base / "program", [*ARM, SOURCES / "program.c"])

    def make(soc: str) -> Device:
        device = make_device(**SOCS[soc])
        device.install(library, directory="lib")
        device.install(closer, directory="lib/closer")
        shutil.copy(library, device.root / "lib" / "libsdkother.so")
        device.install(sdk_skel(toolbox, SOCS[soc].get("arch", "68")))
        return dataclasses.replace(device, client=program)

    return make


@pytest.mark.parametrize("arch", list(HASHES))
def test_the_skel_has_the_layout_of_those_that_the_sdk_links(toolbox: Toolbox, arch: str) -> None:
    with sdk_skel(toolbox, arch).open("rb") as file:
        elf = ELFFile(file)
        assert elf.header["e_flags"] & 0x3FF == int(arch, 16)
        loads = [segment for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD"]
        assert [(segment["p_flags"], segment["p_align"]) for segment in loads] == [
            *((5, 0x1000), (6, 0x1000)),
        ]
        dynamic = elf.get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        tags = [tag.entry.d_tag for tag in dynamic.iter_tags()]
        needed = [getattr(tag, "needed", None) for tag in dynamic.iter_tags("DT_NEEDED")]
        assert elf.get_section_by_name(".eh_frame") is not None
    assert needed == ["libc.so", "libgcc.so"]
    for tag in ("HASH", "INIT", "FINI", "INIT_ARRAY", "FINI_ARRAY", "SONAME", "TEXTREL"):
        assert f"DT_{tag}" in tags
    assert ("DT_GNU_HASH" in tags) == (HASHES[arch] == "both")
    assert not [tag for tag in tags if "VER" in str(tag)]


def numbers(line: str) -> list[int]:
    return [int(word) for word in re.findall(r"-?\d+", line.split(":", 1)[1])]


@pytest.mark.parametrize("soc", list(SOCS))
def test_traits(sdk_device: Callable[[str], Device], soc: str) -> None:
    result = sdk_device(soc).run("once 6")
    assert result.lines[-1] == "code = 0", result.err
    init, counters, mappings, stack, hmx, host = result.lines[:6]
    assert numbers(init)[:2] == [123, 7]  # DT_INIT, then DT_INIT_ARRAY in order; the heap
    assert numbers(counters)[:2] == [1, 1]
    assert numbers(mappings)[:10] == [
        *(NOT_MAPPED, 0, 0, 1, 30),
        *(0, NO_SUCH_MAPPING, 0, NOT_MAPPED, NOT_MAPPED),
    ]
    entry, deeper = numbers(stack)[:2]
    assert 15000 < entry <= 16384
    assert 8000 <= entry - deeper < 8600
    assert numbers(hmx)[0] == UNSUPPORTED_API
    assert host == "buffer = 31, HMX = 0, ups = 1, closer = 42"
    assert UNLOADED.search(result.err), result.err


@pytest.mark.parametrize(
    "keep", ["", pytest.param(" -", marks=pytest.mark.long)], ids=["unloaded too", "kept"]
)
def test_library_with_a_notifier_is_loaded_and_unloaded(
    sdk_device: Callable[[str], Device], keep: str
) -> None:
    """Nothing of the library is left, and nothing of libcdsprpc, if it is unloaded with it."""
    result = sdk_device("SM8550").run(f"cycles {CYCLES}{keep}")
    assert result.status == 0, result.err
    assert result.out.count("method 2 = 0: 123") == CYCLES
    early, late, loaded = (line for line in result.lines if not line.startswith("method"))
    assert numbers(late)[:2] == numbers(early)[:2], (early, late)  # files, threads
    assert abs(numbers(late)[2] - numbers(early)[2]) < 10, (early, late)  # mappings
    assert loaded == f"loaded = {bool(keep):d}, forked = 7"
    assert len(UNLOADED.findall(result.err)) == CYCLES
    assert UNLOADED.sub("", result.err) == ""


@pytest.mark.parametrize(
    "way",
    [
        "left 5",
        pytest.param("closed 5", marks=pytest.mark.long),
        pytest.param("closed 5 -", marks=pytest.mark.long),
    ],
)
def test_library_is_unloaded_while_its_session_is_open(
    sdk_device: Callable[[str], Device], way: str
) -> None:
    """A static object of the library closes the session, or libcdsprpc's end does."""
    result = sdk_device("QCS6490").run(way)
    assert result.status == 0, result.err
    assert result.out.count("method 2 = 0: 123 7 ") == 5
    early, late, loaded = (line for line in result.lines if not line.startswith("method"))
    assert numbers(late)[:2] == numbers(early)[:2], (early, late)  # files, threads
    assert loaded == f"loaded = {way.endswith('-'):d}, forked = 7"
    if way.startswith("closed"):
        assert len(UNLOADED.findall(result.err)) == 5


@pytest.mark.long
@pytest.mark.parametrize("soc", list(SOCS))
def test_threads_load_and_unload_the_library(sdk_device: Callable[[str], Device], soc: str) -> None:
    result = sdk_device(soc).run("threads 4")
    assert result.status == 0, result.err
    assert result.out.count("method 2 = 0: 123 7 ") == 16, result.err
    assert result.lines.count("wrong = 0") == 4
    assert UNLOADED.sub("", result.err) == ""


@pytest.mark.parametrize("soc", list(SOCS))
def test_cxx_and_thread_local_variables_with_stand_ins_for_the_devices_libcxx(
    make_device: Callable[..., Device], toolbox: Toolbox, soc: str
) -> None:
    """The device has libc++.so.1 and libc++abi.so.1 in another directory than the skels."""
    device = dataclasses.replace(make_device(**SOCS[soc]), client=client_of(toolbox))
    device.install(library_stand_in(toolbox), abi_stand_in(toolbox), directory="usr/lib/dsp")
    device.install(cxx_skel(toolbox), thrower(toolbox), companion(toolbox))
    needy = (*QURT, "-DNEEDS_COMPANION", str(companion(toolbox)))
    install(device, build_skel(toolbox, "modules_needy", *needy, source="modules"), "modules")
    steps = [f"case cxx {case}" for case in CASES]
    script = "; ".join(["open cxx", "open modules", *steps, "case modules thread_local 1"])
    result = device.run(f"{script}; close cxx; close modules")
    assert result.status == 0, result.err
    assert [result[step] for step in steps] == ["0 0 0 0 0"] * len(CASES), result.err
    assert result["case modules thread_local 1"] == "0 20 101 41 0"
    assert result["close cxx"] == result["close modules"] == "0"


def test_notifier_of_an_unloaded_library_is_not_called(
    sdk_device: Callable[[str], Device],
) -> None:
    result = sdk_device("QCS6490").run("stale")
    assert result.status == 0, result.err
    assert result.lines[-1] == "code = 0"
    assert result.err.count("libsdkstyle.so registered a notifier and was unloaded") == 1


@pytest.mark.long
def test_endless_call_is_named(sdk_device: Callable[[str], Device]) -> None:
    """A line names it after 10 s, and another at the end of the client if it has not been named."""
    device = sdk_device("QCS6490")
    late, early = device.start("once 7"), device.start("once 8")
    wait_for_endless_calls(early.pid, 1)
    early.send_signal(signal.SIGINT)
    assert_named_once(early, "", "the client has ended; method 8")
    assert late.stderr is not None
    named = late.stderr.readline()
    late.send_signal(signal.SIGINT)
    assert_named_once(late, named, "method 7")


def assert_named_once(client: subprocess.Popen[str], so_far: str, begin: str) -> None:
    out, err = client.communicate(timeout=20)
    assert out == "", "the report has changed registers of the call"
    line = rf"HIGH: {begin} of libsdkstyle_skel\.so has been running for \d+ s, code at "
    assert len(re.findall(rf"{line}libsdkstyle_skel\.so\+0x[0-9a-f]+\n", so_far + err)) == 1, err
    assert err.count("has been running") + so_far.count("has been running") == 1


def test_both_names_are_one_library(sdk_device: Callable[[str], Device]) -> None:
    assert sdk_device("QCS6490").run("names").out == "one library\n"
