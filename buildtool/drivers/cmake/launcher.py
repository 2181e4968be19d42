"""Compiler launchers: programs that CMake puts before each compiler call, on both sides.

They cache compilations or hand them to other machines; what is compiled stays the same, so a
launcher shapes no output.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.core.safe_path import check_path
from buildtool.core.value import Value
from buildtool.sdk.tool_search import LAUNCHERS, ToolMissingError
from buildtool.toolchains.profile import Profile

NONE = "none"
VARIABLE = "BUILDTOOL_LAUNCHER"

# One may run another (CCACHE_PREFIX=distcc), and where their caches and keys are the user says.
PREFIXES = ("CCACHE_", "SCCACHE_", "DISTCC_", "ICECC_")
PASSED_ON = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK")
# These run the compiler on another machine, where there is no script of ours.
_REMOTE = ("distcc", "icecc")

_FRONT = """#!/bin/sh
# {name} for a compiler that is called in two words, PROGRAM DRIVER: for launchers it is one.
BUILDTOOL_COMPILER=$1
driver=$2
shift 2
CCACHE_COMPILERTYPE=${{CCACHE_COMPILERTYPE:-{kind}}}
CCACHE_COMPILERCHECK=content
export BUILDTOOL_COMPILER CCACHE_COMPILERTYPE CCACHE_COMPILERCHECK
exec {program} {folder}/"$driver" "$@"
"""
# Launchers take the content of this file for the compiler's, so the compiler's digest is in it, and
# nothing that differs between machines.
_COMPILER = """#!/bin/sh
# {identity}
# Without a dependency file zig lays out an object otherwise, and sccache has that made apart.
compiles= depends=
for word; do
    case $word in
    -c) compiles=yes ;;
    -MD | -MMD) depends=yes ;;
    esac
done
if [ "$compiles" ] && [ ! "$depends" ]; then
    set -- "$@" -MD -MF /dev/null
fi
exec "$BUILDTOOL_COMPILER" {driver} "$@"
"""


class Launcher(Value):
    """A launcher that was found: what it is called, and the program."""

    name: str
    program: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the user's environment says to launchers."""
        return {
            name: value
            for name, value in os.environ.items()
            if name in PASSED_ON or name.startswith(PREFIXES)
        }

    def cache_entries(self, profile: Profile, folder: Path) -> dict[str, str]:
        """The CMake cache entries that put it before the compilers of `profile`.

        zig's compilers are two words, `zig cc`.  sccache knows no such compiler, and ccache takes
        a file called `cc` in the build tree for a second source.  So scripts in `folder`, written
        here, stand between.
        """
        before = str(self.program)
        if profile.compiler.c[1:2] == ("cc",) and self.name not in _REMOTE:
            before = str(self._write_scripts(profile, folder))
        return {f"CMAKE_{language}_COMPILER_LAUNCHER": before for language in ("C", "CXX")}

    def _write_scripts(self, profile: Profile, folder: Path) -> Path:
        for driver in (profile.compiler.c[1], profile.compiler.cxx[1]):
            text = _COMPILER.format(identity=profile.identity, driver=driver)
            write_if_changed(folder / driver, text, mode=0o755)
        front = folder / self.name
        text = _FRONT.format(
            name=self.name,
            kind=profile.compiler.kind,
            program=shlex.quote(str(self.program)),
            folder=shlex.quote(str(folder)),
        )
        write_if_changed(front, text, mode=0o755)
        return front


def chosen(option: str, project: str, environment: Mapping[str, str] = os.environ) -> str:
    """Which launcher is wanted, "" for none: `--launcher` decides, then the environment, then
    what the project file says."""
    wanted = option or environment.get(VARIABLE, "") or project
    return "" if wanted == NONE else wanted


def find_launcher(wanted: str, root: Path) -> Launcher:
    """The launcher called `wanted`, or at that path, relative ones from `root`.

    Raises `UsageError` for a name that is none, `ToolMissingError` when it is not there,
    `UnsafePathError` for a path that a tool would misread.
    """
    launcher = _find_launcher(wanted, root)
    check_path(launcher.program, f"the compiler launcher {launcher.name}")
    return launcher


def _find_launcher(wanted: str, root: Path) -> Launcher:
    if "/" in wanted:
        program = root / Path(wanted).expanduser()
        if not (program.is_file() and os.access(program, os.X_OK)):
            raise ToolMissingError(
                f"the compiler launcher {wanted} is not there",
                why=f"{program} is no program",
                remedy=f"Correct 'launcher' in buildtool.toml, {VARIABLE} or --launcher.",
            )
        return Launcher(program.name, program)
    if wanted not in LAUNCHERS:
        import difflib  # noqa: PLC0415 - it is nearly always spelled right

        close = difflib.get_close_matches(wanted, [*LAUNCHERS, NONE], n=1, cutoff=0.5)
        raise UsageError(
            f"{wanted!r} is no compiler launcher",
            why=f"known: {', '.join(LAUNCHERS)}, or the path of one; {NONE} for none",
            remedy=f"Did you mean {close[0]!r}?" if close else "Name one of these.",
        )
    if found := shutil.which(wanted):
        return Launcher(wanted, Path(found).absolute())
    raise ToolMissingError(
        f"the compiler launcher {wanted} was not found",
        why="looked for on PATH",
        remedy=f"Install it (apt-get install {wanted}), or build without: --launcher {NONE}",
    )
