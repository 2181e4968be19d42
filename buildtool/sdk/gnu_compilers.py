"""Compilers for ARM64 Linux with GNU libraries: gcc, and clang and lld with the libraries of a gcc.

gcc is Debian's cross compiler, or an ARM64 machine's native compiler.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.compiler_probe import (
    ARM64_LINUX,
    ARM64_MACHINE,
    CompilerAnswer,
    cxx_driver,
    library_root,
    linked_files,
    loaded_libraries,
    probe_compiler,
    this_machine,
    without_aliases,
)
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    programs_on_path,
    search,
    tool_identity,
    version_numbers,
)

GCC_VARIABLE = "BUILDTOOL_GCC_AARCH64"
CROSS = "aarch64-linux-gnu-gcc"
GCC_VERSIONS = range(20, 8, -1)
PARTS = ("cc1", "cc1plus", "collect2", "as", "ld", "ar", "lto1", "lto-wrapper", "liblto_plugin.so")
CLANG_VARIABLE = "BUILDTOOL_CLANG"
TARGET = "--target=aarch64-linux-gnu"
CLANG_VERSIONS = range(30, 13, -1)
OLDEST_CLANG = (14,)  # the first with --start-no-unused-arguments


class GnuCompiler(FoundTool, kw_only=True):
    """A found gcc or clang; `where` is the C compiler.

    The identity covers the programs that the driver starts, their shared objects, and everything
    that it links into programs, so also the C and C++ libraries.
    """

    kind: str  # "gcc" or "clang"
    cxx: Path  # the C++ compiler
    binutils: Path  # the directory with `ar`, `ranlib`, `strip`… for ARM64 under these names
    root: Path  # the directory with the C library's `include` and `lib`
    lld: Path | None = None  # the linker of a clang


def find_gcc(requirement: Tool = NO_REQUIREMENT, machine: str = "") -> GnuCompiler:
    """Find the newest gcc for ARM64 Linux that satisfies `requirement`.

    `machine` is the build machine's processor.  Searches `$BUILDTOOL_GCC_AARCH64`, `path` in
    [tool.gcc-aarch64], then `aarch64-linux-gnu-gcc` and `aarch64-linux-gnu-gcc-N` on PATH; on an
    ARM64 machine also `gcc` and `gcc-N`.  Raises `ToolMissingError`, `ToolUnfitError`.
    """
    native = (machine or this_machine()) == ARM64_MACHINE
    names = [CROSS, *(f"{CROSS}-{n}" for n in GCC_VERSIONS)]
    if native:
        names += ["gcc", *(f"gcc-{n}" for n in GCC_VERSIONS)]
    return search(
        "gcc for ARM64 Linux",
        requirement=requirement,
        variables=(GCC_VARIABLE,),
        default_paths=without_aliases(programs_on_path(*names)),
        probe=lambda driver: _probe_gcc(driver, native),
        install_remedy=f"Install it: apt-get install {_package(native)}",
    )


def _package(native: bool) -> str:
    return "g++" if native else "g++-aarch64-linux-gnu"


def _probe_gcc(driver: Path, native: bool) -> GnuCompiler | None:
    if not driver.is_file():
        return None
    answer = probe_compiler(driver, ["-v"], ["-print-search-dirs"])
    if isinstance(answer, Problem):
        return _broken("gcc", driver, answer)
    version = answer.match_line(r"^gcc version (\d[\w.]*)")
    target = answer.match_line(r"^Target: (\S+)$")
    if not version:
        return _broken("gcc", driver, Problem("it is not a gcc", "Name a gcc, or remove it."))
    if not ARM64_LINUX.fullmatch(target):
        return _broken(
            "gcc",
            driver,
            Problem(
                f"it compiles for {target}, not for ARM64 Linux",
                f"Name an {CROSS}: apt-get install {_package(native)}",
            ),
            version,
        )
    cxx = cxx_driver(driver, "gcc", "g++")
    files = {"driver": driver, "c++ driver": cxx, **linked_files(answer)}
    for part in PARTS:
        if found := _part(answer, part, native):
            files[part] = found
    for tool in ("as", "ld"):
        if tool in files:  # most of their code is in shared objects
            files.update(loaded_libraries(files[tool], "libbfd", "libopcodes", "libctf"))
    present = {name: path for name, path in files.items() if path.is_file()}
    ar, crt = files.get("ar"), answer.library("crt1.o")
    return GnuCompiler(
        kind="gcc",
        where=driver,
        version=version,
        identity=tool_identity("gcc", version, present),
        problems=_lacking(present, _gcc_needs(native)),
        cxx=cxx,
        binutils=ar.parent.resolve() if ar else driver.parent,
        root=library_root(crt) if crt else driver.parent,
    )


def _part(answer: CompilerAnswer, name: str, native: bool) -> Path | None:
    """The program `name` that gcc starts.

    If it is not in gcc's directories, gcc takes it from PATH; only an ARM64 machine has the right
    one there.
    """
    if found := answer.program(name):
        return found
    on_path = programs_on_path(name) if native else []
    return on_path[0] if on_path else None


def _gcc_needs(native: bool) -> dict[str, tuple[str, str]]:
    """The parts of a gcc by name: what each is, and its package."""
    suffix = "" if native else "-aarch64-linux-gnu"
    libc = "libc6-dev" if native else "libc6-dev-arm64-cross"
    return {
        "cc1": ("the C compiler proper", f"gcc{suffix}"),
        "as": ("an assembler", f"binutils{suffix}"),
        "ld": ("a linker", f"binutils{suffix}"),
        "ar": ("an archiver", f"binutils{suffix}"),
        "crt1.o": ("the C library", libc),
        "libc.so": ("the C library", libc),
        "c++ driver": ("a C++ compiler", f"g++{suffix}"),
        "cc1plus": ("the C++ compiler proper", f"g++{suffix}"),
        "libstdc++.so": ("the C++ library", f"g++{suffix}"),
    }


def find_clang(requirement: Tool = NO_REQUIREMENT, machine: str = "") -> GnuCompiler:
    """Find the newest clang that satisfies `requirement`, for ARM64 Linux.

    `machine` is the build machine's processor.  Searches `$BUILDTOOL_CLANG`, `path` in
    [tool.clang], then `clang` and `clang-N` on PATH.  Raises `ToolMissingError`, `ToolUnfitError`.
    """
    native = (machine or this_machine()) == ARM64_MACHINE
    gcc = "g++" if native else "g++-aarch64-linux-gnu"
    return search(
        "clang",
        requirement=requirement,
        variables=(CLANG_VARIABLE,),
        default_paths=without_aliases(
            programs_on_path("clang", *(f"clang-{n}" for n in CLANG_VERSIONS))
        ),
        probe=lambda driver: _probe_clang(driver, gcc),
        install_remedy=f"Install it: apt-get install clang lld {gcc}",
    )


def _probe_clang(driver: Path, gcc: str) -> GnuCompiler | None:
    if not driver.is_file():
        return None
    answer = probe_compiler(driver, [TARGET, "-v", "-print-search-dirs"])
    if isinstance(answer, Problem):
        return _broken("clang", driver, answer)
    version = answer.match_line(r"clang version (\d[\d.]*)")
    if not version:
        return _broken("clang", driver, Problem("it is not a clang", "Name a clang, or remove it."))
    major = version.partition(".")[0]
    cxx = cxx_driver(driver, "clang", "clang++")
    lld = _lld(driver, major)
    files = {"driver": driver, "c++ driver": cxx, **linked_files(answer)}
    if lld:
        files["lld"] = lld
    for program in (driver, lld):
        if program:
            files.update(loaded_libraries(program, "libclang", "libLLVM", "liblld"))
    present = {name: path for name, path in files.items() if path.is_file()}

    suffix = f"-{major}" if driver.name.endswith(f"-{major}") else ""
    needs = {
        "c++ driver": ("a C++ compiler", f"clang{suffix}"),
        "lld": ("a linker", f"lld{suffix}"),
        "crtbegin.o": ("a gcc for ARM64, whose libraries it links", gcc),
        "crt1.o": ("the C library", gcc),
        "libstdc++.so": ("the C++ library", gcc),
    }
    problems = _lacking(present, needs)
    if version_numbers(version) < OLDEST_CLANG:
        problems += (Problem("it is older than clang 14", "Install a newer one."),)
    # The last directory is gcc's; those before it are clang's, with tools for the build machine.
    ar = [place for folder in answer.programs if (place := folder / "ar").is_file()][-1:]
    crt = answer.library("crt1.o")
    return GnuCompiler(
        kind="clang",
        where=driver,
        version=version,
        identity=tool_identity("clang", version, present),
        problems=problems,
        cxx=cxx,
        lld=lld or driver,
        binutils=ar[0].parent.resolve() if ar else driver.parent,
        root=library_root(crt) if crt else driver.parent,
    )


def _lld(driver: Path, major: str) -> Path | None:
    """The linker of this clang: beside the program or the target of its link, else on PATH."""
    for beside in (driver.resolve().parent, driver.parent):
        for name in (f"ld.lld-{major}", "ld.lld"):
            if (beside / name).is_file():
                return beside / name
    found = shutil.which(f"ld.lld-{major}") or shutil.which("ld.lld")
    return Path(found).absolute() if found else None


def _lacking(
    present: Mapping[str, Path], needs: Mapping[str, tuple[str, str]]
) -> tuple[Problem, ...]:
    return tuple(
        Problem(f"it lacks {what} ({name})", f"Install it: apt-get install {package}")
        for name, (what, package) in needs.items()
        if name not in present
    )


def _broken(kind: str, driver: Path, problem: Problem, version: str = "unknown") -> GnuCompiler:
    return GnuCompiler(
        kind=kind,
        where=driver,
        version=version,
        identity="",
        problems=(problem,),
        cxx=driver,
        binutils=driver.parent,
        root=driver.parent,
    )
