"""A stub and the skels that it calls are generated from the same IDL.

Otherwise calls fail with 0x8000040e or 0x80000414, or pass wrong data. Files that this project's
IDL compiler generates carry a digest of their IDL; others are not checked.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject

RULE = Rule("idl-digest", __doc__)


def check(subject: Subject) -> Iterator[Finding]:
    stubs = {digest: path for path, elf in subject.host() for digest in elf.notes}
    by_arch: dict[str, set[str]] = defaultdict(set)
    different = set()
    for path, arch, elf in subject.skels():
        by_arch[arch].update(elf.notes)
        for digest in elf.notes if stubs else ():
            if digest not in stubs:
                different.add(arch)
                others = ", ".join(f"{short(d)} in {p}" for d, p in sorted(stubs.items()))
                yield RULE.error(
                    path,
                    f"{posixpath.basename(path)} and the stub are generated from different IDL",
                    why=f"the digest of the IDL is {short(digest)}, but {others}",
                    remedy="Build both from the same revision of the IDL file.",
                )
    called = set().union(*by_arch.values()) & stubs.keys()
    for arch, digests in by_arch.items():
        for digest in sorted(called - digests) if arch not in different else ():
            yield RULE.error(
                f"dsp/{arch}",
                f"dsp/{arch} has no skel for the stub in {stubs[digest]}",
                why=f"skels of other archs are generated from its IDL (digest {short(digest)})",
                remedy=f"Ship the skel for {arch}, too.",
            )


def short(digest: str) -> str:
    return digest[:16]
