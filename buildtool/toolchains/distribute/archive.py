"""Archives of compilers for other machines, in the user's cache."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import replace_file, temporary_file
from buildtool.core.own_directory import make_directory
from buildtool.toolchains.distribute.remote_compiler import RemoteCompiler, with_libraries

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
