"""The Ubuntu profiles with GNU libraries: a cross gcc, clang and lld, or a native compiler."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from buildtool.core.files import value_digest
from buildtool.project.model import Tool
from buildtool.sdk.compiler_probe import ARM64_MACHINE, compiler_headers, this_machine
from buildtool.sdk.gnu_compilers import TARGET, GnuCompiler, find_clang, find_gcc
from buildtool.sdk.sysroot import Sysroot
from buildtool.sdk.tool_search import NO_REQUIREMENT, ToolMissingError, require_usable
from buildtool.toolchains.arm64 import DEFAULT_GLIBC, check_glibc
from buildtool.toolchains.profile import Compiler, Profile, ProfileError
from buildtool.toolchains.unsupported_flags import CXX_MODULES

_MULTIARCH = "aarch64-linux-gnu"
LIBRARIES = (f"usr/lib/{_MULTIARCH}", f"lib/{_MULTIARCH}", "usr/lib64", "lib64", "usr/lib", "lib")
HEADERS = (f"usr/include/{_MULTIARCH}", "usr/include")
# gcc runs these from -B directories if they exist.
PROGRAMS = (
    "as",
    "cc1",
    "cc1plus",
    "collect2",
    "collect-ld",
    "ld",
    "lto1",
    "lto-wrapper",
    "real-ld",
)


def ubuntu_aarch64_gcc(
    glibc: str = DEFAULT_GLIBC, requirement: Tool = NO_REQUIREMENT, sysroot: Sysroot | None = None
) -> Profile:
    """The profile of ARM64 Linux programs by Debian's cross gcc.

    They link the compiler's glibc, or that of `sysroot` if it has one; `glibc` is the version that
    the programs are checked for.  Raises `ProfileError`, `ToolMissingError`, `ToolUnfitError`.
    """
    return _profile(
        "gcc", require_usable("gcc for ARM64 Linux", find_gcc(requirement)), glibc, sysroot
    )


def ubuntu_aarch64_clang(
    glibc: str = DEFAULT_GLIBC, requirement: Tool = NO_REQUIREMENT, sysroot: Sysroot | None = None
) -> Profile:
    """The profile of ARM64 Linux programs with clang and lld; else like `ubuntu_aarch64_gcc`."""
    return _profile(
        "clang", require_usable("clang for ARM64 Linux", find_clang(requirement)), glibc, sysroot
    )


def ubuntu_aarch64_native(
    glibc: str = DEFAULT_GLIBC,
    gcc: Tool = NO_REQUIREMENT,
    clang: Tool = NO_REQUIREMENT,
    sysroot: Sysroot | None = None,
    machine: str = "",
) -> Profile:
    """The profile of an ARM64 machine's native compiler and libraries: its gcc, else its clang.

    `machine` is the build machine's processor.  Raises the errors of `ubuntu_aarch64_gcc`, and
    `ProfileError` on other machines.
    """
    return _profile("native", native_compiler(gcc, clang, machine), glibc, sysroot)


def native_compiler(
    gcc: Tool = NO_REQUIREMENT, clang: Tool = NO_REQUIREMENT, machine: str = ""
) -> GnuCompiler:
    """An ARM64 machine's native compiler: its gcc, else its clang; raises as the profile does."""
    machine = machine or this_machine()
    if machine != ARM64_MACHINE:
        raise ProfileError(
            'toolchain = "native" works on ARM64 machines only',
            why=f"this machine is {machine}",
            remedy='Use a cross compiler: toolchain = "zig" is always available; "gcc" needs'
            " apt-get install g++-aarch64-linux-gnu.",
        )
    try:
        return require_usable("gcc for ARM64 Linux", find_gcc(gcc, machine))
    except ToolMissingError as missing:
        try:
            return require_usable("clang for ARM64 Linux", find_clang(clang, machine))
        except ToolMissingError:
            raise missing from None


def _profile(name: str, tool: GnuCompiler, glibc: str, sysroot: Sysroot | None) -> Profile:
    check_glibc(glibc)
    kind = tool.kind
    arguments = [TARGET] if kind == "clang" else []
    libc = sysroot.root if sysroot and sysroot.has_libc else None
    own: tuple[Path, ...] = ()
    headers: list[Path] = []
    if libc:
        headers = _existing(libc, HEADERS)
    elif name != "native" and (tool.root / "include" / "stdio.h").is_file():
        headers = _existing(tool.root, [name.removeprefix("usr/") for name in HEADERS])
    if headers:
        own = compiler_headers(tool.cxx, *arguments)
    startfiles = _startfiles(libc) if libc else []
    c_headers = [*(path for path in own if "c++" not in path.parts), *headers]
    cxx_headers = [*own, *headers]
    c_arguments = [*arguments, *_isolated(kind, ["-nostdinc"] if own else [])]
    cxx_arguments = [*arguments, *_isolated(kind, ["-nostdinc", "-nostdinc++"] if own else [])]
    settings = {
        "KIND": kind,
        "VERSION": tool.version,
        "GLIBC": glibc,
        "NATIVE": "ON" if name == "native" else "OFF",
        "C_ARGUMENTS": " ".join(c_arguments),
        "CXX_ARGUMENTS": " ".join(cxx_arguments),
    }
    places = {
        "CC": str(tool.where),
        "CXX": str(tool.cxx),
        "LLD": str(tool.lld or ""),
        "BINUTILS": str(tool.binutils),
        "ROOT": str(tool.root),
        "SYSROOT": str(libc or ""),
        "C_HEADERS": ";".join(map(str, c_headers)),
        "CXX_HEADERS": ";".join(map(str, cxx_headers)),
        "STARTFILES": ";".join(map(str, startfiles)),
    }
    always = [*([f"--sysroot={libc}"] if libc else []), *(f"-B{path}" for path in startfiles)]
    return Profile(
        name="-".join(["ubuntu-aarch64", name, *([sysroot.name] if sysroot and libc else [])]),
        platform="ubuntu-aarch64",
        template="ubuntu_aarch64_gnu.cmake.in",
        settings=settings,
        identity=value_digest([tool.identity, sysroot.identity if sysroot and libc else ""]),
        places=places,
        compiler=Compiler(
            kind=kind,
            version=tool.version.partition(".")[0],
            libcxx="libstdc++11",
            c=_command(tool.where, [*c_arguments, *always], c_headers),
            cxx=_command(tool.cxx, [*cxx_arguments, *always], cxx_headers),
        ),
        unsupported=(CXX_MODULES,) if kind == "clang" else (),
    )


def _isolated(kind: str, flags: list[str]) -> list[str]:
    """`flags` that disable default header directories, without clang's warning when it links."""
    if not flags or kind == "gcc":
        return flags
    return ["--start-no-unused-arguments", *flags, "--end-no-unused-arguments"]


def _command(driver: Path, arguments: Sequence[str], headers: Sequence[Path]) -> tuple[str, ...]:
    listed = [part for path in headers for part in ("-isystem", str(path))]
    return (str(driver), *arguments, *listed)


def _startfiles(root: Path) -> list[Path]:
    """The directories of a device's C library.

    Raises `ProfileError` if one contains a program that the compiler would run.
    """
    found = _existing(root, LIBRARIES)
    for program in (path / name for path in found for name in PROGRAMS):
        if program.exists():
            raise ProfileError(
                f"the sysroot has a file {program.name} where gcc searches for its programs",
                why=f"gcc would run {program} on this machine",
                remedy="Remove it from the device, and pull the sysroot again.",
            )
    return found


def _existing(root: Path, names: Sequence[str]) -> list[Path]:
    """The existing directories among `names` below `root`, without duplicates."""
    found: dict[Path, Path] = {}
    for path in (root / name for name in names):
        if path.is_dir():
            found.setdefault(path.resolve(), path)
    return list(found.values())
