"""A project with a host and six skels, and what a build of it did: steps and commands."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from tests.command_line import Buildtool

ARCHS = ("v68", "v73", "v79")
HOST = "host/app"
A = tuple(f"skel/a/{arch}" for arch in ARCHS)
B = tuple(f"skel/b/{arch}" for arch in ARCHS)
FILES = {
    "buildtool.toml": f"""
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
archs = {json.dumps(list(ARCHS))}

[target.other]
platform = "ubuntu-aarch64"
archs = ["v68"]
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
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return SHARED + EXTRA; }
int b_skel_invoke(unsigned s, void *p) { (void)s; (void)p; return 0; }
""",
    "dsp/b/parts/one.c": "int part_one(void) { return 1; }\n",
}
_EDGE = re.compile(r"\[\d+/\d+\] (.*)")
_COMPILE = re.compile(r"Building C object .*?([\w.]+)\.o(?:bj)?$")
_LINK = re.compile(r"Linking C (?:executable|shared library) (?:\S*/)?(\S+)$")


@dataclass
class Subject:
    """The project in `root`, and how to build it."""

    root: Path
    buildtool: Buildtool
    environment: dict[str, str] = field(default_factory=dict)

    def write(self) -> None:
        """Bring the sources to their first state; untouched files keep their time stamps."""
        known = {self.root / name for name in FILES}
        for path in [*self.root.rglob("*")]:
            if ".buildtool" not in path.parts and path.is_file() and path not in known:
                path.unlink()
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_text() != text:
                path.write_text(text)

    def forget(self) -> None:
        """Leave the build trees, and nothing else that was built."""
        for name in ("state", "out", "stage"):
            shutil.rmtree(self.root / ".buildtool" / name, ignore_errors=True)

    def build(self, target: str = "sim", *options: str) -> dict[str, str]:
        """Build; returns step → outcome, of those that were not up to date."""
        done = self.buildtool("build", target, "--json", *options, cwd=self.root)
        assert done.returncode == 0, done.stderr
        return {
            step["name"]: step["outcome"]
            for step in json.loads(done.stdout)["steps"]
            if step["outcome"] != "up-to-date"
        }

    def commands(self, step: str) -> list[str]:
        """What the last build that ran `step` did: `main.c` for a compilation, `link app`, `idl`,
        `configure`; sorted."""
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
            elif not edge[1].startswith("Re-checking"):  # globs, which every build looks at
                found.append(edge[1].split()[0].lower())
        return sorted(found)

    def outputs(self) -> dict[str, bytes]:
        """What is staged for `sim`."""
        stage = self.root / ".buildtool/stage/sim"
        return {str(p.relative_to(stage)): p.read_bytes() for p in stage.rglob("*") if p.is_file()}

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text()
        assert old in text
        (self.root / name).write_text(text.replace(old, new))
