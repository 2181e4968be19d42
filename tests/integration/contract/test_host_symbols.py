"""Symbols that the ARM64 side needs: which are missing, and of which nothing is said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from .conftest import Make
from .releases import TestRelease

PART = "int forgotten(void);\nint part(void) { return forgotten(); }"
PROGRAM = """
__attribute__((section(".interp"), used)) static const char loader[] = "/lib/ld-linux-aarch64.so.1";
"""
NO_SONAME = "-Wl,-soname="


def findings(release: TestRelease) -> list[tuple[str, str]]:
    release.declare()
    found = [finding for finding in release.findings() if finding.rule == "host-symbols"]
    return [(finding.severity, finding.path) for finding in found]


def put(release: TestRelease, place: str, source: str, *flags: str, libc: bool = True) -> None:
    needed = release.linker.needing(release.libc) if libc else []
    release.host(place, source, *needed, *flags)


def with_program(release: TestRelease, source: str = "", *flags: str) -> None:
    """A program that exports what `source` defines, and loads libraries."""
    text = f"void *dlopen(void);\nvoid *run(void) {{ return dlopen(); }}\n{source}{PROGRAM}"
    versioned = release.linker.versioned("libc.so.6", "GLIBC_2.17", "dlopen")
    release.host("bin/app", text, *versioned, *flags)


def test_a_program_and_a_library_that_nothing_completes(make: Make) -> None:
    release = make()
    put(release, "lib/libpart.so", PART)
    put(release, "bin/tool", PART + PROGRAM)

    assert findings(release) == [("error", "bin/tool"), ("error", "lib/libpart.so")]


def test_a_library_of_the_release_has_it_though_nothing_says_that_it_is_needed(make: Make) -> None:
    release = make()
    put(release, "lib/libpart.so", PART)
    put(release, "lib/libother.so", "int forgotten(void) { return 1; }")

    assert findings(release) == []


def test_another_copy_of_the_c_library_than_it_was_linked_with(make: Make) -> None:
    """As in executorch's issue 7491: libc++_shared.so of another NDK."""
    release = make("android")
    name = "_ZTVNSt6__ndk114basic_ifstreamIcEE"
    versioned = release.linker.versioned("libc.so", "LIBC", "puts")
    shared = release.linker.needing("libc++_shared.so")
    release.host(
        "lib/libc++_shared.so", "int puts(void);\nint x(void) { return puts(); }", *versioned
    )
    source = f"extern int {name}; int puts(void);\nint part(void) {{ return puts() + {name}; }}"
    release.host("lib/libpart.so", source, *versioned, *shared)

    release.declare()
    (finding,) = [finding for finding in release.findings() if finding.rule == "host-symbols"]

    assert finding.message.startswith(f"libpart.so needs {name}, which")
    assert finding.remedy.startswith("Ship the libc++_shared.so that it was linked with")


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        ("int forgotten(void) __attribute__((weak));\nint part(void) { return forgotten(); }", ()),
        ("int memcpy(void);\nint part(void) { return memcpy(); }", ("no libc",)),
        ("int PyLong_FromLong(void);\nint PyInit_x(void) { return PyLong_FromLong(); }", ()),
        ("int napi_create(void);\nint part(void) { return napi_create(); }", (NO_SONAME,)),
        ("int rpcmem_alloc(void);\nint part(void) { return rpcmem_alloc(); }", ()),
    ],
    ids=["weak", "of the C library, not linked with it", "python", "node", "fastrpc"],
)
def test_right_imports(source: str, flags: Sequence[str], make: Make) -> None:
    release = make()
    without = "no libc" in flags
    put(release, "lib/part.so", source, *(() if without else flags), libc=not without)

    assert findings(release) == []


def test_a_versioned_symbol_is_one_of_the_device(make: Make) -> None:
    release = make()
    versioned = release.linker.versioned("libc.so.6", "GLIBC_2.17", "forgotten")
    release.host("lib/libpart.so", PART, *versioned)

    assert findings(release) == []


def test_a_python_module_is_only_excused_for_names_of_python(make: Make) -> None:
    """As in tensorflow's issue 51872."""
    release = make()
    source = "int PyLong_FromLong(void);\nint forgotten(void);\n"
    source += "int PyInit_x(void) { return PyLong_FromLong() + forgotten(); }"
    put(release, "lib/x.cpython-311-aarch64-linux-gnu.so", source, NO_SONAME)

    assert findings(release) == [("error", "lib/x.cpython-311-aarch64-linux-gnu.so")]


@pytest.mark.parametrize(
    ("exported", "expected"), [("int forgotten(void) { return 1; }", []), ("", ["warning"])]
)
def test_a_plugin_imports_from_its_program(exported: str, expected: list[str], make: Make) -> None:
    release = make()
    with_program(release, exported)
    put(release, "lib/plugin.so", PART, NO_SONAME)

    assert [severity for severity, _ in findings(release)] == expected


def test_nothing_is_known_of_a_plugin_of_a_program_elsewhere(make: Make) -> None:
    release = make()
    put(release, "lib/plugin.so", PART, NO_SONAME)

    assert findings(release) == []


@pytest.mark.parametrize("whose", ["library", "program"])
def test_nothing_is_known_of_a_library_of_the_device(whose: str, make: Make) -> None:
    release = make()
    release.target["system_libraries"] = ["libboard.so.1"]
    board = release.linker.needing("libboard.so.1")
    if whose == "program":
        with_program(release, "", *board)
    put(release, "lib/libpart.so", PART, *(board if whose == "library" else ()))

    assert findings(release) == []


def test_a_library_that_versions_its_newer_symbols_only_is_not_known(make: Make) -> None:
    """zlib does; libpng in Pillow's wheels needs symbols of both kinds."""
    release = make()
    versioned = release.linker.versioned("libz.so.1", "ZLIB_1.2.9", "newer")
    source = "int newer(void);\nint crc(void);\nint part(void) { return newer() + crc(); }"
    put(release, "lib/libpart.so", source, *versioned)

    assert findings(release) == []


def test_the_c_plus_plus_library_linked_without_versions_is_not_known(make: Make) -> None:
    """As in the wheels of tflite-runtime."""
    release = make()
    put(release, "lib/libpart.so", PART, *release.linker.needing("libstdc++.so.6"))

    assert findings(release) == []
