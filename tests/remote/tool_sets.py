"""The programs that a device has: a directory of links, which comes first on its PATH.

`coreutils`: everything this machine has, with dash; `posix`: dash, coreutils, findutils, sed, grep
and tar, without util-linux and compressors; `busybox`: BusyBox with its own shell; `toybox`: dash
and what Debian's toybox has, which is less than Android's; `android`: the same, and stand-ins from
BusyBox for the programs that only Android's toybox has.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Literal, get_args

import pytest

from buildtool.core.value import Value

Tools = Literal["coreutils", "posix", "busybox", "toybox", "android"]
TOOL_SETS: tuple[Tools, ...] = get_args(Tools)
SHORT = "posix", "android"
EACH_TOOL_SET = [
    pytest.param(tools, marks=() if tools in SHORT else pytest.mark.long) for tools in TOOL_SETS
]
"""Parameters: all with BUILDTOOL_LONG=1, else the one with the fewest tools and that of phones."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

POSIX = """
    [ basename cat chgrp chmod chown cksum comm cp cut date dd df dirname du echo env expr false
    find fold grep head id kill link ln ls mkdir mkfifo mktemp mv nice nohup od paste pr printf ps
    pwd readlink realpath rm rmdir sed seq sha256sum sleep sort split stat stty sync tail tar tee
    test timeout touch tr true tty uname uniq unlink wc xargs
"""
"""Programs of coreutils, findutils, sed, grep, tar and procps."""

ANDROID = "awk dd diff expr gzip tr"
"""Programs of Android's toybox that Debian's build of toybox 0.8.9 leaves out, and `awk`, which
Android has apart from toybox."""


class ToolSet(Value):
    """What a device runs: its shell, and its PATH, which begins with `directory`."""

    directory: Path
    shell: Path
    path: str


def make_tool_set(name: Tools, directory: Path) -> ToolSet:
    """Make the links of the set `name` in the new directory `directory`; skips the test if this
    machine lacks its programs."""
    directory.mkdir()
    if name == "busybox":
        busybox = _program("busybox")
        _link(directory, busybox, _lines(busybox, "--list"))
        return ToolSet(directory=directory, shell=busybox, path=str(directory))
    dash = _program("dash")
    if name == "coreutils":
        return ToolSet(directory=directory, shell=dash, path=f"{directory}:{SYSTEM_PATH}")
    _link(directory, dash, ["sh"])
    if name == "posix":
        for program in POSIX.split():
            _link(directory, _program(program), [program])
    else:
        toybox = _program("toybox")
        _link(directory, toybox, _lines(toybox))
    if name == "android":
        _link(directory, _program("busybox"), ANDROID.split())
    return ToolSet(directory=directory, shell=dash, path=str(directory))


def _program(name: str) -> Path:
    found = shutil.which(name, path=SYSTEM_PATH)
    if not found:
        pytest.skip(f"there is no {name}: scripts/setup tests")
    return Path(found)


def _lines(*command: str | Path) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def _link(directory: Path, program: Path, names: list[str]) -> None:
    for name in names:
        place = directory / name
        if not os.path.lexists(place):
            place.symlink_to(program)
