"""The glibc versions that the ARM64 side may need."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.elf import Elf
from buildtool.core.elf_machine import EM_AARCH64
from buildtool.core.elf_versions import VersionNeed
from buildtool.toolchains.check_host_file import HostFileError, check_host_file
from buildtool.toolchains.profile import Compiler, Profile


def program(*needs: VersionNeed) -> Elf:
    return Elf(
        path=Path("/tree/main"),
        bits=64,
        machine=EM_AARCH64,
        flags=0,
        kind="DYN",
        soname="",
        needed=("libc.so.6",),
        exports=frozenset(),
        imports=frozenset(),
        weak_imports=frozenset(),
        version_needs=needs,
        load_alignments=(0x10000,),
        dynamic_tags=frozenset(),
        notes=(),
    )


def need(version: str, *symbols: str, weak: bool = False) -> VersionNeed:
    return VersionNeed("libc.so.6", version, symbols, weak)


def profile(glibc: str) -> Profile:
    return Profile(
        name="ubuntu-aarch64-gcc",
        platform="ubuntu-aarch64",
        template="ubuntu_aarch64_gnu.cmake.in",
        settings={"GLIBC": glibc},
        identity="gcc",
        places={},
        compiler=Compiler("gcc", "12", "libstdc++11", ("gcc",), ("g++",)),
    )


@pytest.mark.parametrize(
    ("version", "floor"),
    [
        ("GLIBC_2.17", "2.35"),
        ("GLIBC_2.35", "2.35"),
        ("GLIBC_2.3.4", "2.35"),
        ("GLIBC_2.9", "2.35"),  # by number, not by text
        ("GLIBC_ABI_DT_RELR", "2.36"),  # required by -z pack-relative-relocs
        ("GLIBCXX_3.4.30", "2.35"),
        ("LIBFOO_9", "2.35"),
    ],
)
def test_what_the_oldest_glibc_has_is_good(version: str, floor: str) -> None:
    check_host_file(program(need(version, "f")), profile(floor))


@pytest.mark.parametrize(
    ("version", "since"), [("GLIBC_2.36", "2.36"), ("GLIBC_ABI_DT_RELR", "2.36")]
)
def test_what_only_newer_ones_have_is_refused(version: str, since: str) -> None:
    with pytest.raises(HostFileError) as caught:
        check_host_file(program(need(version, "f")), profile("2.35"))
    assert (
        caught.value.message
        == f"main needs glibc {since}, but the target is for glibc 2.35 and newer"
    )


def test_the_newest_is_named_with_what_needs_it() -> None:
    needs = [need("GLIBC_2.36", "a"), need("GLIBC_2.38", "b", "c"), need("GLIBC_2.37", "d")]
    with pytest.raises(HostFileError, match=r"needs glibc 2\.38") as caught:
        check_host_file(program(*needs), profile("2.35"))
    assert caught.value.why == "for b, c of libc.so.6 (/tree/main)"


@pytest.mark.parametrize("version", ["GLIBC_PRIVATE", "GLIBC_ABI_NEW", "GLIBC_2.x", "GLIBC_"])
def test_what_no_number_tells_of_is_refused(version: str) -> None:
    with pytest.raises(HostFileError, match=f"needs {version}, which not every"):
        check_host_file(program(need(version, "f")), profile("2.35"))


def test_a_weak_need_may_stay_unmet() -> None:
    check_host_file(program(need("GLIBC_2.39", "f", weak=True)), profile("2.35"))
