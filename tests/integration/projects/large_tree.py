"""A CMake tree of a given size with many targets, for both sides.

Functions of a module define the ARM64 side: libraries and programs with install() rules, some of
them disabled.  Separate steps build a tool for the build machine, and skels for four archs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

ARCHS = ("v68", "v73", "v75", "v79")
TOP = """\
cmake_minimum_required(VERSION 3.22)
project(fleet VERSION 1.4 LANGUAGES C)
include(ExternalProject)
include(cmake/Fleet.cmake)
option(FLEET_LARGE "Targets that most do without" OFF)
option(FLEET_HTP "The skels as well" ON)
if(FLEET_HTP)
  add_subdirectory(htp)
endif()
ExternalProject_Add(table_maker SOURCE_DIR ${CMAKE_SOURCE_DIR}/tools/table_maker
  CMAKE_ARGS -DCMAKE_C_COMPILER=cc INSTALL_COMMAND "")
add_subdirectory(libraries)
add_subdirectory(programs)
if(FLEET_LARGE)
  add_subdirectory(extras)
endif()
"""
MODULE = """\
include(GNUInstallDirs)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
macro(fleet_library name)
  add_library(${name} ${ARGN} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.c)
  target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  fleet_ship(${name})
endmacro()
function(fleet_program name)
  add_executable(fleet-${name} ${name}.c)
  set_target_properties(fleet-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  target_link_libraries(fleet-${name} PRIVATE ${ARGN})
  fleet_ship(fleet-${name})
endfunction()
function(fleet_ship name)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE EXCLUDE_FROM_ALL)
endfunction()
"""
STEP = """\
function(fleet_skel arch)
  ExternalProject_Add(fleet-${arch} SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/skel
    INSTALL_COMMAND "" CMAKE_ARGS -DCMAKE_TOOLCHAIN_FILE=${HTP_TOOLCHAIN} -DDSP_VERSION=${arch})
endfunction()
"""
SKEL = """\
cmake_minimum_required(VERSION 3.22)
project(fleet-htp C)
function(fleet_part name)
  add_library(${name} STATIC ${name}.c)
  target_link_libraries(fleet-${DSP_VERSION} PRIVATE ${name})
endfunction()
add_library(fleet-${DSP_VERSION} SHARED entry.c)
"""
ENTRY = "int fleet_skel_handle_invoke(void) { return 0; }\n"
TOOL = """\
cmake_minimum_required(VERSION 3.22)
project(table_maker NONE)
add_custom_target(table ALL COMMAND ${CMAKE_COMMAND} -E touch table)
"""


def write_large_tree(root: Path, size: int) -> None:
    """Write a tree with `size` libraries, as many programs, and as many parts of the skel."""
    write(root, "CMakeLists.txt", TOP)
    write(root, "cmake/Fleet.cmake", MODULE)
    write(root, "tools/table_maker/CMakeLists.txt", TOOL)
    libraries, programs, parts = [], [], []
    for number in range(size):
        library, program, part = (f"{kind}{number}" for kind in ("lib", "prog", "part"))
        kind = "SHARED" if number % 4 == 0 else "STATIC"
        libraries.append(f"fleet_library({library} {kind})")
        write(root, f"libraries/{library}.c", f"int {library}(void) {{ return {number}; }}\n")
        write(root, f"libraries/{library}.h", f"int {library}(void);\n")
        programs.append(f"fleet_program({program} {library})")
        text = f'#include "{library}.h"\nint main(void) {{ return {library}(); }}\n'
        write(root, f"programs/{program}.c", text)
        parts.append(f"fleet_part({part})")
        write(root, f"htp/skel/{part}.c", f"int {part}(void) {{ return {number}; }}\n")
    write(root, "libraries/CMakeLists.txt", "\n".join(libraries))
    write(root, "programs/CMakeLists.txt", "\n".join(programs))
    write(root, "extras/CMakeLists.txt", "add_executable(huge huge.c)\ninstall(TARGETS huge)\n")
    write(root, "extras/huge.c", "int main(void) { return 0; }\n")
    calls = "".join(f"fleet_skel({arch})\n" for arch in ARCHS)
    write(root, "htp/CMakeLists.txt", STEP + calls)
    write(root, "htp/skel/CMakeLists.txt", SKEL + "\n".join(parts))
    write(root, "htp/skel/entry.c", ENTRY)


def check_large_tree(found: dict[str, Any], name: str) -> None:
    """Check what is proposed for it as the project `name`."""
    assert found["project"] == {"name": name, "version": "1.4"}
    assert found["host"] == {"fleet": {"source": ".", "defines": {"FLEET_HTP": False}}}
    assert found["skel"] == {
        "fleet-htp": {
            "source": "htp/skel",
            "archs": list(ARCHS),
            "defines": {"DSP_VERSION": "{arch}"},
            "artifacts": ["libfleet-{arch}.so"],
        }
    }
    assert found["target"] == {"sim": {"platform": "ubuntu-aarch64", "archs": list(ARCHS)}}


def write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
