"""QEMU's user-mode emulators, and the ARM64 glibc that emulated programs use.

The version of a glibc is read from its `libc.so.6`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from buildtool.core.value import Value
from buildtool.project.model import Tool
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    ToolMissingError,
    programs_on_path,
    search,
    tool_identity,
    version_numbers,
)

CROSS_LIBRARIES = Path("/usr/aarch64-linux-gnu/lib")  # Debian: libc6-arm64-cross
CXX_LIBRARIES = ("libstdc++.so.6", "libgcc_s.so.1")
"""Libraries that dynamically linked C++ programs need.  Debian: libstdc++6-arm64-cross."""
FORK_SAFE = {"G_SLICE": "always-malloc"}
"""Variables with which QEMU runs programs that fork, as libcdsprpc does.  QEMU keeps its translated
blocks in trees of GLib, whose allocator of slices has a lock (until GLib 2.76): a child of fork()
waits for it forever if another thread held it at that moment."""
INSTALL = "Install it: apt-get install qemu-user libc6-arm64-cross"
INSTALL_CXX = "Install it: apt-get install libstdc++6-arm64-cross"
# The first QEMU whose qemu-hexagon knows CPU models beyond v67 (its change log).
FIRST_WITH_V73 = (8, 1)
FIRST_WITH_DEBUGGER = (8, 1)
"""The first QEMU whose qemu-hexagon describes its registers to debuggers and stops at breakpoints.
7.2 ends when a debugger reads registers, steps, or reaches a breakpoint.  Source: QEMU's change
log for 8.1, and packets sent to 7.2 and 10.0."""


class Qemu(FoundTool, kw_only=True):
    """Found emulators; `where` is qemu-aarch64, `hexagon` is qemu-hexagon, and `hexagon_cpu` is
    the CPU model to select."""

    hexagon: Path
    hexagon_cpu: str

    @property
    def aarch64(self) -> Path:
        return self.where


class CrossGlibc(Value):
    """An ARM64 glibc on this machine: its directory and version ("2.36")."""

    directory: Path
    version: str

    @property
    def missing_libraries(self) -> tuple[str, ...]:
        """Those of `CXX_LIBRARIES` that are not beside it."""
        return tuple(name for name in CXX_LIBRARIES if not (self.directory / name).is_file())


def find_qemu(requirement: Tool = NO_REQUIREMENT) -> Qemu:
    """Find qemu-aarch64 and qemu-hexagon: in `path` of [tool.qemu], else on PATH.

    Raises `ToolMissingError` without qemu-aarch64, `ToolUnfitError` when the project requires
    another version.
    """
    return search(
        "qemu-aarch64",
        requirement=requirement,
        default_paths=programs_on_path("qemu-aarch64"),
        probe=_probe,
        install_remedy=INSTALL,
    )


def _probe(place: Path) -> Qemu | None:
    from buildtool.sdk.program import probe_version  # noqa: PLC0415 - most runs know the QEMU

    aarch64 = place / "qemu-aarch64" if place.is_dir() else place
    if not aarch64.is_file():
        return None
    beside = aarch64.with_name("qemu-hexagon")
    hexagon = beside if beside.is_file() else next(iter(programs_on_path("qemu-hexagon")), None)
    problems: tuple[Problem, ...] = (Problem("qemu-hexagon was not found beside it", INSTALL),)
    if hexagon:
        version, problems = probe_version(
            hexagon, "--version", pattern=r"version (\d+\.\d[\w.]{0,20})"
        )
    else:
        version, _ = probe_version(aarch64, "--version", pattern=r"version (\d+\.\d[\w.]{0,20})")
    files = {"qemu-aarch64": aarch64, **({"qemu-hexagon": hexagon} if hexagon else {})}
    return Qemu(
        where=aarch64,
        version=version or "unknown",
        identity=tool_identity("qemu", version, files),
        problems=problems,
        hexagon=hexagon or beside,
        # QEMU refuses an ELF file for a newer arch than its default model unless a model is
        # selected; integer HVX code of every arch runs on the oldest model.
        hexagon_cpu="v73" if version_numbers(version) >= FIRST_WITH_V73 else "v67",
    )


def debugging_problem(qemu: Qemu) -> Problem | None:
    """Why programs cannot be debugged in `qemu`; None if they can."""
    if version_numbers(qemu.version) >= FIRST_WITH_DEBUGGER:
        return None
    return Problem(
        "an older one ends when a debugger reads registers or reaches a breakpoint",
        "Install a newer one, on Debian 12: apt-get install -t bookworm-backports qemu-user; or set"
        " 'path' in [tool.qemu] of buildtool.toml to the directory of one.",
    )


def find_mount_namespace() -> FoundTool:
    """The kernel, with a problem if it does not let a program of the emulated device have mounts of
    its own (`emulator/device_root`).

    Raises `ToolMissingError` if util-linux's unshare, which tries that, is not installed.
    """
    import shutil  # noqa: PLC0415 - for doctor only

    from buildtool.core.processes.process import capture  # noqa: PLC0415 - as above

    unshare = shutil.which("unshare")
    if not unshare:
        raise ToolMissingError(
            "unshare was not found", why="PATH", remedy="Install it: apt-get install util-linux"
        )
    tried = [
        capture([unshare, *options, "--mount", "true"], env=os.environ, timeout=10)
        for options in ((), ("--user",))
    ]
    problem = Problem(
        "the kernel allows no mount namespace, so programs on sim find the device's files with open"
        f" and stat, but not with access, statx or chdir ({tried[-1].output.strip()})",
        "Allow user namespaces. Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0;"
        " others: sysctl user.max_user_namespaces=10000; docker: --cap-add SYS_ADMIN.",
    )
    return FoundTool(
        where=Path("/proc/self/ns/mnt"),
        version=os.uname().release,
        identity="",
        problems=(problem,) if all(done.status for done in tried) else (),
    )


def find_cross_glibc() -> CrossGlibc:
    """Find the ARM64 glibc of Debian's cross packages.

    Raises `ToolMissingError` if it is not installed.
    """
    libc = CROSS_LIBRARIES / "libc.so.6"
    if not libc.is_file():
        raise ToolMissingError(
            "an ARM64 glibc was not found", why=f"there is no {libc}", remedy=INSTALL
        )
    return CrossGlibc(CROSS_LIBRARIES, glibc_version(libc.read_bytes()) or "2.0")


def glibc_version(data: bytes) -> str:
    """The version of the `libc.so.6` with these bytes ("2.35"), or "" if it is not glibc.

    It is read from the banner, else from the newest symbol version that the library defines.
    """
    if banner := re.search(rb"GNU C Library [^\n\0]{0,200}release version (2\.\d{1,3})", data):
        return banner[1].decode()
    versions = re.findall(rb"\0GLIBC_2\.(\d{1,3})\0", data)
    return f"2.{max(map(int, versions))}" if versions else ""
