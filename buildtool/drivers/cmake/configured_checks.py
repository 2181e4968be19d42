"""Checks of a configured tree before anything is built: flags, link lines, nested skels.

Flags that the profile's compiler cannot honour, and a libcdsprpc that is not the system's, are
errors.  Skels that a component of the ARM64 side builds itself, with ExternalProject_Add(), are
noted.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.elf.read import ElfError, is_elf, read_elf
from buildtool.drivers.cmake.file_api import BuildTree, CMakeTarget, LinkFragment
from buildtool.drivers.cmake.scan.command_files import expanded, library_places, option_values
from buildtool.plan.plan import CMakeStep
from buildtool.toolchains.cdsprpc import Cdsprpc, CdsprpcError, import_stub, is_cdsprpc
from buildtool.toolchains.profile import Profile, ProfileError
from buildtool.toolchains.unsupported_flags import ZigLinkerRule, find_unsupported, left_out

if TYPE_CHECKING:
    from buildtool.toolchains.unsupported_flags import UnsupportedRule

MAX_STUB = 1 << 20
_SDK_FILE = "hexagon_sdk.json"
_SDK_DIRECTORY = "/fastrpc/remote/ship/"
_WITH_VALUE = {
    *("-soname", "--soname", "-h", "-rpath", "-rpath-link", "--rpath", "-o", "-e", "-T"),
    *("--version-script", "--dependency-file", "-Map", "-z", "-m", "-target", "-u"),
    *("-L", "--library-path", "-l", "--library"),
}
_DIRECTORY, _LIBRARY = ("-L", "--library-path="), ("-l", "--library=")
MAX_COMMAND = 1 << 16
_COMMANDS = ("*/tmp/*-cfgcmd.txt", "*/*/tmp/*-cfgcmd.txt")
"""ExternalProject_Add() writes the command that configures a project here."""
_HEXAGON = r"-DDSP_VERSION(:\w+)?=|-DHEXAGON_\w+=|hexagon[^;]*\.cmake"


def dropped_flags(tree: BuildTree, profile: Profile) -> str:
    """A note about flags of the tree that the profile drops; "" if there are none."""
    texts = [flag for target in tree.targets for group in target.groups for flag in group.flags]
    texts += [word for t in tree.targets for fragment in t.link for word in fragment.arguments]
    found = [f for f in profile.dropped if any(t == f or t.startswith(f"{f}=") for t in texts)]
    if not found:
        return ""
    these = "this flag" if len(found) == 1 else "these flags"
    return f"{', '.join(found)}: ignored; only the Hexagon SDK's compiler has {these}."


def dropped_arguments(tree: BuildTree, profile: Profile) -> str:
    """A note about linker arguments of the tree that links leave out; "" if there are none."""
    if not _is_zig(profile):
        return ""
    found = {argument for t in tree.targets for argument in left_out(_link_flags(t))}
    if not found:
        return ""
    return (
        f"{', '.join(sorted(found))}: left out; zig's linker does not have it, and what it links is"
        " the same without it."
    )


def missing_openmp(tree: BuildTree, profile: Profile) -> str:
    """A note if the tree looked for OpenMP, which zig does not have; "" if not."""
    if not _is_zig(profile):
        return ""
    entries = (tree.build / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    if not re.search(r"^OpenMP_(C|CXX)_FLAGS:STRING=NOTFOUND$", entries, re.MULTILINE):
        return ""
    return (
        "OpenMP was searched for and not found, because zig has no OpenMP library: loops of the"
        ' project may run on one core.\n  → toolchain = "gcc" or "clang" in the target.'
    )


def check_flags(tree: BuildTree, rules: Sequence[UnsupportedRule], profile: str) -> None:
    """Check the compile flags and the link line of every target of a configured tree
    against `rules`.

    Raises `ProfileError` with target, flag, reason and remedy.
    """
    for target in tree.targets:
        if refusal := find_unsupported(rules, _link_flags(target)):
            path, line = target.where
            raise ProfileError(
                f"{target.name} links with {refusal.flag}, which {profile} cannot do",
                why=f"{refusal.reason} (the target is defined in {path}:{line})",
                remedy=refusal.remedy,
            )
        for group in target.groups:
            if refusal := find_unsupported(rules, group.flags):
                sources = ", ".join(path.name for path in group.sources[:3])
                more = ", …" if len(group.sources) > 3 else ""
                raise ProfileError(
                    f"{target.name} asks for {refusal.flag}, which {profile} cannot do",
                    why=f"{refusal.reason} (in the flags of {sources}{more})",
                    remedy=refusal.remedy,
                )


def _link_flags(target: CMakeTarget) -> list[str]:
    return [word for fragment in target.link for word in fragment.arguments]


def _is_zig(profile: Profile) -> bool:
    return any(isinstance(rule, ZigLinkerRule) for rule in profile.unsupported)


def check_links(tree: BuildTree, cdsprpc: Cdsprpc) -> None:
    """Check the libraries on the link line of every target of a configured tree.

    Import stubs of this tool are allowed anywhere, and so is a libcdsprpc that the tree builds.
    Raises `CdsprpcError` for any other libcdsprpc, whatever the name of its file is.
    """
    built = {_stem(artifact) for target in tree.targets for artifact in target.artifacts}
    checked: set[Path] = set()
    for target in tree.targets:
        for library in linked_libraries(target.link, tree.build):
            if _stem(library) in built or library in checked:
                continue
            checked.add(library)
            if _is_foreign_cdsprpc(library, cdsprpc):
                raise _error(target.name, library)


def _stem(library: Path) -> Path:
    """The path before `.so`: the File API reports `libx.so` for a target whose link lines have
    `libx.so.1.0`."""
    return library.with_name(library.name.partition(".so")[0])


def _is_foreign_cdsprpc(library: Path, cdsprpc: Cdsprpc) -> bool:
    named = is_cdsprpc(library.name) or is_cdsprpc(library.resolve().name)
    if not is_elf(library):
        return named  # an archive, or a linker script
    data = library.read_bytes()
    if not named and b"libcdsprpc" not in data:
        return False
    try:
        elf = read_elf(library)
    except ElfError:
        return named
    if not named and not is_cdsprpc(elf.soname):
        return False
    stub = len(data) <= MAX_STUB and data == import_stub(elf.soname, elf.exports)
    return not stub or elf.soname != cdsprpc.soname


def _error(target: str, library: Path) -> CdsprpcError:
    real = library.resolve()
    remedy = (
        "Link Buildtool::cdsprpc, or -lcdsprpc without a directory: the toolchain file adds the"
        " directory of the system's library."
    )
    if _SDK_DIRECTORY in str(real) or any((p / _SDK_FILE).is_file() for p in real.parents):
        return CdsprpcError(
            f"{target} would be linked against the libcdsprpc of a Hexagon SDK",
            why="it does not perform the FASTRPC_IOCTL_INIT_CREATE steps of an unsigned session and"
            f" has only a part of rpcmem_*; the library of the device has both ({library})",
            remedy=remedy,
        )
    return CdsprpcError(
        f"{target} would be linked against a libcdsprpc that is not the system's",
        why="the device may lack what it exports, and where a loader finds it before the system's"
        f" library it breaks every session ({library})",
        remedy=remedy,
    )


def linked_libraries(fragments: Iterable[LinkFragment], folder: Path) -> Iterator[Path]:
    """The libraries that exist on the link line of `fragments`, first those that it names by path;
    relative paths start at `folder`.  A name that no directory has is a library of the compiler."""
    words = [word for fragment in fragments for word in fragment.arguments]
    flags = [*expanded(words, lambda path: f"{folder / path}", [])]
    for before, word in itertools.pairwise(("", *flags)):
        if word[:1] != "-" and before not in _WITH_VALUE and (folder / word).is_file():
            yield folder / word
    directories = [f"{folder / path}" for path in option_values(flags, _DIRECTORY)]
    for name in option_values(flags, _LIBRARY):
        places = map(Path, library_places(name, directories))
        yield from itertools.islice(filter(Path.is_file, places), 1)


def nested_skels(step: CMakeStep) -> str:
    """A warning about steps of a configured tree that build skels; "" if there are none, or if the
    component lists its `targets`."""
    if step.arch or step.targets:
        return ""
    files = sorted(file for pattern in _COMMANDS for file in step.tree.glob(pattern))
    names = [file.name.removesuffix("-cfgcmd.txt") for file in files if _is_skel(file)]
    if not names:
        return ""
    more = ", …" if len(names) > 5 else ""
    return (
        f"{step.component} builds skels in steps of its own: {', '.join(names[:5])}{more}. List the"
        f' targets of the ARM64 side in [host.{step.component}], targets = ["…"], and make the'
        " skels a component: 'buildtool init --print' in a copy without buildtool.toml proposes"
        " both. Then they are built for the archs of the target, and only when something changed."
    )


def _is_skel(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            text = stream.read(MAX_COMMAND).decode(errors="replace")
    except OSError:
        return False
    return bool(re.search(_HEXAGON, text))
