"""Sources of a host and two skels that read files in many ways, as values that edits change."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its text, or the target of a link; `runs` is whether it is executable."""

    text: str = ""
    link: str = ""
    runs: bool = False


State = Mapping[str, Source]
"""All sources, by path from the project's root."""

COMPONENTS = ("host", "dsp/a", "dsp/b")
NUMBER = re.compile(r'(#[^\d\n]{0,4}|[A-Z] ?=[ "]*)(\d)')
"""A number in a file that changes the outputs: `/*#*/1`, `1`, `#1`."""

_SECTIONS = {
    "": """[project]
name = "truth"
""",
    "host": """
[host.app]
source = "host"
inputs = ["host/declared.txt"]
defines = {EXTRA = "1"}
""",
    "dsp/a": """
[skel.a]
source = "dsp/a"
idl = "dsp/calc.idl"
""",
    "dsp/b": """
[skel.b]
source = "dsp/b"
defines = {EXTRA = "1"}
""",
}
_TARGET = """
[target.sim]
platform = "ubuntu-aarch64"
archs = {archs}
"""
_TEXTS = {
    "buildtool.toml": "".join(_SECTIONS.values()) + _TARGET.format(archs='["v68"]'),
    "common/shared.h": "#define SHARED /*#*/1\n",
    "common/level.h": '#include "shared.h"\n#define LEVEL (SHARED + /*#*/1)\n',
    "common/flags.cmake": "add_compile_definitions(FLAGS=1)\n",
    "dsp/calc.idl": '#include "types.idl"\n'
    "interface calc { const long MOST = /*#*/1; long add(in number x, rout number y); };\n",
    "dsp/types.idl": "typedef long number; const long LEAST = /*#*/1;\n",
    "host/CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(app C)
find_package(Buildtool REQUIRED)
buildtool_add_stub(stub IDL ../dsp/calc.idl)

file(STRINGS words.txt words)
file(GLOB parts parts/*.c)
configure_file(config.h.in config.h)
include(extra.cmake OPTIONAL)
if(EXISTS ${CMAKE_SOURCE_DIR}/switch)
  add_compile_definitions(SWITCH=5)
endif()
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
try_compile(CHECKED ${CMAKE_BINARY_DIR}/checked ${CMAKE_SOURCE_DIR}/check/check.c
  CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${CMAKE_SOURCE_DIR}/check/first;${CMAKE_SOURCE_DIR}/../common")
if(CHECKED)
  add_compile_definitions(CHECKED=7)
endif()
include(ExternalProject)
ExternalProject_Add(outer SOURCE_DIR ${CMAKE_SOURCE_DIR}/outer INSTALL_COMMAND ""
  BINARY_DIR ${CMAKE_BINARY_DIR}/outer BUILD_BYPRODUCTS ${CMAKE_BINARY_DIR}/outer/outer.h)
add_custom_command(OUTPUT table.h DEPENDS table.txt table.cmake
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/table.cmake)
add_executable(app main.c other.c table.h ${parts})
add_dependencies(app outer)
target_include_directories(app PRIVATE ${CMAKE_BINARY_DIR} first ../common)
target_compile_definitions(app PRIVATE WORDS="${words}" OWN=1 EXTRA=${EXTRA})
target_link_libraries(app PRIVATE stub Buildtool::cdsprpc)
install(TARGETS app RUNTIME DESTINATION bin)
install(FILES data.txt DESTINATION share)
install(DIRECTORY assets DESTINATION share USE_SOURCE_PERMISSIONS)
""",
    "host/main.c": """#include "calc.h"
#include "config.h"
#include "level.h"
#include "outer/outer.h"
#include "table.h"
#if __has_include("tested.h")
#define TESTED 11
#elif __has_include(<deep/tested.h>)
#define TESTED 12
#else
#define TESTED 13
#endif
#ifndef CHECKED
#define CHECKED 0
#endif
#ifndef SWITCH
#define SWITCH 0
#endif
#ifndef ADDED
#define ADDED 0
#endif
int other(void);
const char *words = WORDS;
int main(void)
{ return other() + words[2] + /*#*/1 + CONFIG + LEVEL + TABLE + SWITCH + ADDED + OWN + EXTRA
  + TESTED + CHECKED + OUTER; }
""",
    "host/other.c": '#include "level.h"\nint other(void) { return LEVEL + /*#*/1; }\n',
    "host/check/check.c": """#include "check.h"
#if CHECK > 5 || __has_include(<unread.h>)
#error no
#endif
""",
    "host/check/check.h": "#include <shared.h>\n#define CHECK (SHARED + /*#*/1)\n",
    "host/outer/CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(outer NONE)
file(GLOB parts parts/*.txt)
list(LENGTH parts number)
add_custom_target(outer ALL COMMAND ${CMAKE_COMMAND} -DNUMBER=${number}
  -P ${CMAKE_SOURCE_DIR}/outer.cmake)
""",
    "host/outer/outer.cmake": 'file(WRITE outer.h "#define OUTER ${NUMBER} + /*#*/1\\n")\n',
    "host/outer/parts/one.txt": "",
    "host/config.h.in": "#define CONFIG /*#*/1\n",
    "host/table.txt": "#1\n",
    "host/table.cmake": """file(READ ${SOURCE}/table.txt text)
string(REGEX MATCH "[0-9]" number "${text}")
file(WRITE table.h "#define TABLE ${number} + /*#*/1\\n")
""",
    "host/words.txt": "W=1\n",
    "host/data.txt": "data #1\n",
    "host/declared.txt": "declared #1\n",
    "host/assets/one.txt": "one #1\n",
    "dsp/a/CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(a C)
find_package(Buildtool REQUIRED)
file(GLOB parts CONFIGURE_DEPENDS parts/*.c)
buildtool_add_skel(calc IDL ../calc.idl SOURCES imp.c ${parts})
target_include_directories(calc PRIVATE first ../../common)
target_compile_definitions(calc PRIVATE OWN=1)
install(TARGETS calc LIBRARY DESTINATION .)
""",
    "dsp/a/imp.c": """#include "calc.h"
#include "level.h"
int calc_add(int x, int *y) { *y = x + LEVEL + OWN + /*#*/1; return 0; }
int calc_open(const char *uri, unsigned long long *h) { (void)uri; *h = 1; return 0; }
int calc_close(unsigned long long h) { (void)h; return 0; }
""",
    "dsp/a/parts/one.c": "int part_one(void) { return /*#*/1; }\n",
    "dsp/b/CMakeLists.txt": """cmake_minimum_required(VERSION 3.22)
project(b C)
include(../../common/flags.cmake)
file(GLOB_RECURSE parts parts/*.c)
add_subdirectory(lib)
add_library(b_skel SHARED entry.c ${parts})
target_include_directories(b_skel PRIVATE ../../common)
target_compile_definitions(b_skel PRIVATE EXTRA=${EXTRA} OWN=1)
target_link_libraries(b_skel PRIVATE inner)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/b/lib/CMakeLists.txt": "add_library(inner STATIC inner.c)\n"
    "target_compile_definitions(inner PRIVATE INNER=1)\n",
    "dsp/b/lib/inner.c": "int inner(void) { return INNER + FLAGS + /*#*/1; }\n",
    "dsp/b/entry.c": """#include "level.h"
#define TEST(name) __has_include(name)
#if TEST("lib/tested.h")
#define TESTED 1
#else
#define TESTED 2
#endif
#include "entry.inc"
int inner(void);
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return LEVEL + EXTRA + OWN + ENTRY + TESTED + inner(); }
int b_skel_invoke(unsigned s, void *p) { (void)s; (void)p; return 0; }
""",
    "dsp/b/entry.inc": "#define ENTRY /*#*/1\n",
    "dsp/b/parts/one.c": "int part_one(void) { return /*#*/1; }\n",
}
FIRST: State = {name: Source(text) for name, text in _TEXTS.items()}
_PART = "int part_{}(void) {{ return /*#*/1; }}\n"
OPTIONAL: State = {
    "host/parts/two.c": Source(_PART.format("two")),
    "host/parts/three.c": Source(_PART.format("three")),
    "host/extra.cmake": Source("add_compile_definitions(ADDED=1)\n"),
    "host/switch": Source("#1"),
    "host/first/level.h": Source("#define LEVEL /*#*/2\n"),
    "host/level.h": Source("#define LEVEL /*#*/3\n"),
    "host/tested.h": Source(""),
    "host/first/deep/tested.h": Source(""),
    "common/tested.h": Source(""),
    "host/check/first/check.h": Source("#define CHECK /*#*/3\n"),
    "host/check/first/shared.h": Source("#define SHARED /*#*/3\n"),
    "host/outer/parts/two.txt": Source(""),
    "host/shared.h": Source("#define SHARED /*#*/7\n"),
    "host/assets/two.txt": Source("two #1\n"),
    "host/assets/run.sh": Source("run #1\n", runs=True),
    "host/assets/deep/link": Source(link="../one.txt"),
    "dsp/a/first/level.h": Source('#include "shared.h"\n#define LEVEL (SHARED + /*#*/4)\n'),
    "dsp/a/first/shared.h": Source("#define SHARED /*#*/5\n"),
    "dsp/a/parts/two.c": Source(_PART.format("two")),
    "dsp/b/lib/tested.h": Source(""),
    "dsp/b/level.h": Source("#define LEVEL /*#*/6\n"),
    "dsp/b/parts/two.c": Source(_PART.format("two")),
    "dsp/b/parts/deep/three.c": Source(_PART.format("three")),
    "common/unread.h": Source("#define UNREAD /*#*/1\n"),
}
"""Files that edits add and remove."""


def alone(state: State, component: str) -> State:
    """A project of one component, with all files of `state` that it can depend on."""
    others = tuple(f"{name}/" for name in COMPONENTS if name != component)
    own = {name: source for name, source in state.items() if not name.startswith(others)}
    sections = {part.split("]")[0].strip(): part for part in _split(state["buildtool.toml"].text)}
    archs = [] if component == "host" else ["v68"]
    header = _SECTIONS[component].split("]")[0].strip()
    text = sections["[project"] + sections[header] + _TARGET.format(archs=json.dumps(archs))
    return {**own, "buildtool.toml": Source(text)}


def _split(text: str) -> list[str]:
    return re.split(r"(?=\n\[)", text)
