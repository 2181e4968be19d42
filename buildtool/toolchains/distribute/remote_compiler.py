"""What other machines need to compile for a profile: the compiler, or a check that they have it.

distccd runs programs of /usr/bin whose names are in /usr/lib/distcc, iceccd gcc or g++ in /usr/bin
of an archive.  The name contains the digest of the compiler's files and of the script that runs it,
so a machine with another compiler does not have the name.

One script runs a compiler on another machine, for both engines.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import cached_digest, filled, value_digest
from buildtool.core.processes.process import capture, check
from buildtool.core.value import Value
from buildtool.sdk.tool_search import Problem
from buildtool.toolchains.distribute import ENGINES
from buildtool.toolchains.profile import Profile

_PLACE = "opt/buildtool"
_GCC_PROGRAMS = ("cc1", "cc1plus", "as")
_LIBRARY = r"(?:=> |^\s*)(/\S+) \(0x"
# Their versions differ between machines with the same compiler, and they generate no code.
_SYSTEM = r"/(ld-linux[^/]*|(libc|libm|libdl|librt|libpthread)\.so\.\d+)$"


class RemoteCompiler(Value):
    """A compiler that other machines have as `name` with `-gcc` or `-g++`.

    distcc sends this name.  icecc distributes only compilers with such names, and starts `gcc` or
    `g++` of the archive that has the name (Source: icecream, `CompileFileMsg`).
    """

    name: str
    kind: str  # that of `Compiler`, or "zig"
    files: Mapping[str, Path]  # of the compiler, by their paths on the machines
    movable: bool  # it runs at any path, so it can be sent to machines without it
    # The programs that the engines start, by engine and path
    scripts: Mapping[str, Mapping[str, str]]


def remote_compiler(profile: Profile) -> RemoteCompiler:
    """The compiler of `profile`; raises `ToolError` when it does not tell what it consists of."""
    c, cxx = Path(profile.compiler.c[0]), Path(profile.compiler.cxx[0])
    if zig := profile.places.get("ZIG"):
        kind, files = "zig", {"zig": Path(zig)}
    else:
        kind = profile.compiler.kind
        if kind == "gcc":  # another program has its name in icecc's archives
            c, cxx = c.resolve(), cxx.resolve()
        files = dict(_installed(kind, c, cxx))
    digests = {path: cached_digest(file) for path, file in files.items()}
    digest = value_digest([digests, node_script(kind, "", (), {})])[:12]
    # Both engines add options for names with `clang`.
    name = f"buildtool-{'llvm' if kind == 'clang' else kind}-{digest}"
    commands: dict[str, tuple[str, ...]]
    if kind == "zig":
        place = f"{_PLACE}/{name}"
        files = {f"{place}/zig": files["zig"]}
        commands = {"gcc": (f"/{place}/zig", "cc"), "g++": (f"/{place}/zig", "c++")}
    else:
        commands = {"gcc": (str(c),), "g++": (str(cxx),)}
    checked = {
        f"/{path}": cached_digest(file)
        for path, file in files.items()
        if not re.search(_SYSTEM, path)
    }
    scripts = {
        engine: {
            f"usr/bin/{f'{name}-' if engine == 'distcc' else ''}{language}": node_script(
                kind, name, command, checked if engine == "distcc" else {}
            )
            for language, command in commands.items()
        }
        for engine in ENGINES
    }
    return RemoteCompiler(name, kind, files, kind == "zig", scripts)


def _installed(kind: str, c: Path, cxx: Path) -> Iterator[tuple[str, Path]]:
    """The files of an installed compiler, by their paths without the first slash."""
    programs = [c, cxx]
    if kind == "gcc":
        for name in _GCC_PROGRAMS:
            said = _output(c, f"-print-prog-name={name}")
            found = said if "/" in said else shutil.which(said) or said
            programs.append(Path(os.path.normpath(found)))
    for file in with_libraries(programs):
        yield str(file).lstrip("/"), file


def with_libraries(programs: list[Path]) -> list[Path]:
    """`programs` and the shared libraries that they load, with the program interpreter."""
    found: dict[Path, None] = dict.fromkeys(programs)
    for program in programs:
        # It prints nothing about a static program, and fails.
        said = capture(["ldd", program], env=_environment()).output
        found |= dict.fromkeys(map(Path, re.findall(_LIBRARY, said, re.MULTILINE)))
    return list(found)


def written_name(profile: Profile, folder: Path) -> str:
    """The name and version that the compiler of `profile` writes into each object: `.comment`.

    Compiles an empty source in `folder`.
    """
    made = folder / "empty.o"
    words: list[str | Path] = [*profile.compiler.c]
    words += ["-c", "-x", "c", os.devnull, "-o", made]
    check(capture(words, env=_environment()), f"compiling with {profile.compiler.c[0]}")
    found = re.search(rb"\0((?:GCC: |[\w ]*clang version )[^\0\n]+)\0", made.read_bytes())
    made.unlink()
    if not found:
        raise BuildtoolError(
            f"the objects of {shlex.join(profile.compiler.c[:2])} do not name their compiler",
            why="so an object of another machine's compiler would not be noticed",
            remedy="Build without distributing: --launcher none",
        )
    return found[1].decode(errors="replace")


def _output(*command: Path | str) -> str:
    return check(capture(command, env=_environment()), f"asking {command[0]}").output.strip()


def _environment() -> dict[str, str]:
    zig_cache = str(cache_dir() / "zig")
    caches = {"ZIG_GLOBAL_CACHE_DIR": zig_cache, "ZIG_LOCAL_CACHE_DIR": zig_cache}
    return {**os.environ, "LC_ALL": "C", **caches}


@functools.cache
def _sdk_flags() -> str:
    """The lines of a `case` that drop the flags of the Hexagon SDK's compiler, as zig's script."""
    lines = _data.path("cmake").joinpath("sdk", "zig.in").read_text(encoding="utf-8").splitlines()
    return "".join(f"    {line}\n" for line in lines if line.endswith(") continue ;;"))


def node_script(kind: str, name: str, command: Sequence[str], digests: Mapping[str, str]) -> str:
    """The script that runs `command`, a compiler of `kind`, after it has checked that the files of
    `digests` are those that the client has."""
    folder, check = Path(__file__).parent, ""
    if digests:
        # A package may replace the compiler while the machine runs; its time stamps are old then.
        sums = "\n".join(f"{digest}  {path}" for path, digest in sorted(digests.items()))
        files = shlex.join(sorted(digests))
        check = filled(folder / "node_check.sh.in", NAME=name, FILES=files, SUMS=sums)
    return filled(
        folder / "node.sh.in",
        DROPPED=_sdk_flags() if kind == "zig" else "",
        CHECK=check,
        COMPILE=filled(folder / f"node_{kind}.sh.in", COMMAND=shlex.join(command)).rstrip("\n"),
    )


def limits(profile: Profile, engine: str) -> Iterator[Problem]:
    """Why machines need more than the archive, or why objects are compiled on this machine."""
    if profile.places.get("ZIG"):
        return
    program = profile.compiler.c[0]
    if engine == "distcc":
        yield Problem(
            f"distcc does not send {program}: it needs libraries beside it",
            "Install the same package on each machine; the archive checks it.",
        )
    if profile.platform == "hexagon":
        yield Problem(
            f"{program} compiles on this machine what has debug information: DWARF 5 has digests"
            " of source files, which other machines do not have",
            "Add -gdwarf-4 to the target's flags.",
        )
