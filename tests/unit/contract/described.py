"""Subjects whose ELF files are described, not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from buildtool.contract.subject import NOTHING, Damage, Promise, Subject
from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON
from buildtool.core.elf.read import Elf
from buildtool.core.elf.symbols import VersionNeed

NO_ELVES: Mapping[str, Elf] = {}


class Described(Subject):
    """A subject with the ELF files `described` by path."""

    described: Mapping[str, Elf] = NO_ELVES

    @property
    def elves(self) -> Mapping[str, Elf]:
        return self.described

    @property
    def damaged(self) -> Mapping[str, Damage]:
        return {}


def subject(elves: Mapping[str, Elf], promise: Promise = NOTHING) -> Subject:
    return Described({path: Path(path) for path in elves}, promise=promise, described=elves)


def arm64(
    *,
    needed: Iterable[str] = (),
    imports: Iterable[str] = (),
    weak: Iterable[str] = (),
    exports: Iterable[str] = (),
    versions: Iterable[VersionNeed] = (),
    android_api: int = 0,
) -> Elf:
    """An ARM64 library or program."""
    return Elf(
        path=Path("/tree/main"),
        bits=64,
        machine=EM_AARCH64,
        flags=0,
        kind="DYN",
        soname="",
        needed=tuple(needed),
        exports=frozenset(exports),
        imports=frozenset(imports),
        weak_imports=frozenset(weak),
        version_needs=tuple(versions),
        load_alignments=(0x10000,),
        dynamic_tags=frozenset(),
        notes=(),
        android_api=android_api,
    )


def skel(
    *,
    imports: Iterable[str] = (),
    weak: Iterable[str] = (),
    exports: Iterable[str] = ("demo_skel_handle_invoke",),
    needed: Iterable[str] = (),
    unused: Iterable[str] = (),
) -> Elf:
    """A skel for v68."""
    return Elf(
        path=Path("/out/libdemo_skel.so"),
        bits=32,
        machine=EM_HEXAGON,
        flags=0x68,
        kind="DYN",
        soname="",
        needed=tuple(needed),
        exports=frozenset(exports),
        imports=frozenset(imports),
        weak_imports=frozenset(weak),
        version_needs=(),
        load_alignments=(0x1000,),
        dynamic_tags=frozenset({"DT_HASH"}),
        notes=(),
        unused_imports=frozenset(unused),
    )
