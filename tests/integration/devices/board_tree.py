"""Stand-ins for devices: directory trees with the files that facts are read from.

A shell that has such a tree in QEMU_LD_PREFIX reads facts of an ARM64 system there.
"""

from __future__ import annotations

import struct
from pathlib import Path

from buildtool.device.device import Device
from buildtool.device.emulated.device import Emulated
from tests.remote.tool_sets import Tools, make_tool_set

SHELL = "usr/share/qcom/qcs6490/radxa/dragon-q6a/dsp/cdsp/fastrpc_shell_unsigned_3"
LIBRARY = b"libcdsprpc of the tree"


def hexagon_header(arch: int) -> bytes:
    """The start of a Hexagon program, and bytes that follow it."""
    fields = struct.pack("<HHIIIII", 2, 164, 1, 0, 52, 0, arch)
    return (b"\x7fELF\x01\x01\x01" + bytes(9) + fields).ljust(52, b"\0") + b"code\n" * 999


def write(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def q6a_tree(root: Path) -> Path:
    """A tree as on a Radxa Dragon Q6A, with the shell where the board's configuration puts it."""
    yaml = b"machines:\n  Other Board:\n    DSP_LIBRARY_PATH: other\n  Radxa Dragon Q6A:\n"
    yaml += b"    DSP_LIBRARY_PATH: qcs6490/radxa/dragon-q6a/dsp\n"
    return write(
        root,
        {
            "proc/device-tree/compatible": b"radxa,dragon-q6a\0qcom,qcs6490\0",
            "proc/device-tree/model": b"Radxa Dragon Q6A\0",
            "usr/share/qcom/conf.d/radxa.yaml": yaml,
            "usr/lib/aarch64-linux-gnu/libcdsprpc.so.1": LIBRARY,
            SHELL: hexagon_header(0x68),
            "dev/fastrpc-cdsp": b"",
            "dev/dma_heap/system": b"",
        },
    )


def rk3588_tree(root: Path) -> Path:
    """A tree as on a Rock 5 ITX+: no Hexagon, an NPU behind /dev/accel."""
    return write(
        root,
        {
            "proc/device-tree/compatible": b"radxa,rock-5-itx-plus\0rockchip,rk3588\0",
            "proc/device-tree/model": b"Radxa ROCK 5 ITX+\0",
            "dev/accel/accel0": b"",
        },
    )


def phone_tree(root: Path) -> Path:
    """A tree as on a phone with Android; its properties come from getprop."""
    return write(
        root,
        {
            "system/build.prop": b"ro.build.version.sdk=34\n",
            "vendor/lib64/libcdsprpc.so": LIBRARY,
            "vendor/dsp/cdsp/fastrpc_shell_3": hexagon_header(0x75),
        },
    )


def stand_in(tmp_path: Path, tree: Path, tools: Tools, root: str = "$HOME/builds/x") -> Device:
    """A device whose files are `tree`, and whose programs are a set of tools."""
    home = tmp_path / "a home"
    home.mkdir(exist_ok=True)
    chosen = make_tool_set(tools, tmp_path / f"tools-{len([*tmp_path.iterdir()])}")
    environment = {"PATH": chosen.path, "HOME": str(home), "QEMU_LD_PREFIX": str(tree)}
    if chosen.shell.name == "busybox":
        (tmp_path / "sh").unlink(missing_ok=True)
        (tmp_path / "sh").symlink_to(chosen.shell)
        return Device("it", "", root, Emulated("", environment, str(tmp_path / "sh")))
    return Device("it", "", root, Emulated("", environment, str(chosen.shell)))
