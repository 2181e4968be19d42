"""Compares buildtool with a CMake superbuild, which has an ExternalProject for each arch
(BUILD_ALWAYS), and with Ninja.  All times are measured in one run.

    python bench/build.py [--many]

`--many` also measures a project of 60 skels, which takes some minutes to build.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measure import BUILDTOOL, Command, Run, as_installed, head, medians, row, run
from workload import ARCHS, OTHER, functions, git, skel_tree, write, write_inputs, write_superbuild

from buildtool.core.cache import cache_dir
from buildtool.sdk.packaged_tools import find_cmake

INPUTS = 50_000
OURS = (*BUILDTOOL, "build")
CMAKE = find_cmake()


@dataclass(frozen=True)
class Compared:
    """A project and a superbuild of the same sources, both in `folder`; `toolchains` and
    `launchers` are compiler launchers of the superbuild."""

    folder: Path
    skels: int
    environment: dict[str, str]
    toolchains: Path
    launchers: dict[str, Path]

    @property
    def root(self) -> Path:
        return self.folder / "project"

    @property
    def tree(self) -> Path:
        return self.folder / "superbuild" / "build"

    @property
    def configure(self) -> Command:
        source = self.folder / "superbuild"
        ninja = f"-DCMAKE_MAKE_PROGRAM={CMAKE.ninja}"
        return [CMAKE.program, "-G", "Ninja", ninja, "-S", source, "-B", self.tree]

    @property
    def superbuild(self) -> Command:
        return [CMAKE.program, "--build", self.tree]

    def write_superbuild(self) -> None:
        folder = self.folder / "superbuild"
        write_superbuild(folder, self.root, self.skels, self.toolchains, self.launchers)

    def builds(self, before: Callable[[], object] = lambda: None) -> tuple[Run, Run]:
        """The build by buildtool, after a call of `before`, and the superbuild."""
        return (
            Run([OURS], self.root, self.environment, before),
            Run([self.superbuild], self.root, self.environment),
        )


def compared(folder: Path, skels: int, launcher: str = "") -> Compared:
    """A new project and its superbuild, both built."""
    found = as_installed()
    zig_cache = str(cache_dir() / "zig")  # as for buildtool: it contains zig's C libraries
    environment = {
        **found,
        "PATH": f"{CMAKE.ninja.parent}:{found['PATH']}",
        "BUILDTOOL_LAUNCHER": launcher or "none",
        "CCACHE_DIR": str(folder / "ccache"),
        "ZIG_GLOBAL_CACHE_DIR": zig_cache,
        "ZIG_LOCAL_CACHE_DIR": zig_cache,
    }
    both = Compared(folder, skels, environment, folder / "toolchains", {})
    write(both.root, skels)
    for arch in ("", *ARCHS):
        to: list[str | Path] = ["--output", both.toolchains / f"{arch or 'host'}.cmake"]
        chosen = ["--arch", arch] if arch else []
        run([*BUILDTOOL, "profile", "sim", *to, *chosen], both.root, environment)
    run(OURS, both.root, environment)
    if launcher:
        # zig's compiler commands are two words, which launchers do not support: the superbuild
        # uses the launcher scripts that buildtool has written.
        plan = json.loads(run([*OURS, "--plan", "--json"], both.root, environment))
        scripts = {
            step["arch"] or "host": Path(step["tree"], "launcher", launcher)
            for step in plan["steps"]
        }
        both = dataclasses.replace(both, launchers=scripts)
    both.write_superbuild()
    run(both.configure, folder, environment)
    run(both.superbuild, folder, environment)
    return both


def compare(folder: Path, launcher: str, rounds: int) -> Compared:
    """Measure builds with one compiler launcher and print their rows; returns the project."""
    both = compared(folder, 1, launcher)
    kind = f", {launcher}" if launcher else ""
    row(f"no-op, 6 skels{kind}", medians(rounds, *both.builds()), aim="≤ 0.50")
    edit = Edit(both.root / "work0" / "work0_skel_1.c")
    row(f"edit of a file of 6 skels{kind}", medians(3, *both.builds(edit)))
    edit.undo()
    switches = itertools.cycle([OTHER, "main"])
    builds = both.builds(lambda: git(both.root, "switch", "--quiet", next(switches)))
    medians(2, *builds)  # build each branch once first
    aim = "" if launcher else "≤ 0.10"  # with a launcher, the superbuild compiles nothing either
    row(f"switch of branches, both known{kind}", medians(4, *builds), aim=aim)
    row(f"clean clone, caches as they are{kind}", medians(2, *clean_clones(both)))
    return both


class Edit:
    """Changes a file, to which `more` is appended, so that each version is new to all caches."""

    def __init__(self, file: Path, more: str = "") -> None:
        self.file = file
        self.text = file.read_text(encoding="utf-8") + more
        self.number = file.stat().st_mtime_ns

    def __call__(self) -> None:
        self.number += 1
        self.file.write_text(f"{self.text}int edit_{self.number}(void) {{ return 1; }}\n")

    def undo(self) -> None:
        self.file.write_text(self.text, encoding="utf-8")


def clean_clones(both: Compared) -> tuple[Run, Run]:
    """Both builds, each time in a new clone."""
    fresh = dataclasses.replace(both, folder=both.folder / "clone")

    def clone() -> None:
        shutil.rmtree(fresh.folder, ignore_errors=True)
        fresh.folder.mkdir()
        git(both.root, "clone", "--quiet", ".", fresh.root)
        fresh.write_superbuild()

    ours, theirs = fresh.builds()
    return (
        dataclasses.replace(ours, before=clone),
        dataclasses.replace(theirs, commands=[fresh.configure, *theirs.commands], cwd=both.folder),
    )


def edit_against_ninja(both: Compared, rounds: int) -> None:
    """Measure an edit of a file of one skel for one arch, against Ninja in a tree of the same
    sources."""
    run([*OURS, "one"], both.root, both.environment)
    file = both.root / "work0" / "work0_skel_2.c"
    small = Edit(file)
    ninja: Command = [CMAKE.ninja, "-C", both.tree / skel_tree(0, ARCHS[0])]
    for what, edit in (("100", small), ("500", Edit(file, functions("more", 50)))):
        times = medians(
            rounds,
            Run([[*OURS, "one"]], both.root, both.environment, edit),
            Run([ninja], both.root, both.environment),
        )
        row(f"edit of a file of {what} lines, one skel / Ninja", times, aim="≤ 1.30")
    small.undo()


def many_inputs(folder: Path, rounds: int) -> None:
    write_inputs(folder, INPUTS)
    environment = as_installed()
    run(OURS, folder, environment)
    row(
        f"no-op, {INPUTS:,} input files",
        medians(rounds, Run([OURS], folder, environment)),
        aim="< 1000 ms",
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure builds.")
    parser.add_argument("--many", action="store_true", help="also measure 60 skels (takes minutes)")
    parser.add_argument("--rounds", type=int, default=9, help="of quick builds (default: 9)")
    arguments = parser.parse_args()
    head("buildtool", "superbuild")
    with tempfile.TemporaryDirectory(prefix="buildtool-bench-") as name:
        folder = Path(name)
        plain = compare(folder / "plain", "", arguments.rounds)
        if shutil.which("ccache"):
            compare(folder / "ccache", "ccache", arguments.rounds)
        edit_against_ninja(plain, arguments.rounds)
        many_inputs(folder / "inputs", arguments.rounds)
        if arguments.many:
            both = compared(folder / "many", 10)
            row("no-op, 60 skels", medians(arguments.rounds, *both.builds()), aim="≤ 0.10")


if __name__ == "__main__":
    main()
