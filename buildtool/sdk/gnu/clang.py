"""clang and lld for ARM64 Linux, with the C and C++ libraries of a gcc."""

from __future__ import annotations

import shutil
from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.gnu.compiler_probe import (
    ARM64_MACHINE,
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

VARIABLE = "BUILDTOOL_CLANG"
TARGET = "--target=aarch64-linux-gnu"
VERSIONS = range(30, 13, -1)
OLDEST = (14,)  # the first with --start-no-unused-arguments


class Clang(FoundTool, kw_only=True):
    """A found clang; `where` is the C compiler, `cxx` the C++ one, `lld` its linker.

    `binutils` is the directory with `ar`, `ranlib`, `strip`… for ARM64 under these names; `root`
    is the directory with the C library's `include` and `lib`.  The identity covers the shared
    objects of the compiler and the linker, and everything that they link into programs.
    """

    cxx: Path
    lld: Path
    binutils: Path
    root: Path


def find_clang(requirement: Tool = NO_REQUIREMENT, machine: str = "") -> Clang:
    """Find the newest clang that satisfies `requirement`, for ARM64 Linux.

    `machine` is the build machine's processor.  Searches `$BUILDTOOL_CLANG`, `path` in
    [tool.clang], then `clang` and `clang-N` on PATH.  Raises `ToolMissingError`, `ToolUnfitError`.
    """
    native = (machine or this_machine()) == ARM64_MACHINE
    gcc = "g++" if native else "g++-aarch64-linux-gnu"
    return search(
        "clang",
        requirement=requirement,
        variables=(VARIABLE,),
        default_paths=without_aliases(programs_on_path("clang", *(f"clang-{n}" for n in VERSIONS))),
        probe=lambda driver: _probe(driver, gcc),
        install_remedy=f"Install it: apt-get install clang lld {gcc}",
    )


def _probe(driver: Path, gcc: str) -> Clang | None:
    if not driver.is_file():
        return None
    answer = probe_compiler(driver, [TARGET, "-v", "-print-search-dirs"])
    if isinstance(answer, Problem):
        return _broken(driver, answer)
    version = answer.match_line(r"clang version (\d[\d.]*)")
    if not version:
        return _broken(driver, Problem("it is not a clang", "Name a clang, or remove it."))
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
    problems = [
        Problem(f"it lacks {what} ({name})", f"Install it: apt-get install {package}")
        for name, (what, package) in needs.items()
        if name not in present
    ]
    if version_numbers(version) < OLDEST:
        problems.append(Problem("it is older than clang 14", "Install a newer one."))
    # The last directory is gcc's; those before it are clang's, with tools for the build machine.
    ar = [place for folder in answer.programs if (place := folder / "ar").is_file()][-1:]
    crt = answer.library("crt1.o")
    return Clang(
        where=driver,
        version=version,
        identity=tool_identity("clang", version, present),
        problems=tuple(problems),
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


def _broken(driver: Path, problem: Problem) -> Clang:
    return Clang(
        where=driver,
        version="unknown",
        identity="",
        problems=(problem,),
        cxx=driver,
        lld=driver,
        binutils=driver.parent,
        root=driver.parent,
    )
