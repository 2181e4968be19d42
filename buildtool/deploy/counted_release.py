"""A release with a library between its programs and libcdsprpc, which counts their calls."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.trees import make_directory
from buildtool.device.arm64_code import SONAMES, counting_library
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Facts
from buildtool.release.slices import LIBRARIES, Release, ReleaseFile, ReleaseLink, in_slices

LINK = "libcdsprpc.so"
"""The name by which programs load libcdsprpc at run time."""
MODE = 0o755


@contextlib.contextmanager
def counted_release(
    release: Release, platform: str, facts: Facts, folder: Path, option: str = "--expect-dsp"
) -> Iterator[Release]:
    """`release` with the library for the device with these `facts`, in a directory below `folder`
    for the block: the files of the release are links to the same files.  `option` is what asks for
    it.

    Raises `DeviceError` when the device has no libcdsprpc, and the errors of running zig.
    """
    if not facts.cdsprpc.path:
        raise DeviceError(
            "calls of the DSP cannot be counted: the device has no libcdsprpc",
            remedy=f"Omit {option}, or install the library: buildtool devices check DEVICE",
        )
    library = counting_library(platform, facts.cdsprpc.path, option)
    path = f"{LIBRARIES}/{SONAMES[platform]}"
    digest = hashlib.sha256(library).hexdigest()
    files = [file for file in release.files if file.path != path]
    links = [link for link in release.links if link.path != f"{LIBRARIES}/{LINK}"]
    if SONAMES[platform] != LINK:
        links.append(ReleaseLink(f"{LIBRARIES}/{LINK}", SONAMES[platform]))
    make_directory(folder)
    with tempfile.TemporaryDirectory(prefix="counted-", dir=folder) as temporary:
        directory = Path(temporary)
        for file in files:
            place = directory / file.path
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(release.directory / file.path, place)
            except OSError:  # another file system, or too many links
                shutil.copy2(release.directory / file.path, place)
        (directory / path).parent.mkdir(exist_ok=True)
        (directory / path).write_bytes(library)
        (directory / path).chmod(MODE)
        added = ReleaseFile(path, MODE, len(library), digest)
        slices = in_slices([*files, added], links, release.archs)
        yield release._replace(directory=directory, slices=slices)
