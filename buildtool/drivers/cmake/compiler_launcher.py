"""Compiler launchers: programs that CMake puts before each compiler call, on both sides.

They cache compilations, or distribute them to other machines.  The compiled result is the same, so
a compiler launcher is not part of a step key; what an unknown one has compiled is not stored.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import filled, write_if_changed
from buildtool.core.safe_path import check_path
from buildtool.core.value import Value
from buildtool.sdk.tool_search import COMPILER_LAUNCHERS, ToolMissingError
from buildtool.toolchains.distribute import ENGINES
from buildtool.toolchains.profile import Profile

NONE = "none"
VARIABLE = "BUILDTOOL_LAUNCHER"

# A launcher may run another one (CCACHE_PREFIX=distcc); users configure them by variables.
PREFIXES = ("CCACHE_", "SCCACHE_", "DISTCC_", "ICECC_")
PASSED_ON = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK")
# A compiler launcher with a cache must not answer from what it does not look at again: with direct
# mode, ccache does not see a header that appears and hides another one.  Variables win over its
# configuration files.
_CCACHE = {
    "CCACHE_NODIRECT": "1",
    "CCACHE_NODEPEND": "1",
    "CCACHE_SLOPPINESS": "",
    "CCACHE_IGNOREOPTIONS": "",
    "CCACHE_COMPILER": "",
    "CCACHE_COMPILERCHECK": "content",
    "CCACHE_BASEDIR": "",
    "CCACHE_HASHDIR": "1",
    "CCACHE_CPP2": "1",
    "CCACHE_NOHARDLINK": "1",
}
_SCCACHE = {"SCCACHE_DIRECT": "false"}  # also for a server that runs with another value
_OVERRIDDEN = frozenset(
    {"CCACHE_DIRECT", "CCACHE_DEPEND", "CCACHE_NOHASHDIR", "CCACHE_NOCPP2", "CCACHE_HARDLINK"}
)
_BYPASSED = {
    "ccache": {"CCACHE_DISABLE": "1"},
    "sccache": {"SCCACHE_RECACHE": "1"},
    "distcc": {"DISTCC_HOSTS": "localhost"},
    "icecc": {"ICECC": "disable"},
}


class CompilerLauncher(Value):
    """A compiler launcher that was found."""

    name: str
    program: Path

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the user's environment that configure launchers, and those that keep
        their caches from answering wrongly."""
        users = {
            name: value
            for name, value in os.environ.items()
            if (name in PASSED_ON or name.startswith(PREFIXES)) and name not in _OVERRIDDEN
        }
        return {**users, **_CCACHE, **_SCCACHE}

    @property
    def is_known(self) -> bool:
        """Whether its results are those of the compiler: another program may have a cache that
        answers wrongly."""
        return self.name in COMPILER_LAUNCHERS

    @property
    def bypass(self) -> Mapping[str, str]:
        """The variables with which it runs the compiler here, whatever it has in its cache."""
        return _BYPASSED.get(self.name, {})

    def cache_entries(self, profile: Profile, folder: Path) -> dict[str, str]:
        """The CMake cache entries that put the launcher before the compilers of `profile`.

        zig's compilers are two words, `zig cc`.  sccache does not support this, and ccache takes a
        file named `cc` in the build tree for a second source.  So this writes scripts to `folder`
        that stand in for the launcher and the compilers.  distcc and icecc get scripts for every
        compiler: see `buildtool.toolchains.distribute`.
        """
        command = str(self.program)
        if self.name in ENGINES:
            from buildtool.toolchains.distribute.launcher_scripts import write_scripts  # noqa: PLC0415

            command = str(write_scripts(profile, self.name, self.program, folder))
        elif profile.compiler.c[1:2] == ("cc",):
            command = str(self._write_scripts(profile, folder))
        return {f"CMAKE_{language}_COMPILER_LAUNCHER": command for language in ("C", "CXX")}

    def _write_scripts(self, profile: Profile, folder: Path) -> Path:
        here = Path(__file__).parent
        # Launchers identify the compiler by the content of this file.  So it contains the digest of
        # the compiler, and nothing that differs between machines.
        for driver in (profile.compiler.c[1], profile.compiler.cxx[1]):
            text = filled(here / "compiler.sh.in", IDENTITY=profile.identity, DRIVER=driver)
            write_if_changed(folder / driver, text, mode=0o755)
        script = folder / self.name
        text = filled(
            here / "launcher.sh.in",
            NAME=self.name,
            KIND=profile.compiler.kind,
            PROGRAM=shlex.quote(str(self.program)),
            FOLDER=shlex.quote(str(folder)),
        )
        write_if_changed(script, text, mode=0o755)
        return script


def chosen(option: str, project: str, environment: Mapping[str, str] = os.environ) -> str:
    """The configured compiler launcher, "" for none: `--launcher`, else the environment variable,
    else the project file."""
    configured = option or environment.get(VARIABLE, "") or project
    return "" if configured == NONE else configured


def find_compiler_launcher(name_or_path: str, root: Path) -> CompilerLauncher:
    """The compiler launcher with the given name or path; relative paths start at `root`.

    Raises `UsageError` for an unknown name, `ToolMissingError` if the launcher is not found, and
    `UnsafePathError` for a path that a tool would misparse.
    """
    launcher = _find(name_or_path, root)
    check_path(launcher.program, f"the compiler launcher {launcher.name}")
    return launcher


def _find(name: str, root: Path) -> CompilerLauncher:
    if "/" in name:
        program = root / Path(name).expanduser()
        if not (program.is_file() and os.access(program, os.X_OK)):
            raise ToolMissingError(
                f"the compiler launcher {name} was not found",
                why=f"{program} is not an executable file",
                remedy=f"Correct 'launcher' in buildtool.toml, {VARIABLE} or --launcher.",
            )
        return CompilerLauncher(program.name, program)
    if name not in COMPILER_LAUNCHERS:
        import difflib  # noqa: PLC0415 - only for errors

        close = difflib.get_close_matches(name, [*COMPILER_LAUNCHERS, NONE], n=1, cutoff=0.5)
        raise UsageError(
            f"unknown compiler launcher {name!r}",
            why=f"known names: {', '.join(COMPILER_LAUNCHERS)}; or the path of one, or {NONE}",
            remedy=f"Did you mean {close[0]!r}?" if close else "Use one of these.",
        )
    import shutil  # noqa: PLC0415 - with a launcher only

    if found := shutil.which(name):
        return CompilerLauncher(name, Path(found).absolute())
    raise ToolMissingError(
        f"the compiler launcher {name} was not found",
        why="it is not on PATH",
        remedy=f"Install it (apt-get install {name}), or build without: --launcher {NONE}",
    )
