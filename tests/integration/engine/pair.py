"""A project with a host and a skel that are quickly built, and machines that build it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.caches import share
from tests.command_line import Buildtool

HOST, SKEL = "host/app", "skel/dsp/v68"
FILES = {
    "buildtool.toml": """
[project]
name = "pair"
environment = ["LET_THROUGH"]

[host.app]
source = "host"

[skel.dsp]
source = "dsp"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]

[target.alone]
platform = "ubuntu-aarch64"
archs = []
""",
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
file(GLOB parts parts/*.c)
add_executable(app main.c ${parts})
target_include_directories(app PRIVATE first second)
install(TARGETS app RUNTIME DESTINATION bin)
""",
    "host/main.c": '#include "level.h"\nint main(void) { return LEVEL; }\n',
    "host/first/keep": "",
    "host/second/level.h": "#define LEVEL 1\n",
    "host/parts/one.c": "int part_one(void) { return 1; }\n",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(dsp C)
add_library(b_skel SHARED entry.c)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/entry.c": """
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)s; (void)p; return 0; }
int b_skel_invoke(unsigned s, void *p) { (void)s; (void)p; return 0; }
""",
}


@dataclass
class Machine:
    """A clone of the project, and the machine's own cache beside it.

    `variables` are the machine's environment besides that of the test.
    """

    folder: Path
    buildtool: Buildtool
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        share(self.cache)
        self.write()

    def write(self) -> None:
        """Bring the sources to their first state."""
        for path in [*self.root.rglob("*")]:
            name = str(path.relative_to(self.root))
            if path.is_file() and name not in FILES and not name.startswith(".buildtool"):
                path.unlink()
        for name, text in FILES.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    @property
    def root(self) -> Path:
        return self.folder / "clone"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def run(self, *arguments: str) -> CompletedProcess[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("BUILDTOOL_CACHE", str(self.cache))
            for name, value in self.variables.items():
                patch.setenv(name, value)
            done = self.buildtool(*arguments, cwd=self.root)
        assert "Traceback" not in done.stderr
        return done

    def build(self, target: str = "sim", *options: str) -> tuple[dict[str, str], str]:
        """Build; returns step → outcome, with the cache's name behind it, and what was said."""
        done = self.run("build", target, "--json", *options)
        assert done.returncode == 0, done.stderr
        steps = json.loads(done.stdout)["steps"]
        outcomes = {s["name"]: f"{s['outcome']} {s['origin'] or ''}".strip() for s in steps}
        return outcomes, done.stderr

    def why(self, *options: str) -> str:
        done = self.run("why", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def why_json(self, *options: str) -> dict[str, dict[str, Any]]:
        """What `why --json` says, by step."""
        return {row["name"]: row for row in json.loads(self.why("--json", *options))["steps"]}

    def staged(self, target: str = "sim") -> dict[str, bytes]:
        stage = self.root / ".buildtool/stage" / target
        return {str(p.relative_to(stage)): p.read_bytes() for p in stage.rglob("*") if p.is_file()}

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text()
        assert old in text
        (self.root / name).write_text(text.replace(old, new))
