"""The scripts of a build tree that call an engine for the compilers of a profile.

Other machines need the compiler of a profile, or a check that they have it: distccd runs programs
of /usr/bin whose names are in /usr/lib/distcc, iceccd gcc or g++ in /usr/bin of an archive.  The
name contains the digest of the compiler's files and of the script that runs it, so a machine with
another compiler does not have the name.  One script runs a compiler on another machine, for both
engines; archives of compilers are in the user's cache.
"""

from __future__ import annotations

import functools
import gzip
import io
import os
import re
import shlex
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import (
    cached_digest,
    filled,
    replace_file,
    temporary_file,
    value_digest,
    write_if_changed,
)
from buildtool.core.processes.process import capture, check
from buildtool.core.trees import make_directory
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


_HERE = Path(__file__).parent
# Macros stay as they are, so that debug information has the columns of the source.
_EXPAND = {"clang": "-frewrite-includes", "gcc": "-fdirectives-only"}
# Both engines log their errors there, with the name of the machine.
_RUN = {
    "distcc": 'PATH=$folder:$PATH DISTCC_LOG=$log DISTCC_VERBOSE=1 {program} "$name"',
    "icecc": "ICECC_VERSION={archive} ICECC_REMOTE_CPP=1 ICECC_DEBUG=debug ICECC_LOGFILE=$log"
    ' {program} "$here"',
}
# The lines that name a machine that did not compile.
_PROBLEM = {
    "distcc": r"s/^distcc[^ ]* Warning: failed/distcc: failed/p",
    "icecc": r"s/^ICECC[^ ]* [^ ]* [^ ]* got exception \(.*\)/icecc: \1; running locally instead/p",
}
_NODE = {
    "distcc": r"s/.* compile .* on \([^ /]*\)[^ ]* completed ok$/\1/p",
    "icecc": r"s/.*Have to use host \([^ :]*\)[^ ]* .*/\1/p",
}


def write_scripts(profile: Profile, engine: str, program: Path, folder: Path) -> Path:
    """Write the launcher that runs `program`, distcc or icecc, to `folder`; returns its path.

    Raises the errors of `remote_compiler` and `archive`.
    """
    remote = remote_compiler(profile)
    kind = profile.compiler.kind
    two_words = profile.compiler.c[1:2] == ("cc",)
    folder.mkdir(parents=True, exist_ok=True)
    for language, words in (("gcc", profile.compiler.c), ("g++", profile.compiler.cxx)):
        command = shlex.join(words[: 2 if two_words else 1])
        text = filled(_HERE / "compiler.sh.in", COMMAND=command, EXPAND=_EXPAND[kind])
        write_if_changed(folder / f"{remote.name}-{language}", text, mode=0o755)
    run = _RUN[engine].format(
        program=shlex.quote(str(program)),
        archive=shlex.quote(str(archive(remote, engine))) if engine == "icecc" else "",
    )
    values = {
        "ENGINE": engine,
        "NAME": remote.name,
        "FOLDER": shlex.quote(str(folder)),
        "C": shlex.quote(profile.compiler.c[0]),
        "CXX": shlex.quote(profile.compiler.cxx[0]),
        "LANGUAGE": shlex.quote(profile.compiler.cxx[1 if two_words else 0]),
        "WORDS": "2" if two_words else "1",
        "KIND": kind,
        # Clang's default for Android; zig's own default.
        "DWARF": "4" if remote.kind == "zig" or profile.platform == "android" else "5",
        "RUN": run,
        "PROBLEM": _PROBLEM[engine],
        "NODE": _NODE[engine],
        "IDENT": shlex.quote(written_name(profile, folder)),
    }
    script = folder / engine
    write_if_changed(script, filled(_HERE / "launcher.sh.in", **values), mode=0o755)
    return script


DIRECTORY = "distribute"
_TOOLS = ("sh", "cat", "mkdir", "mktemp", "mv", "rm", "sed", "true")


def archive(compiler: RemoteCompiler, engine: str) -> Path:
    """The archive with what a machine needs to run `compiler` through `engine`; it is made if it is
    missing.

    For distcc it is unpacked in the root directory; icecc unpacks it in a directory of its own,
    which is the root of the compiler.  Raises `BuildtoolError` for a missing program.
    """
    path = cache_dir() / DIRECTORY / engine / f"{compiler.name}.tar.gz"
    if path.is_file():
        return path
    make_directory(path.parent)
    with temporary_file(path.parent) as fresh:
        with (
            fresh.open("wb") as file,
            # Without the file's name and the time.
            gzip.GzipFile("", "wb", 1, file, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            for name, content in sorted(_members(compiler, engine), key=itemgetter(0)):
                _add(tar, name, content)
        replace_file(fresh, path)
    return path


def _members(compiler: RemoteCompiler, engine: str) -> Iterator[tuple[str, Path | bytes | str]]:
    """The files, by name; a string is the target of a link."""
    for name, script in compiler.scripts[engine].items():
        yield name, script.encode()
        if engine == "distcc":  # its list of permitted names
            yield f"usr/lib/distcc/{Path(name).name}", b"#!/bin/sh\nexit 1\n"
    if engine == "icecc" or compiler.movable:
        yield from compiler.files.items()
    program = next(iter(compiler.files))
    if compiler.kind == "zig":
        yield f"{Path(program).parent}/lib/std/std.zig", b""  # by which zig finds its library
    if engine == "icecc":
        tools = [_tool(name) for name in _TOOLS]
        for tool in with_libraries(tools):
            yield str(tool).lstrip("/"), tool
        # iceccd demands these.
        yield "usr/bin/as", _tool("true")
        yield "bin/true", _tool("true")
        yield "bin/sh", _tool("sh")
        if compiler.kind == "zig":  # it asks where it is, and iceccd mounts no /proc
            yield "proc/self/exe", f"/{program}"


def _tool(name: str) -> Path:
    found = shutil.which(name, path="/usr/bin:/bin")
    if not found:
        raise BuildtoolError(
            f"{name} was not found", why="icecc's archives contain it", remedy="Install it."
        )
    return Path(found)


def _add(tar: tarfile.TarFile, name: str, content: Path | bytes | str) -> None:
    """Add a file or link without its owner and time stamp."""
    member = tarfile.TarInfo(name)
    member.mode = 0o755
    if isinstance(content, str):
        member.type, member.linkname = tarfile.SYMTYPE, content
        tar.addfile(member)
    elif isinstance(content, bytes):
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    else:
        with content.open("rb") as file:
            member.size = content.stat().st_size
            tar.addfile(member, file)
