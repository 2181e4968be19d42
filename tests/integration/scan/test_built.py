"""The files that compilers read, and those that they would read if they existed."""

from __future__ import annotations

from functools import partial

import pytest

from buildtool.toolchains.arm64 import ubuntu_aarch64
from tests.integration.scan.conftest import Tried, try_in, write

LISTS = """\
cmake_minimum_required(VERSION 3.25)
project(app C CXX ASM)
set(here "${CMAKE_CURRENT_SOURCE_DIR}")
add_custom_command(OUTPUT gen/gen.h DEPENDS gen.txt
  COMMAND "${CMAKE_COMMAND}" -E copy "${here}/gen.txt" gen/gen.h)
add_custom_command(OUTPUT "${here}/in_source.h" DEPENDS gen2.txt
  COMMAND "${CMAKE_COMMAND}" -E copy "${here}/gen2.txt" "${here}/in_source.h")
add_library(app STATIC main.c more.cpp start.S linked/link.c gen/gen.h in_source.h)
target_include_directories(app PRIVATE first "in c" ../common/../common/inc "${CMAKE_CURRENT_BINARY_DIR}/gen")
target_include_directories(app SYSTEM PRIVATE third)
target_compile_options(app PRIVATE "-I${here}/late")
add_library(other STATIC EXCLUDE_FROM_ALL other.c)
"""  # noqa: E501
FILES = {
    "src/CMakeLists.txt": LISTS,
    "src/main.c": '#include "beside.h"\n#include <plain.h>\n#include <sub dir/spaced.h>\n'
    '#include "../up/rel.h"\n#include <shared.h>\n#include <third.h>\n#include <late.h>\n'
    '#include <gen.h>\n#include <stddef.h>\n#include "in_source.h"\nint a;\n',
    "src/more.cpp": "#include <plain.h>\n#include <cstddef>\nint b;\n",
    "src/start.S": '#include "asm.h"\n.text\n',
    "src/other.c": '#include "other.h"\n',
    "src/beside.h": '#include "inner.h"\n',
    "src/in c/plain.h": "",
    "src/in c/inner.h": "",
    "src/in c/sub dir/spaced.h": "",
    "src/third/third.h": "",
    "src/late/late.h": "",
    "src/asm.h": "",
    "src/other.h": "",
    "src/gen.txt": "",
    "src/gen2.txt": "",
    "up/rel.h": "",
    "common/inc/shared.h": "",
    "elsewhere/link.c": '#include "link.h"\nint c;\n',
    "elsewhere/link.h": "",
    "src/first/in_use.h": "",
}
READ = {
    "src/main.c": {"main.c"},
    "src/more.cpp": {"more.cpp"},
    "src/start.S": {"start.S"},
    "src/linked/link.c": {"link.c"},
    "src/linked/link.h": {"link.c"},
    "src/beside.h": {"main.c"},
    "src/in c/plain.h": {"main.c", "more.cpp"},
    "src/in c/inner.h": {"main.c"},
    "src/in c/sub dir/spaced.h": {"main.c"},
    "up/rel.h": {"main.c"},
    "common/inc/shared.h": {"main.c"},
    "src/third/third.h": {"main.c"},
    "src/late/late.h": {"main.c"},
    "src/asm.h": {"start.S"},
    "src/gen.txt": {"gen.h"},
    "src/gen2.txt": {"in_source.h"},
}
SHADOWING = (
    "src/first/plain.h",
    "src/first/sub dir/spaced.h",
    "src/inner.h",
    "src/first/third.h",
    "src/in c/late.h",
    "src/in c/stddef.h",
    "src/late/gen.h",  # next to late.h, which may include it with quotation marks
    "src/first/gen.h",
    "src/first/inner.h",
)


@pytest.fixture(scope="module", params=["gcc", "zig"])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tried:
    tried = try_in(tmp_path_factory.mktemp("built"))
    write(tried.root, FILES)
    (tried.source / "linked").symlink_to("../elsewhere")
    if request.param == "gcc":
        tried.build(*GCC, *QUICK)
    else:
        file = tried.root / "toolchain.cmake"
        file.write_text(ubuntu_aarch64().cmake_toolchain())
        tried.build(f"CMAKE_TOOLCHAIN_FILE={file}", *QUICK)
    return tried


GCC = (
    "CMAKE_SYSTEM_NAME=Linux",
    "CMAKE_C_COMPILER=aarch64-linux-gnu-gcc",
    "CMAKE_CXX_COMPILER=aarch64-linux-gnu-g++",
    "CMAKE_ASM_COMPILER=aarch64-linux-gnu-gcc",
)
QUICK = ("CMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",)


def made(tried: Tried, *names: str) -> dict[str, set[str]]:
    """The outputs that are built directly from the sources and headers with these names."""
    paths = {name: tried.root / name for name in names}
    found = tried.scanner.dependents(paths.values())
    assert all(path.exists() for outputs in found.values() for path in outputs)
    return {n: {p.name.removesuffix(".o") for p in found[paths[n]]} for n in names}


def test_what_compilers_read(built: Tried) -> None:
    found = built.step_inputs()
    assert made(built, *READ) == READ
    for name in READ:
        file = built.root / name
        rows = built.after(found, partial(file.write_text, file.read_text() + "\n"))
        assert [(row.kind, row.path) for row in rows] == [("changed", f"{{project}}/{name}")]
        assert f"{{project}}/{name}" not in found.configuration.cmake_inputs.files
    for name in ("src/other.c", "src/other.h", "src/first/in_use.h", "src/in_source.h"):
        assert not built.after(found, partial((built.root / name).write_text, "\n")), name
    assert not [name for name in found.paths.files if ".buildtool" in name or "{tree}" in name]
    assert not any(made(built, "src/CMakeLists.txt", "src/first/in_use.h", "nowhere.h").values())


def test_headers_that_shadow(built: Tried) -> None:
    found = built.step_inputs()
    for name in SHADOWING:
        path = built.root / name
        rows = built.after(found, partial(write, path.parent, {path.name: "#define NEW\n"}))
        assert "appeared" in {row.kind for row in rows}, name
        path.unlink()
        while not any(path.parent.iterdir()):
            path = path.parent
            path.rmdir()
    for name in ("src/first/other.h", "src/unused/plain.h", "up/plain2.h", "src/third/stddef2.h"):
        assert not built.after(found, partial(write, built.root, {name: ""})), name


def test_one_target(tried: Tried) -> None:
    """The inputs of targets that are not built do not matter."""
    write(tried.root, FILES)
    (tried.source / "linked").symlink_to("../elsewhere")
    tried.targets = ("other",)
    tried.build(*GCC, *QUICK)
    tried.ninja()  # builds the other targets too
    names = {name for name in tried.step_inputs().paths.files if name.startswith("{project}")}
    assert names == {f"{{project}}/src/{name}" for name in ("CMakeLists.txt", "other.c", "other.h")}
