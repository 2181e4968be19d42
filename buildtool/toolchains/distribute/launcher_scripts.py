"""The scripts of a build tree that call an engine for the compilers of a profile."""

from __future__ import annotations

import shlex
from pathlib import Path

from buildtool.core.files import write_if_changed
from buildtool.toolchains.distribute.archive import archive
from buildtool.toolchains.distribute.remote_compiler import remote_compiler, written_name
from buildtool.toolchains.profile import Profile

_COMPILER = """#!/bin/sh
# A compiler of this machine that other machines have under the same name.
# icecc takes any compiler with such a name for gcc.
preprocesses=''
for word; do
    shift
    case $word in
        -fdirectives-only) continue ;;
        -E) preprocesses={expand} ;;
    esac
    set -- "$@" "$word"
done
exec {command} "$@" $preprocesses
"""
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
        text = _COMPILER.format(command=command, expand=_EXPAND[kind])
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
    text = Path(__file__).with_name("launcher.sh.in").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    script = folder / engine
    write_if_changed(script, text, mode=0o755)
    return script
