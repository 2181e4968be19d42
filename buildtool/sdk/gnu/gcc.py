"""gcc for ARM64 Linux: Debian's cross compiler, or an ARM64 machine's native compiler."""

from __future__ import annotations

from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.gnu.compiler_probe import (
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
)

VARIABLE = "BUILDTOOL_GCC_AARCH64"
CROSS = "aarch64-linux-gnu-gcc"
VERSIONS = range(20, 8, -1)
PARTS = ("cc1", "cc1plus", "collect2", "as", "ld", "ar", "lto1", "lto-wrapper", "liblto_plugin.so")


class Gcc(FoundTool, kw_only=True):
    """A found gcc; `where` is the C compiler, `cxx` the C++ one.

    `binutils` is the directory with `ar`, `ranlib`, `strip`… under these names; `root` is the
    directory with the C library's `include` and `lib`.  The identity covers the programs that the
    driver starts and everything that it links into programs, so also the C and C++ libraries.
    """

    cxx: Path
    binutils: Path
    root: Path


def find_gcc(requirement: Tool = NO_REQUIREMENT, machine: str = "") -> Gcc:
    """Find the newest gcc for ARM64 Linux that satisfies `requirement`.

    `machine` is the build machine's processor.  Searches `$BUILDTOOL_GCC_AARCH64`, `path` in
    [tool.gcc-aarch64], then `aarch64-linux-gnu-gcc` and `aarch64-linux-gnu-gcc-N` on PATH; on an
    ARM64 machine also `gcc` and `gcc-N`.  Raises `ToolMissingError`, `ToolUnfitError`.
    """
    native = (machine or this_machine()) == ARM64_MACHINE
    names = [CROSS, *(f"{CROSS}-{n}" for n in VERSIONS)]
    if native:
        names += ["gcc", *(f"gcc-{n}" for n in VERSIONS)]
    return search(
        "gcc for ARM64 Linux",
        requirement=requirement,
        variables=(VARIABLE,),
        default_paths=without_aliases(programs_on_path(*names)),
        probe=lambda driver: _probe(driver, native),
        install_remedy=f"Install it: apt-get install {_package(native)}",
    )


def _package(native: bool) -> str:
    return "g++" if native else "g++-aarch64-linux-gnu"


def _probe(driver: Path, native: bool) -> Gcc | None:
    if not driver.is_file():
        return None
    answer = probe_compiler(driver, ["-v"], ["-print-search-dirs"])
    if isinstance(answer, Problem):
        return _broken(driver, answer)
    version = answer.match_line(r"^gcc version (\d[\w.]*)")
    target = answer.match_line(r"^Target: (\S+)$")
    if not version:
        return _broken(driver, Problem("it is not a gcc", "Name a gcc, or remove it."))
    if not ARM64_LINUX.fullmatch(target):
        return _broken(
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
    return Gcc(
        where=driver,
        version=version,
        identity=tool_identity("gcc", version, present),
        problems=tuple(_problems(present, native)),
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


def _problems(files: dict[str, Path], native: bool) -> list[Problem]:
    suffix = "" if native else "-aarch64-linux-gnu"
    libc = "libc6-dev" if native else "libc6-dev-arm64-cross"
    needs = {
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
    return [
        Problem(f"it lacks {what} ({name})", f"Install it: apt-get install {package}")
        for name, (what, package) in needs.items()
        if name not in files
    ]


def _broken(driver: Path, problem: Problem, version: str = "unknown") -> Gcc:
    return Gcc(
        where=driver,
        version=version,
        identity="",
        problems=(problem,),
        cxx=driver,
        binutils=driver.parent,
        root=driver.parent,
    )
