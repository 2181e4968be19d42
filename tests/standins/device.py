"""Stand-in devices: the root file systems of a board and of a phone, reduced to FastRPC.

Their files are compiled here: a libcdsprpc with the SONAME and the NEEDED entries of the real
one, and DSP shells, which are Hexagon shared objects with the exports of a shell.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from .zig import library

CROSS_LIBRARIES = Path("/usr/aarch64-linux-gnu/lib")  # Debian: libc6-arm64-cross
OLDER = (
    *("remote_handle_open", "remote_handle64_open", "remote_handle64_invoke"),
    *("remote_handle64_close", "remote_handle64_control", "remote_session_control"),
    *("rpcmem_init", "rpcmem_alloc", "rpcmem_free", "rpcmem_to_fd", "fastrpc_mmap"),
)
"""The exports of the library of an older device."""
SHELL = ("qurt_thread_create", "HAP_debug_v2")
"""The exports of the DSP shell of a device."""
MULTIARCH = "usr/lib/aarch64-linux-gnu"


def arm64_library(
    path: Path, soname: str, exports: Iterable[str], *, needs: str = "", machine: str = "aarch64"
) -> Path:
    """An ARM64 library (or one for `machine`) with these exports that needs the library `needs`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        link = ["clang", f"--target={machine}-linux-gnu", "-fuse-ld=lld", "-shared", "-nostdlib"]
        command = [*link, "-fPIC", "-w", "-fno-builtin", f"-Wl,-soname,{soname}"]
        source = Path(work, "source.c")
        source.write_text(
            "".join(f"void {name}(void) {{}}\n" for name in exports), encoding="utf-8"
        )
        dependency: list[str | Path] = []
        if needs:
            empty = Path(work, "empty.c")
            empty.write_text("void empty(void) {}\n", encoding="utf-8")
            stub = Path(work, "libneeded.so")
            subprocess.run([*link, f"-Wl,-soname,{needs}", empty, "-o", stub], check=True)
            dependency = ["-Wl,--no-as-needed", stub]
        subprocess.run([*command, source, *dependency, "-o", path], check=True)
    return path


def dsp_shell(arch: str, exports: Sequence[str] = SHELL) -> Path:
    """A Hexagon shared object for `arch` with the exports of a shell."""
    arguments = ["--target=hexagon-linux-musl", f"-mcpu=hexagon{arch}"]
    source = "".join(f"void {name}(void) {{}}\n" for name in exports)
    return library("_".join(["fastrpc_shell", arch, *exports]), source, arguments)


def make_board(root: Path, *, newer: bool = False) -> Path:
    """Write the root of a Radxa Dragon Q6A (QCS6490) with Ubuntu; `newer` has rpcmem_alloc2."""
    exports = [*OLDER, *(["rpcmem_alloc2"] if newer else [])]
    libraries = root / MULTIARCH
    libraries.mkdir(parents=True)
    (root / "lib").symlink_to("usr/lib")
    arm64_library(
        libraries / "libcdsprpc.so.1.0.0", "libcdsprpc.so.1", exports, needs="libyaml-0.so.2"
    )
    (libraries / "libcdsprpc.so.1").symlink_to("libcdsprpc.so.1.0.0")
    shutil.copyfile(CROSS_LIBRARIES / "libc.so.6", libraries / "libc.so.6")
    shells = root / "usr/lib/dsp/cdsp"
    shells.mkdir(parents=True)
    for name in ("fastrpc_shell_3", "fastrpc_shell_unsigned_3"):
        shutil.copyfile(dsp_shell("v68"), shells / name)
    tree = root / "sys/firmware/devicetree/base"
    tree.mkdir(parents=True)
    (tree / "compatible").write_bytes(b"radxa,dragon-q6a\0qcom,qcm6490\0")
    (tree / "model").write_bytes(b"Radxa Dragon Q6A\0")
    (root / "proc").mkdir()
    (root / "proc/device-tree").symlink_to("/sys/firmware/devicetree/base")
    return root


def make_phone(root: Path) -> Path:
    """Write the root of an SM8650 phone with Android, whose /system/vendor is a link to /vendor."""
    arm64_library(root / "vendor/lib64/libcdsprpc.so", "libcdsprpc.so", OLDER, needs="liblog.so")
    shells = root / "vendor/dsp/cdsp"
    shells.mkdir(parents=True)
    shutil.copyfile(dsp_shell("v75"), shells / "fastrpc_shell_unsigned_3")
    (root / "system").mkdir()
    (root / "system/vendor").symlink_to("/vendor")
    (root / "system/build.prop").write_text("ro.build.version.sdk=35\n")
    (root / "vendor/build.prop").write_text("# vendor\nro.board.platform=pineapple\n")
    with (root / "vendor/build.prop").open("a") as properties:
        properties.write("ro.soc.manufacturer=QTI\nro.soc.model=SM8650\n")
    return root
