"""The scripts of a build tree that call an engine for the compilers of a profile.

Archives of compilers for other machines are in the user's cache.
"""

from __future__ import annotations

import gzip
import io
import shlex
import shutil
import tarfile
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import filled, replace_file, temporary_file, write_if_changed
from buildtool.core.trees import make_directory
from buildtool.toolchains.distribute.remote_compiler import (
    RemoteCompiler,
    remote_compiler,
    with_libraries,
    written_name,
)
from buildtool.toolchains.profile import Profile

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
