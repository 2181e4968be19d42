"""A project with a host and two skels, and records of what its builds run."""

from __future__ import annotations

import re

from tests.project import Outcomes, Project

HOST, A, B = "host/app", "skel/a/v68", "skel/b/v68"
FILES = {
    "buildtool.toml": """
[project]
name = "subject"
environment = ["LET_THROUGH"]

[host.app]
source = "host"
inputs = ["host/declared.txt"]

[skel.a]
source = "dsp/a"
idl = "dsp/calc.idl"

[skel.b]
source = "dsp/b"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]

[target.more]
platform = "ubuntu-aarch64"
archs = ["v68", "v73"]
""",
    "dsp/calc.idl": """#include "types.idl"
interface calc { long add(in number x, rout number y); };
""",
    "dsp/types.idl": "typedef long number;\n",
    "common/shared.h": "/* shared */\n#define SHARED 1\n",
    "common/level.h": "#define LEVEL 1\n",
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
find_package(Buildtool REQUIRED)
buildtool_add_stub(stub IDL ../dsp/calc.idl)
file(STRINGS words.txt words)
add_executable(app main.c other.c)
target_compile_definitions(app PRIVATE "WORDS=\\"${words}\\"")
target_link_libraries(app PRIVATE stub Buildtool::cdsprpc)
install(TARGETS app RUNTIME DESTINATION bin)
install(FILES data.txt DESTINATION share)
""",
    "host/main.c": """#include "calc.h"
int other(void);
int main(void) { return other() + sizeof WORDS; }
""",
    "host/other.c": "int other(void) { return 1; }\n",
    "host/words.txt": "one\n",
    "host/data.txt": "data\n",
    "host/declared.txt": "declared\n",
    "dsp/a/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(a C)
find_package(Buildtool REQUIRED)
file(GLOB parts CONFIGURE_DEPENDS parts/*.c)
buildtool_add_skel(calc IDL ../calc.idl SOURCES imp.c ${parts})
target_include_directories(calc PRIVATE first ../../common)
install(TARGETS calc LIBRARY DESTINATION .)
""",
    "dsp/a/imp.c": """#include "calc.h"
#include "level.h"
#include "shared.h"
int calc_add(int x, int *y) { *y = x + LEVEL + SHARED; return 0; }
int calc_open(const char *uri, unsigned long long *h) { (void)uri; *h = 1; return 0; }
int calc_close(unsigned long long h) { (void)h; return 0; }
""",
    "dsp/a/parts/one.c": "int part_one(void) { return 1; }\n",
    "dsp/a/first/keep": "",
    "dsp/b/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(b C)
file(GLOB parts parts/*.c)
add_library(b_skel SHARED entry.c ${parts})
target_include_directories(b_skel PRIVATE ../../common)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/b/entry.c": """#include "shared.h"
#ifndef EXTRA
#define EXTRA 0
#endif
#ifndef MORE
#define MORE 0
#endif
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return SHARED + EXTRA + MORE; }
int b_skel_invoke(unsigned s, void *p) { (void)s; (void)p; return 0; }
""",
    "dsp/b/parts/one.c": "int part_one(void) { return 1; }\n",
}
_EDGE = re.compile(r"\[\d+/\d+\] (.*)")
_COMPILE = re.compile(r"Building C object .*?([\w.]+)\.o(?:bj)?$")
_LINK = re.compile(r"Linking C (?:executable|shared library) (?:\S*/)?(\S+)$")


class Subject(Project):
    """The project, and the steps and commands that its builds run."""

    def rebuilt(self, target: str = "sim") -> Outcomes:
        """Build; returns the outcomes of the steps that were not up to date."""
        return {name: how for name, how in self.build_here(target).items() if how != "up-to-date"}

    def commands(self, step: str) -> list[str]:
        """The commands of the last build that ran `step`, sorted: `main.c` for a compilation,
        `link app`, `idl`, `configure`."""
        log = self.root / ".buildtool/state/logs" / f"{step.replace('/', '-')}.log"
        lines = log.read_text().splitlines()
        found = ["configure"] if any("--trace-expand" in x and " -S " in x for x in lines) else []
        for line in lines:
            edge = _EDGE.match(line)
            if not edge:
                continue
            if compiled := _COMPILE.search(edge[1]):
                found.append(compiled[1])
            elif linked := _LINK.search(edge[1]):
                found.append(f"link {linked[1]}")
            elif not edge[1].startswith("Re-checking"):  # globs, which every build checks
                found.append(edge[1].split()[0].lower())
        return sorted(found)
