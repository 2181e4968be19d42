"""The ARM64 side needs libcdsprpc by the name that it has on the platform.

The name is libcdsprpc.so.1 on Linux and libcdsprpc.so on Android. The loader searches for exactly
that name, and the program does not start with the other one.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.toolchains.cdsprpc import is_cdsprpc

RULE = Rule("cdsprpc-soname", __doc__, code="cdsprpc")


def check(subject: Subject) -> Iterator[Finding]:
    cdsprpc = subject.cdsprpc
    for path, elf in subject.host() if cdsprpc else ():
        for needed in elf.needed:
            if cdsprpc and is_cdsprpc(needed) and needed != cdsprpc.soname:
                yield RULE.error(
                    path,
                    f"{posixpath.basename(path)} needs {needed}, but {cdsprpc.owner} has"
                    f" {cdsprpc.soname}",
                    why="it would not start: the loader searches for exactly that name",
                    remedy="Link Buildtool::cdsprpc, or -lcdsprpc without -L; a prebuilt library"
                    " must be built for this platform.",
                )
