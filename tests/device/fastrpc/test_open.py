"""The conditions for opening a skel, and the code of each refusal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .toolbox import Device, Toolbox

UNSIGNED = "unsigned_pd 3 1;"
BAD_PARAMETER = "e"


def test_open_call_close(device: Device) -> None:
    result = device.run(UNSIGNED + "open h probe; twice h 64 heap; close h; call h 3")
    assert result.lines == [
        "unsigned_pd 3 1 = 0",
        "open h probe = 0",
        "twice h 64 heap = 0 64 right",
        "close h = 0",
        "call h 3 = 2c",  # AEE_EINVHANDLE: the handle is closed
    ]
    assert result.err == ""
    assert result.status == 0


@pytest.mark.parametrize(
    "uri",
    [
        "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0",
        "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0&_dom=xdsp",
        "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0&_dom=cdsp&_session=99",
        "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0&_dom=cdsp&_session=1x",
        "file:///libprobe_skel.so&_dom=cdsp",
        "file:///?probe_skel_handle_invoke&_dom=cdsp",
        "file:///libprobe_skel.so?&_dom=cdsp",
        "/libprobe_skel.so&_dom=cdsp",
        "file:///" + "x" * 300 + "?f&_dom=cdsp",
        "?&_dom=cdsp",
    ],
)
def test_bad_uri(device: Device, uri: str) -> None:
    result = device.run(UNSIGNED + f"open_uri h {uri}")
    assert result[f"open_uri h {uri}"] == BAD_PARAMETER
    assert "is not the URI of a module" in result.err


def test_missing_domain_is_named(device: Device) -> None:
    uri = "file:///libprobe_skel.so?probe_skel_handle_invoke&_modver=1.0"
    assert "it must end with &_dom=cdsp" in device.run(f"open_uri h {uri}").err


def test_unsigned_must_be_asked_for(device: Device) -> None:
    result = device.run("open h probe; unsigned_pd 3 1; open h probe")
    assert result.lines[0] == "open h probe = 80000481"  # AEE_EUNSIGNEDMOD of the DSP side
    assert "signature verify start failed" in result.err
    assert result.lines[2] == "open h probe = 0"


def test_unsigned_is_too_late_once_a_process_runs(device: Device) -> None:
    script = "alloc b 4096; map b 2; unsigned_pd 3 1; unsigned_pd 3 0; end 3; unsigned_pd 3 1"
    result = device.run(script)
    assert result.lines[2:] == [
        "unsigned_pd 3 1 = 5",  # AEE_EALREADYLOADED
        "unsigned_pd 3 0 = 0",
        "end 3 = 0",
        "unsigned_pd 3 1 = 0",
    ]


def test_device_that_runs_no_unsigned_modules(
    make_device: Callable[..., Device], toolbox: Toolbox
) -> None:
    device = make_device(unsigned_pd="0")
    device.install(toolbox.skel("probe"))
    result = device.run(UNSIGNED + "info 3 1; open h probe")
    assert result["info 3 1"] == "0 0"
    assert result["open h probe"] == "14"
    assert "runs no unsigned modules" in result.err


def test_dsp_that_the_device_lacks(device: Device) -> None:
    result = device.run("unsigned_pd -1 1; open h probe &_dom=adsp; info 0 0; info 3 0")
    assert result["open h probe &_dom=adsp"] == "72"  # AEE_ECONNREFUSED
    assert result["info 0 0"] == "0 0"
    assert result["info 3 0"] == "0 1"


@pytest.mark.parametrize(("name", "number"), [("cdsp1", 4), ("gdsp0", 5), ("gdsp1", 6)])
def test_another_dsp(
    make_device: Callable[..., Device], toolbox: Toolbox, name: str, number: int
) -> None:
    device = make_device(domains=f"cdsp,{name}")
    device.install(toolbox.skel("probe"), directory=f"usr/lib/rfsa/adsp/{name}")
    opened = f"open h probe &_dom={name}"
    result = device.run(f"unsigned_pd -1 1; {opened}; domain_of h; call h 3; open g probe")
    assert result[opened] == "0"
    assert result["domain_of h"] == f"0 {number}"
    assert result["call h 3"] == "0"
    assert result["open g probe"] == "80000406"  # it is in the directory of the other one


def test_adsp_runs_signed_modules_only(
    make_device: Callable[..., Device], toolbox: Toolbox
) -> None:
    opened = "open h probe &_dom=adsp"
    for testsig, code in ("0", "80000481"), ("1", "0"):
        device = make_device(f"testsig-{testsig}", domains="cdsp,adsp", testsig=testsig)
        device.install(toolbox.skel("probe"))
        result = device.run(f"info 0 1; {opened}; unsigned_pd 0 1")
        assert (result["info 0 1"], result[opened]) == ("0 0", code)
        assert ("put a test signature on the device" in result.err) == (testsig == "0")
    refused = device.run(f"unsigned_pd 0 1; {opened}")
    assert refused[opened] == "14"
    assert "runs no unsigned modules on adsp" in refused.err


def test_each_dsp_has_its_arch(make_device: Callable[..., Device], toolbox: Toolbox) -> None:
    device = make_device(arch="73", domains="adsp:66,cdsp,cdsp1:75", vtcm_bytes="4096")
    result = device.run("info 0 6; info 3 6; info 4 6; info 0 4; info 4 4; info 5 0; info 5 6")
    values = [line.split(" = ")[1] for line in result.lines]
    assert values == ["0 8d66", "0 8d73", "0 8d75", "0 0", "0 1000", "0 0", "72 0"]
    device.install(toolbox.skel("of_v75", arch="v75"))
    result = device.run("unsigned_pd -1 1; open h of_v75; open g of_v75 &_dom=cdsp1; call g 3")
    assert result["open h of_v75"] == "80000406"
    assert "is built for v75 and this device is v73" in result.err
    assert result["call g 3"] == "0"


def test_two_dsps_at_once(make_device: Callable[..., Device], toolbox: Toolbox) -> None:
    """Each session has a process of its own, and one ends without the other."""
    device = make_device(domains="cdsp,cdsp1")
    device.install(toolbox.skel("probe"))
    result = device.run(
        "unsigned_pd -1 1; open h probe; open g probe &_dom=cdsp1; number h 9; number g 9;"
        "domain_of h; domain_of g; end 3; call h 3; call g 3"
    )
    assert result["number h 9"] == result["number g 9"] == "0 1 1"
    assert (result["domain_of h"], result["domain_of g"]) == ("0 3", "0 4")
    assert result["call h 3"] != "0"
    assert result["call g 3"] == "0"


def test_newer_arch_is_refused(device: Device, toolbox: Toolbox) -> None:
    device.install(toolbox.skel("newer", arch="v73"))
    result = device.run(UNSIGNED + "open h newer")
    assert result["open h newer"] == "80000406"
    assert "libnewer_skel.so is built for v73 and this device is v68" in result.err


@pytest.mark.parametrize("arch", ["v68", "v73", "v81"])
def test_arch_of_the_device_runs(
    make_device: Callable[..., Device], toolbox: Toolbox, arch: str
) -> None:
    device = make_device(arch=arch[1:])
    device.install(toolbox.skel(f"of{arch}", arch=arch))
    result = device.run(UNSIGNED + f"open h of{arch}; twice h 100 heap; info 3 6")
    assert result["twice h 100 heap"] == "0 100 right"
    assert result["info 3 6"] == f"0 8d{arch[1:]}"


def test_undefined_symbols_are_named(device: Device, toolbox: Toolbox) -> None:
    device.install(toolbox.skel("undefined", "-DNEEDS_UNKNOWN"))
    result = device.run(UNSIGNED + "open h undefined")
    assert result["open h undefined"] == "80000406"
    assert (
        "needs 3 names that this DSP shell does not have: "
        "malloc, no_such_interface, no_such_interface_either" in result.err
    )


def test_weak_undefined_symbol_is_null(device: Device, toolbox: Toolbox) -> None:
    device.install(toolbox.skel("weak", "-DWEAK_UNKNOWN"))
    assert device.run(UNSIGNED + "open h weak; number h 21")["number h 21"].startswith("37 ")


def test_missing_entry(device: Device, toolbox: Toolbox) -> None:
    device.install(toolbox.skel("noentry", "-DENTRY=other_skel_handle_invoke"))
    result = device.run(UNSIGNED + "open h noentry")
    assert result["open h noentry"] == "80000442"  # AEE_ENOSUCHSYMBOL
    assert "libnoentry_skel.so does not export probe_skel_handle_invoke" in result.err


def test_thread_local_variables_of_programs_are_refused(device: Device, toolbox: Toolbox) -> None:
    device.install(toolbox.skel("tls", "-DTLS", "-ftls-model=initial-exec", "-Wl,-z,undefs"))
    result = device.run(UNSIGNED + "open h tls")
    assert result["open h tls"] == "80000406"
    assert "thread-local variables of the initial-exec model" in result.err


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "fewer than an ELF header"),
        (b"not an ELF file, but long enough for one: " + b"x" * 100, "is not an ELF file"),
    ],
)
def test_corrupt_file(device: Device, content: bytes, reason: str) -> None:
    (device.root / "usr/lib/dsp/libbad_skel.so").write_bytes(content)
    result = device.run(UNSIGNED + "open h bad")
    assert result["open h bad"] == "80000452"  # AEE_EBADELF
    assert reason in result.err


def test_library_of_the_arm_side(device: Device, toolbox: Toolbox) -> None:
    (device.root / "usr/lib/dsp/libarm_skel.so").write_bytes(toolbox.library().read_bytes())
    result = device.run(UNSIGNED + "open h arm")
    assert result["open h arm"] == "80000452"
    assert "built for the ARM side?" in result.err


def test_plain_interface(device: Device) -> None:
    """remote_handle: no domain, no open and close methods, an entry without a handle."""
    result = device.run(UNSIGNED + "open32 p probe; call32 p 3; call32 p 30; close32 p; call32 p 3")
    assert result["open32 p probe"] == "0"
    assert result["call32 p 30"] == "80000414"
    assert result["close32 p"] == "0"
    assert result.lines[-1] == "call32 p 3 = 8000043e"  # AEE_ENOSUCHMOD of the DSP side
    assert "the answer is 42" in result.err


def test_modver_decides_the_entry(device: Device) -> None:
    """Without _modver=1.0 the symbol is called as a plain entry."""
    uri = "file:///libprobe_skel.so?probe_skel_invoke&_dom=cdsp"
    result = device.run(UNSIGNED + f"open_uri p {uri}; call p 3")
    assert result["call p 3"] == "0"
    assert "the answer is 42" in result.err


def test_several_handles_of_one_skel_share_it(device: Device) -> None:
    result = device.run(UNSIGNED + "open a probe; open b probe; number b 9; close a; number b 9")
    assert result.lines[3] == "number b 9 = 0 2 1"  # opened twice, constructors ran once
    assert result.lines[5] == "number b 9 = 0 1 1"


def test_session_ends_with_its_last_handle(device: Device) -> None:
    """Its mappings end too, as on a device."""
    script = "open h probe; alloc b 4096; fill b 1; map b 2; byfd h b 1; close h; open h probe;"
    result = device.run(UNSIGNED + script + "byfd h b 0; byfd h b 1; opens probe 5")
    assert result.lines[5] == "byfd h b 1 = 0 16"
    assert result.lines[-2] == "byfd h b 1 = 80000600 0"
    assert result["opens probe 5"] == "0"
