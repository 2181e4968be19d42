"""What CMake's checks read: sources, their headers, and headers that may appear."""

from __future__ import annotations

from functools import partial

import pytest

from tests.integration.scan.conftest import Tried, write

pytestmark = pytest.mark.long

LISTS = """\
cmake_minimum_required(VERSION 3.22)
project(app C CXX)
include(CheckIncludeFile)
include(CheckIncludeFileCXX)
include(CheckIncludeFiles)
include(CheckCSourceCompiles)
include(CheckCXXSourceCompiles)
include(CheckSymbolExists)
include(CheckTypeSize)
include(CheckStructHasMember)
set(here "${CMAKE_CURRENT_SOURCE_DIR}")
add_library(flags INTERFACE IMPORTED)
target_include_directories(flags INTERFACE "${here}/of target")
try_compile(A "${CMAKE_BINARY_DIR}/a" "${here}/try/a.c")
try_compile(B "${CMAKE_BINARY_DIR}/b" SOURCES "${here}/try/b.c" LINK_LIBRARIES flags
  CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${here}/flags one;${here}/flags2"
  COMPILE_DEFINITIONS -DNAMED=<named.h>)
try_run(RUN C "${CMAKE_BINARY_DIR}/c" "${here}/try/c.c")
try_compile(PROJECT_BUILT "${CMAKE_BINARY_DIR}/project" "${here}/project" inner)
set(CMAKE_REQUIRED_INCLUDES "${here}/first" "${here}/second")
file(READ try/text.c text)
check_c_source_compiles("${text}" FROM_FILE)
check_c_source_compiles("#if __has_include(\\"tested.h\\")\\n#endif\\nint main(void);" D)
check_cxx_source_compiles("#include <plus.h>\\nint main() { return 0; }" E)
check_include_file(file.h F)
check_include_file_cxx(file_cxx.h G)
check_include_files("one.h;two.h" H)
check_symbol_exists(symbol symbol.h I)
set(CMAKE_EXTRA_INCLUDE_FILES extra.h)
check_type_size(extra_t J)
check_struct_has_member("struct s" member struct.h K)
string(CONFIGURE "#include <@NAME@.h>\\nint main(void) { return 0; }" configured)
file(WRITE "${CMAKE_BINARY_DIR}/written.c" "#include \\"written.h\\"\\nint main(void);")
set(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -include forced.h -I'${here}/first'")
try_compile(L "${CMAKE_BINARY_DIR}/l" "${CMAKE_BINARY_DIR}/written.c")
"""
MAIN = "int main(void) { return 0; }\n"
FILES = {
    "CMakeLists.txt": LISTS,
    "try/a.c": '#include "a.h"\n' + MAIN,
    "try/a.h": '#include "nested/n.h"\n',
    "try/nested/n.h": "",
    "try/b.c": "#include <b.h>\n#include <t.h>\n#include NAMED\n#include OTHER\n" + MAIN,
    "flags one/b.h": "#define OTHER <other.h>\n",
    "flags2/named.h": "",
    "flags2/other.h": "",
    "of target/t.h": "",
    "try/c.c": '#include "c.h"\n' + MAIN,
    "try/c.h": "",
    "try/text.c": "#include <text.h>\n" + MAIN,
    "second/text.h": "",
    "second/forced.h": "",
    "project/CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\nproject(inner C)\n"
    "include(more.cmake)\nfile(READ ../read.txt r)\nadd_executable(inner i.c)\n"
    "target_include_directories(inner PRIVATE ../inner)\n",
    "project/more.cmake": "set(a b)\n",
    "project/i.c": "#include <i.h>\n" + MAIN,
    "inner/i.h": "",
    "read.txt": "",
    "unrelated.h": "",
}
CHANGED = [name for name in FILES if name not in ("unrelated.h", "CMakeLists.txt")]
APPEAR = (
    *("try/t.h", "flags one/named.h", "first/text.h", "second/tested.h", "first/plus.h"),
    *("second/file.h", "first/file_cxx.h", "first/one.h", "second/two.h", "second/symbol.h"),
    *("second/extra.h", "first/struct.h", "second/written.h", "first/forced.h"),
    *("project/i.h", "second/any/name.h"),
)
DEFINES = (
    *("CMAKE_SYSTEM_NAME=Linux", "RUN=0", "RUN__TRYRUN_OUTPUT=", "CMAKE_SYSTEM_PROCESSOR=aarch64"),
    *("CMAKE_C_COMPILER=aarch64-linux-gnu-gcc", "CMAKE_CXX_COMPILER=aarch64-linux-gnu-g++"),
)


def test_checks(tried: Tried) -> None:
    write(tried.source, FILES)
    tried.build(*DEFINES)
    found = tried.step_inputs()
    for name in CHANGED:
        file = tried.source / name
        rows = tried.after(found, partial(file.write_text, f"{FILES[name]}\n"))
        assert [(row.kind, row.path) for row in rows] == [("changed", f"{{project}}/src/{name}")]
        assert all(map(found.configuration.cmake_inputs.covers, rows))
    for name in APPEAR:
        path = tried.source / name
        assert tried.after(found, partial(write, path.parent, {path.name: ""})), name
    assert not tried.after(found, (tried.source / "unrelated.h").unlink)
