"""Where loaders of the ARM64 side find libraries: in the release, or on the device."""

from __future__ import annotations

import posixpath

from buildtool.contract.subject import Subject
from buildtool.toolchains.system_libraries import ANDROID, UBUNTU

LIBRARIES = "lib"
"""The directory in which run.sh lets the loader search."""
ORIGINS = ("$ORIGIN", "${ORIGIN}")
"""The loader replaces these by the directory of the file (ld.so(8))."""


def directory_in_release(entry: str, folder: str) -> str | None:
    """The directory that `entry` in the RUNPATH of a file in `folder` names; None if it is not in
    the release.  Directories are relative to the release, whose top is "."."""
    origin, _, rest = entry.partition("/")
    if origin not in ORIGINS:
        return None
    path = posixpath.normpath(posixpath.join(folder, rest.lstrip("/")))
    return None if path.split("/")[0] == ".." else path


def device_libraries(subject: Subject) -> frozenset[str]:
    """The libraries that the devices of the subject have, by SONAME; none on an unknown platform.

    On Android these are the libraries of all API levels.
    """
    known = {"ubuntu-aarch64": UBUNTU, "android": frozenset(ANDROID)}
    return known.get(subject.platform, frozenset()) | subject.promise.system_libraries
