"""The first finding after a failed run on boards over ssh and adb, each with one fault.

The devices behind the real servers are stand-ins: trees laid out as the root directory of a board.
The program is a script that prints what libcdsprpc and programs print then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from buildtool.core.value import Value
from tests.integration.devices.board_tree import SHELL, write
from tests.integration.devices.test_board_faults import AVC, CDSP, OTHER_SHELL, board
from tests.integration.idl.idl_rig import zig_cc
from tests.integration.unprivileged import unprivileged
from tests.project import Project
from tests.remote.adbd import AdbServer
from tests.remote.device_root import DeviceRoot
from tests.remote.sshd import SshServer
from tests.unit.diagnose.device_crashes import NEW, crash_lines

FILE = """
[project]
name = "demo"
version = "1.0"
default-target = "device"

[host.demo]
source = "host"

[skel.demo_dsp]
source = "dsp"

[target.device]
platform = "ubuntu-aarch64"
archs = ["v68"]
"""
HOST = """
cmake_minimum_required(VERSION 3.25)
project(demo LANGUAGES NONE)
install(PROGRAMS demo DESTINATION bin)
"""
DSP = """
cmake_minimum_required(VERSION 3.25)
project(demo LANGUAGES C)
add_library(demo_skel MODULE demo.c)
target_compile_options(demo_skel PRIVATE -g)
install(TARGETS demo_skel LIBRARY DESTINATION .)
"""
SKEL = """
int HAP_power_get(void *context, void *response);
int demo_skel_handle_invoke(void *, unsigned, void *);
int demo_skel_handle_invoke(void *context, unsigned scalars, void *arguments)
{
    return HAP_power_get(context, arguments) + (int)scalars;
}
"""
CONFIGURATION = "usr/share/qcom/conf.d/radxa.yaml"
OPEN = "remote_handle64_open: failed with"


class Device(Value):
    """A project, and the device that it runs on: its processes, and the tree of its files."""

    project: Project
    root: DeviceRoot
    tree: Path

    def run(self, text: str) -> dict[str, Any] | None:
        """Run a program that prints `text` on standard error and fails; returns the finding."""
        done = self.project.run("run", "device", "--json", "--", "bin/demo", f"echo '{text}' >&2")
        assert done.returncode == 3, done.stderr
        found: dict[str, Any] | None = json.loads(done.stdout)["finding"]
        return found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "demo")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The root directory of a board without a fault."""
    loader = "lib/ld-linux-aarch64.so.1"
    tree = write(board(tmp_path / "board"), {loader: b"#!/bin/sh\necho ld.so GLIBC 2.36"})
    (tree / loader).chmod(0o755)
    return tree


@pytest.fixture
def on_ssh(
    project: Project,
    tree: Path,
    runtime_directory: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[Device]:
    """A board over ssh; the parameter is what makes its file system, or its user, another one."""
    kind = getattr(request, "param", "")
    login = tmp_path / "login"
    login.write_text(f'#!/bin/sh\nexec {" ".join(unprivileged())} /bin/sh "$@"\n')
    login.chmod(0o755)
    server = SshServer(
        tmp_path / "server",
        variables={"QEMU_LD_PREFIX": str(tree)},
        shell=str(login) if kind == "user" else None,
        disk="24m" if kind == "disk" else "",
    )
    with server:
        place = "/data/local/tmp" if kind == "disk" else str(server.device.home)
        _lay_out(project, f'"ssh"\naddress = "{server.client.host}"', place)
        project.variables |= server.client.environment
        project.variables["XDG_RUNTIME_DIR"] = str(runtime_directory)
        yield Device(project, server.device, tree)


@pytest.fixture
def on_adb(project: Project, tree: Path, tmp_path: Path) -> Iterator[Device]:
    """A board over adb."""
    server = AdbServer(tmp_path / "server", variables={"QEMU_LD_PREFIX": str(tree)})
    with server:
        _lay_out(project, f'"adb"\naddress = "{server.serial}"', "/data/local/tmp")
        project.variables |= server.environment
        yield Device(project, server.device, tree)


def _lay_out(project: Project, device: str, place: str) -> None:
    project.lay_out(
        {
            "buildtool.toml": FILE,
            "host/CMakeLists.txt": HOST,
            "host/demo": '#!/bin/sh\neval "$1"\nexit 3\n',
            "dsp/CMakeLists.txt": DSP,
            "dsp/demo.c": SKEL,
            "devices.toml": f'[device.device]\ntransport = {device}\nroot = "{place}/root"\n',
        }
    )


def small_shell(place: Path) -> None:
    """Make the DSP shell one that exports a single function."""
    source = place.with_name("shell.c")
    source.write_text("int HAP_debug_v2(void);\nint HAP_debug_v2(void) { return 0; }\n")
    flags = ("--target=hexagon-linux-musl", "-mcpu=hexagonv68", "-shared", "-nostdlib", "-fPIC")
    zig_cc(*flags, source, "-o", place, cwd=place.parent)


def remove(*names: str) -> Callable[[Path], None]:
    def change(tree: Path) -> None:
        for name in names:
            (tree / name).unlink()

    return change


def put(name: str, data: bytes) -> Callable[[Path], object]:
    return lambda tree: write(tree, {name: data})


NO_SHELL = remove(SHELL, CONFIGURATION)
FAULTS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "shell-missing": (NO_SHELL, f"{OPEN} 0x80000600", "there is no DSP shell"),
    "shell-symbols": (
        lambda tree: small_shell(tree / SHELL),
        f"{OPEN} 0x80000406",
        "libdemo_skel.so needs HAP_power_get, which the DSP shell of the device 'device'",
    ),
    "libcdsprpc-twice": (
        put("usr/lib/libcdsprpc.so.1", b"another one"),
        "demo: Error: aborting due to 2 instances of libxdsprpc. Only 1 allowed",
        "there are several libcdsprpc, and programs load the first one",
    ),
    "firmware-mismatch": (
        put(SHELL, OTHER_SHELL),
        f"{OPEN} 0x8000054f",
        "the firmware /lib/firmware",
    ),
    "selinux": (
        put("var/log/dmesg", AVC % 0),
        f"{OPEN} 0x00000072",
        "SELinux denies to read",
    ),
    "dsp-offline": (
        lambda tree: (remove("dev/fastrpc-cdsp")(tree), put(f"{CDSP}/state", b"offline\n")(tree)),
        f"{OPEN} 0x00000072",
        "the compute DSP is offline",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_board_over_ssh_with_the_fault(name: str, on_ssh: Device) -> None:
    change, text, cause = FAULTS[name]
    change(on_ssh.tree)
    found = on_ssh.run(text)

    assert found
    assert found["name"] == name, found
    assert cause in found["cause"]
    log, _, line = found["evidence"].partition(":1: ")
    assert (log, line) == ("stderr", text) or (name, log) == ("selinux", "kernel.log")
    assert found["remedy"]


@pytest.mark.parametrize("on_ssh", ["user"], indirect=True)
def test_a_board_over_ssh_whose_user_may_not_use_the_node(on_ssh: Device) -> None:
    (on_ssh.tree / "dev/fastrpc-cdsp").chmod(0o000)
    found = on_ssh.run(f"{OPEN} 0x00000072")

    assert found
    assert found["name"] == "node-permission"
    assert "may not use /dev/fastrpc-cdsp (mode 0" in found["cause"]


@pytest.mark.parametrize("on_ssh", ["disk"], indirect=True)
def test_a_board_over_ssh_whose_disk_is_full(on_ssh: Device) -> None:
    done = on_ssh.project.run(
        *("run", "device", "--json", "--", "bin/demo"),
        "head -c 99999999 /dev/zero >/data/local/tmp/result",
    )
    found = json.loads(done.stdout)["finding"]

    assert found["name"] == "space"
    assert found["cause"].startswith("0 MiB are free in ")
    assert "No space left on device" in found["evidence"]


def test_a_dsp_of_a_board_over_ssh_that_restarts_meanwhile(on_ssh: Device) -> None:
    line = "remoteproc remoteproc1: crash detected in cdsp: type fatal error"
    log = on_ssh.tree / "var/log/dmesg"
    command = f'read -r up rest </proc/uptime; echo "[$up] {line}" >>{log}; echo {OPEN} 0x68 >&2'
    done = on_ssh.project.run("run", "device", "--json", "--", "bin/demo", command)
    found = json.loads(done.stdout)["finding"]

    assert found["name"] == "dsp-restarted"
    assert found["evidence"].startswith("kernel.log:")
    assert line in found["evidence"]


def test_a_board_over_ssh_whose_fault_no_output_shows(on_ssh: Device) -> None:
    NO_SHELL(on_ssh.tree)
    found = on_ssh.run("demo: the model is missing")

    assert found
    assert (found["name"], found["cause"]) == ("shell-missing", "")


def test_a_board_over_ssh_without_a_fault(on_ssh: Device) -> None:
    assert on_ssh.run("demo: the model is missing") is None
    found = on_ssh.run(f"{OPEN} 0x80000600")
    assert found
    assert (found["name"], found["cause"]) == ("", "")
    assert found["excluded"] == ["shell-missing", "configuration-missing", "configuration-stale"]


def test_a_board_over_adb_without_a_shell(on_adb: Device) -> None:
    NO_SHELL(on_adb.tree)
    found = on_adb.run(f"{OPEN} 0x80000600")

    assert found
    assert found["name"] == "shell-missing"


def test_a_board_over_adb_whose_shell_lacks_a_symbol(on_adb: Device) -> None:
    small_shell(on_adb.tree / SHELL)
    found = on_adb.run(f"{OPEN} 0x80000406")

    assert found
    assert found["name"] == "shell-symbols"
    assert found["cause"].startswith("libdemo_skel.so needs HAP_power_get, which ")


def test_what_a_board_over_adb_logged_is_read(on_adb: Device) -> None:
    line = (
        "08-14 09:12:03.101 4121 4123 E adsprpc : fastrpc_apps_user.c:728:adsp dlopen error: demo"
        " undefined PLT symbol memalign (72) libdemo_skel.so"
    )
    on_adb.root.put_tool("logcat", f"echo '{line}'")
    found = on_adb.run("demo: it does not work")

    assert found
    assert found["name"] == "skel-undefined-symbol"
    assert found["evidence"].startswith("logcat.log:1: ")


def test_a_crash_that_a_board_over_adb_logged_is_named(on_adb: Device) -> None:
    on_adb.project.succeeds("build")
    (skel,) = on_adb.project.root.glob(".buildtool/release/device/dsp/v68/libdemo_skel.so")
    with skel.open("rb") as stream:
        symbols: Any = ELFFile(stream).get_section_by_name(".dynsym")
        (entry,) = symbols.get_symbol_by_name("demo_skel_handle_invoke")
    load, offset = 0xE0400000, entry["st_value"]
    call = (load + offset, "demo_skel_handle_invoke+0x0", "./libdemo_skel.so")
    lines = crash_lines(NEW, "libdemo_skel.so", load, {"Fault PC": load + offset}, [call])
    text = "\n".join(lines).replace("my-program-with", "demo")
    on_adb.root.put_tool("logcat", f"cat <<'END'\n{text}\nEND")
    done = on_adb.project.run("run", "device", "--", "bin/demo", f"echo '{OPEN} 0x2e' >&2")

    assert done.returncode == 3
    assert "at demo_skel_handle_invoke (demo.c:" in done.stderr, done.stderr
    assert "\ncause: The process of the session on the DSP crashed." in done.stderr
