"""The device's own description: configuration, capabilities, exports."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from .toolbox import ROOT, Device, Toolbox

OPEN = "unsigned_pd 3 1; open h probe"
REFUSED = "72"  # AEE_ECONNREFUSED


def test_capabilities(make_device: Callable[..., Device]) -> None:
    """Domain, unsigned, HVX of 64 and 128 bytes, VTCM page and count, arch, HMX."""
    device = make_device(vtcm_bytes=str(8 << 20), arch="73", hvx_units="6")
    result = device.run(";".join(f"info 3 {attribute}" for attribute in range(12)))
    values = [line.split(" = ")[1] for line in result.lines]
    assert values == [f"0 {v:x}" for v in (1, 1, 0, 6, 8 << 20, 1, 0x8D73, 0, 0, 1, 1, 0)]


def test_capabilities_that_do_not_exist(device: Device) -> None:
    result = device.run("info 3 256; info 99 0")
    assert [line.split(" = ")[1] for line in result.lines] == ["e 0", "e 0"]


def test_list_of_dsps(device: Device) -> None:
    assert device.run("domains")["domains"] == "0 1 3 cdsp 1 0"


def test_control_of_handles(device: Device) -> None:
    result = device.run(OPEN + "; control h 1; control h 77; domain_of h; type 3")
    assert result["control h 1"] == "0"
    assert result["control h 77"] == "14"
    assert result["domain_of h"] == "0 3"
    assert result["type 3"] == "0 1"


def test_no_configuration(device: Device) -> None:
    (device.root / "etc/buildtool-sim.conf").unlink()
    result = device.run(OPEN + "; info 3 0")
    assert result["open h probe"] == REFUSED
    assert result["info 3 0"].startswith(REFUSED)
    assert "/etc/buildtool-sim.conf: No such file" in result.err


def test_configuration_elsewhere(device: Device, tmp_path: Path) -> None:
    conf = tmp_path / "other.conf"
    conf.write_text((device.root / "etc/buildtool-sim.conf").read_text().replace("=68", "=75"))
    assert device.run("info 3 6", BUILDTOOL_SIM_CONF=str(conf))["info 3 6"] == "0 8d75"


@pytest.mark.parametrize("size", [108, 7000])
def test_a_command_line_that_is_too_long_starts_nothing(device: Device, size: int) -> None:
    result = device.run(OPEN, BUILDTOOL_SIM_DEBUG="/".ljust(size, "x"))
    assert result.status == 0
    assert result["open h probe"] == REFUSED
    assert "its command line has more than 6144 bytes" in result.err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"arch": "sixty"}, "arch cannot be 'sixty'"),
        ({"arch": None}, "has no line arch="),
        ({"shell": None}, "has no line shell="),
        ({"unsigned_pd": "yes"}, "unsigned_pd cannot be 'yes'"),
        ({"vtcm_bytes": "-1"}, "vtcm_bytes cannot be '-1'"),
        ({"domains": "cdsp,npu"}, "domains cannot be 'cdsp,npu'"),
        ({"domains": "cdsp:"}, "domains cannot be 'cdsp:'"),
        ({"domains": "cdsp:0,adsp"}, "domains cannot be 'cdsp:0,adsp'"),
        ({"soc": "x" * 100}, "soc cannot be"),
        ({"qemu": "/nowhere/qemu-hexagon"}, "cannot start /nowhere/qemu-hexagon"),
        ({"shell": "/nowhere/shell"}, "the shell in the device's configuration does not exist"),
        ({"qemu_cpu": "v99"}, "unable to find CPU model 'v99'"),
    ],
)
def test_wrong_configuration(
    make_device: Callable[..., Device],
    toolbox: Toolbox,
    changes: dict[str, str | None],
    message: str,
) -> None:
    device = make_device(**changes)
    device.install(toolbox.skel("probe"))
    result = device.run(OPEN + "; open h probe")
    assert result.lines[-1] == f"open h probe = {REFUSED}"
    assert message in result.err
    assert "libcdsprpc: " in result.err


def test_invalid_line(device: Device) -> None:
    conf = device.root / "etc/buildtool-sim.conf"
    conf.write_text("# a comment\n\nsoc QCS6490\n")
    result = device.run(OPEN)
    assert result["open h probe"] == REFUSED
    assert "line 3: 'soc QCS6490' is not key=value" in result.err


def test_unknown_keys_are_passed_over(make_device: Callable[..., Device]) -> None:
    assert make_device(of_a_newer_version="1").run("info 3 0")["info 3 0"] == "0 1"


def test_directory_with_a_space(make_device: Callable[..., Device], toolbox: Toolbox) -> None:
    device = make_device("a device")
    shell = device.root / "the shell"
    shutil.copy(toolbox.shell(), shell)
    conf = (device.root / "etc/buildtool-sim.conf").read_text()
    (device.root / "etc/buildtool-sim.conf").write_text(f"{conf}shell={shell}\n")
    device.install(toolbox.skel("probe"), directory="its skels")
    result = device.run(OPEN, ADSP_LIBRARY_PATH="its skels")
    assert result["open h probe"] == "0"


def test_exports_and_soname(toolbox: Toolbox) -> None:
    """It exports the same as a device's library, and otherwise only more functions of queues."""
    names = (ROOT / "cmake/cdsprpc_exports.txt").read_text().splitlines()
    expected = {name.split()[0] for name in names if name and not name.startswith("#")}
    with toolbox.library().open("rb") as file:
        elf = ELFFile(file)
        dynamic = elf.get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        sonames = [getattr(tag, "soname", None) for tag in dynamic.iter_tags("DT_SONAME")]
        table = elf.get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        defined = {
            symbol.name
            for symbol in table.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
        }
    assert sonames == ["libcdsprpc.so.1"]
    queues = {name for name in defined if name.startswith("dspqueue_")}
    assert defined - {"HAP_debug"} - queues == expected - queues
    assert expected <= defined
