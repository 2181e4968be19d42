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
add_custom_command(OUTPUT table.h DEPENDS table.txt table.cmake
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/table.cmake)
add_executable(app main.c other.c table.h ${parts})
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
#include "table.h"
#ifndef SWITCH
#define SWITCH 0
#endif
#ifndef ADDED
#define ADDED 0
#endif
int other(void);
const char *words = WORDS;
int main(void)
{ return other() + words[2] + /*#*/1 + CONFIG + LEVEL + TABLE + SWITCH + ADDED + OWN + EXTRA; }
""",
    "host/other.c": '#include "level.h"\nint other(void) { return LEVEL + /*#*/1; }\n',
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
#include "entry.inc"
int inner(void);
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return LEVEL + EXTRA + OWN + ENTRY + inner(); }
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
    "host/shared.h": Source("#define SHARED /*#*/7\n"),
    "host/assets/two.txt": Source("two #1\n"),
    "host/assets/run.sh": Source("run #1\n", runs=True),
    "host/assets/deep/link": Source(link="../one.txt"),
    "dsp/a/first/level.h": Source('#include "shared.h"\n#define LEVEL (SHARED + /*#*/4)\n'),
    "dsp/a/first/shared.h": Source("#define SHARED /*#*/5\n"),
    "dsp/a/parts/two.c": Source(_PART.format("two")),
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
