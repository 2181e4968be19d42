"""Determines the side of each program and library of a configured tree.

For what CMake did not run or failed on, there is evidence in the text of CMake files and sources.
The configure preset of a side is known by its name.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import LIBRARIES, CMakeTarget
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.propose.cmake_tree import (
    NESTED_BUILD_COMMANDS,
    CMakeCall,
    CMakeTree,
    directory_of,
    is_listing,
    written_calls,
)
from buildtool.propose.configure import Configured, ConfigureResult

HOST, SKEL, DSP = "host", "skel", "dsp"
PROGRAM = "EXECUTABLE"
_RPC = re.compile(r"(^|[/:]|-l)(lib)?[acs]?dsprpc(\.so[.0-9]*)?$")
_FLAG = re.compile(r"^-m(hvx|hmx|v[67][0-9]$|cpu=hexagon)|^--target=hexagon")
_GENERATED = re.compile(r"_(skel|stub)\.(?:c|cc|cpp|cxx)$")


class SidedTarget(Value):
    """A program or library of the default build: its side ("" if there is no evidence), and why."""

    target: CMakeTarget
    side: str
    why: str


def sided_targets(result: ConfigureResult | None, hints: TextHints) -> tuple[SidedTarget, ...]:
    """The programs and shared libraries of a configured tree's default build."""
    if not isinstance(result, Configured):
        return ()
    return tuple(SidedTarget(target, *_side_of(target, result, hints)) for target in result.linked)


def split_by_side(
    host: ConfigureResult | None,
    skel: ConfigureResult | None,
    hints: TextHints,
    *,
    has_hexagon_side: bool,
) -> tuple[tuple[SidedTarget, ...], tuple[SidedTarget, ...]]:
    """The targets of the ARM64 side and those of the Hexagon side.

    The project was configured for both sides or for one; `has_hexagon_side` says whether its CMake
    files show a Hexagon side.  If they do, a target that only one of the two configurations has
    belongs to that side.  A program that both have belongs to ARM64.  A library without evidence
    belongs to each side that another target belongs to, or to ARM64 if there is none.
    """
    on_host, on_skel = sided_targets(host, hints), sided_targets(skel, hints)
    if has_hexagon_side and isinstance(host, Configured) and isinstance(skel, Configured):
        names = host.names & skel.names
        on_host = tuple(_one_side_only(made, HOST, "ARM64", names) for made in on_host)
        on_skel = tuple(_one_side_only(made, SKEL, "the DSP", names) for made in on_skel)
    known_sides = {made.side for made in (*on_host, *on_skel) if made.side}
    if not known_sides:
        known_sides = {SKEL} if has_hexagon_side and not isinstance(host, Configured) else {HOST}
    return (
        tuple(made for made in on_host if HOST in (made.side or known_sides)),
        tuple(
            made
            for made in on_skel
            if SKEL in (made.side or known_sides) and made.target.kind in LIBRARIES
        ),
    )


def _one_side_only(made: SidedTarget, side: str, name: str, both: Collection[str]) -> SidedTarget:
    if made.target.name in both:
        return made
    return made._replace(side=side, why=f"builds {made.target.name} for {name} only")


def _side_of(target: CMakeTarget, configured: Configured, hints: TextHints) -> tuple[str, str]:
    """The side of a target, and the evidence."""
    name, program = target.name, target.kind == PROGRAM
    for source in target.sources:
        if (match := _GENERATED.search(source.name)) and (match[1] == "stub" or not program):
            return (SKEL if match[1] == "skel" else HOST), f"compiles {source.name} into {name}"
    for word in (word for fragment in target.link for word in fragment.arguments):
        if _RPC.search(word):
            return HOST, f"links {name} with {Path(word).name}"
    # In a tree configured with a Hexagon profile every target has its flags.
    flags = (flag for group in target.groups for flag in group.flags)
    if not configured.step.arch and (flag := next(filter(_FLAG.search, flags), "")):
        return SKEL, f"compiles {name} with {flag}"
    if not program and (name.endswith(("_skel", "-skel")) or archs_of([name])):
        return SKEL, f"builds {name}"
    root = configured.step.root
    sources = [str(p.relative_to(root)) for p in target.sources if p.is_relative_to(root)]
    if found := hints.search_sources(HEXAGON_SOURCE_EVIDENCE, sources):
        return SKEL, f"compiles into {name} {found}"
    return (HOST, f"builds the program {name}") if program else ("", f"builds {name}")


def evidence(made: Iterable[SidedTarget], root: Path) -> str:
    """The evidence for a component's side: that of two targets, with file and line."""
    shown = []
    for row in sorted(made, key=lambda row: not row.side)[:2]:
        file, line = row.target.where
        place = file.relative_to(root) if file.is_relative_to(root) else file
        shown.append(f"{place}:{line} {row.why}")
    return "; ".join(shown)


ARCH_VARIABLES = ("DSP_VERSION", "DSP_ARCH", "HEXAGON_ARCH", "HEXAGON_VERSION", "HTP_ARCH")
"""Variables of the DSP arch in public projects."""
HEXAGON_EVIDENCE = re.compile(
    r"CMAKE_SYSTEM_NAME[^\n]{0,200}\b(?:QURT|Hexagon|Generic)\b|\bbuildtool_add_skel\b|_skel\.c"
    r"|-mhvx|-mcpu=hexagon|\bhexagon-clang|_skel\s+SHARED"
    rf"|\bif\s*\(\s*(?:NOT\s+)?(?:{'|'.join(ARCH_VARIABLES)})\b"
)
"""Evidence that a CMake file has a Hexagon side."""
ARM64_EVIDENCE = re.compile(r"(?i)\badd_executable\b|_stub\b|[ac]dsprpc")
"""Evidence that a CMake file has an ARM64 side."""
SDK_EVIDENCE = re.compile(r"\bHEXAGON_(?:SDK|CMAKE)_ROOT\b|\bhexagon_fun\.cmake|\bbuild_idl\b")
"""Evidence that a CMake file uses the Hexagon SDK."""
HEXAGON_SOURCE_EVIDENCE = re.compile(
    r"#\s*include\s*[<\"](?:hexagon_(?:protos|types)\.h|hvx_[a-z_]+\.h|HAP_\w+\.h|qurt\w*\.h)[>\"]"
    r"|\bQ6_V\w+_\w+\s*\(|\bHVX_Vector\b"
)
"""Evidence that a source is compiled for the DSP."""
FASTRPC_EVIDENCE = re.compile(
    r"(?i)\.idl\b|\bqaic|\bbuild_idl\b|[acs]?dsprpc|fastrpc|_skel\b|\bbuildtool_add_skel\b"
)
"""Evidence that a CMake file has a skel, which a program of the ARM64 side calls."""
PROGRAM_CALL = re.compile(r"(?i)\badd_executable\s*\(")
PORTED_EVIDENCE = re.compile(
    r"(?i)(?:PROCESSOR|SYSTEM_NAME|TARGET_ARCH|COMPILER)[^\n]{0,200}(?:\[Hh\]|h)exagon"
    r"|CMAKE_SYSTEM_NAME[^\n]{0,200}\bQURT\b"
    r"|-mhvx|-mcpu=hexagon|--target=hexagon"
    rf"|\bif\s*\(\s*(?:NOT\s+)?(?:{'|'.join(ARCH_VARIABLES)})\b"
)
"""Evidence that a CMake file is also, or only, for compilers of Hexagon."""
PORTED_SOURCE_EVIDENCE = re.compile(
    rf"\b__(?:hexagon|HEXAGON)\w*__\b|\b__HVX\w*__\b|{HEXAGON_SOURCE_EVIDENCE.pattern}"
)
"""Evidence that a source is also, or only, compiled for the DSP."""
_GUARD = re.compile(r"#[ \t]{0,9}(?:el)?if[^\n]{0,200}(?i:hexagon|hvx)")
MAX_SOURCES = 200  # read of one target
_ARCH = re.compile(r"(?<![A-Za-z0-9])v[0-9]{2}(?![0-9A-Za-z])")


class TextHints:
    """The texts of a tree by CMake project: a directory whose CMakeLists.txt calls project().

    `projects` has the project() call of each, top directories first.
    """

    def __init__(self, tree: CMakeTree) -> None:
        self.tree = tree
        self.calls = tuple(written_calls(tree))
        found: dict[str, CMakeCall] = {}
        for call in self.calls:
            if call.name == "project" and call.words and is_listing(call.file):
                found.setdefault(posixpath.dirname(call.file) or ".", call)
        order = sorted(found, key=lambda folder: (folder != ".", folder.count("/"), folder))
        self.projects: Mapping[str, CMakeCall] = {folder: found[folder] for folder in order}

    def search(self, evidence: re.Pattern[str], folder: str, parts: Collection[str] = ()) -> str:
        """The first match of `evidence` in the CMake files of a project and of its `parts`, with
        its file and line; "" for none."""
        for path, text in self.tree.files.items():
            owner = posixpath.dirname(path) or "."
            while owner != "." and owner not in self.projects:
                owner = posixpath.dirname(owner) or "."
            ours = owner == folder or owner in parts
            if ours and (found := _found(evidence, path, text)):
                return found
        return ""

    def search_sources(self, evidence: re.Pattern[str], paths: Iterable[str]) -> str:
        """The first match of `evidence` in the files `paths` of the tree, as in `search`."""
        found = (_found(evidence, path, self.tree.read(path)) for path in list(paths)[:MAX_SOURCES])
        return next(filter(None, found), "")

    def is_only_for_dsp(self, paths: Iterable[str]) -> bool:
        """Whether one of the sources has code for the DSP, and no condition for it."""
        texts = map(self.tree.read, list(paths)[:MAX_SOURCES])
        return any(HEXAGON_SOURCE_EVIDENCE.search(t) and not _GUARD.search(t) for t in texts)


def _found(evidence: re.Pattern[str], path: str, text: str) -> str:
    match = evidence.search(text)
    if not match:
        return ""
    return f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {' '.join(match[0].split())}"


def archs_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The DSP archs that occur in `texts` as words, oldest first."""
    named = {arch for text in texts for arch in _ARCH.findall(text)}
    return tuple(arch for arch in HEXAGON_ARCHS if arch in named)


def with_arch(text: str, arch: str) -> str:
    """`text` with `{arch}` in place of `arch`, where that is a word."""
    return _ARCH.sub(lambda match: "{arch}" if match[0] == arch else match[0], text)


def nested_builds(calls: Iterable[CMakeCall], hints: TextHints) -> dict[str, tuple[CMakeCall, ...]]:
    """The projects that other projects build in separate steps, each with the calls."""
    found: dict[str, tuple[CMakeCall, ...]] = {}
    for call in calls:
        if call.name not in NESTED_BUILD_COMMANDS:
            continue
        words = {word.removeprefix("-S") for word in call.words}
        if call.name == "externalproject_add":
            words = {call.after("SOURCE_DIR")}
        elif call.name != "try_compile" and not any("cmake" in word.lower() for word in words):
            continue
        for folder in {directory_of(call, word, hints.tree.root) for word in words}:
            if folder in hints.projects and not is_inside(call.file, folder):
                found[folder] = (*found.get(folder, ()), call)
    return found


def builds_skel(folder: str, calls: Iterable[CMakeCall], hints: TextHints) -> bool:
    """Whether a nested build is a skel: a call passes a DSP arch, or the project has evidence."""
    given = [call.definitions for call in calls]
    return bool(
        any(defined.keys() & set(ARCH_VARIABLES) for defined in given)
        or any(set(defined.values()) & set(HEXAGON_ARCHS) for defined in given)
        or hints.search(HEXAGON_EVIDENCE, folder)
    )


def is_inside(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or below it; both are relative to the tree."""
    return folder in (".", path) or path.startswith(folder + "/")


_WORD = re.compile(r"[a-z0-9]+")
_HEXAGON_WORDS = {"dsp", "cdsp", "adsp", "hexagon", "htp", "skel", "skels", "qurt", "npu", "hvx"}
_OTHER_WORDS = {"android", "windows", "win", "msvc", "macos", "darwin", "ios", "x86", "x64", "wasm"}
_PREFERRED_WORDS = ("host", "arm64", "aarch64", "linux", "ubuntu", "default", "release")


def skel_preset(names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The preset for skels, and its archs.

    The name contains `{arch}` if there is one preset for each arch.  The archs are () for a single
    preset without an arch.  The name is "" if there is none, or no unique one.
    """
    fit = [name for name in names if _words(name) & _HEXAGON_WORDS or archs_of([name])]
    named = [(name, archs) for name in fit if (archs := archs_of([name]))]
    families = list(dict.fromkeys(with_arch(name, archs[0]) for name, archs in named))
    if len(families) == 1:
        return families[0], archs_of(fit)
    return (fit[0], ()) if len(fit) == 1 else ("", ())


def host_preset(names: Sequence[str]) -> str:
    """The preset for the ARM64 side; "" if there is none, or no unique one."""
    fit = [name for name in names if not _words(name) & (_HEXAGON_WORDS | _OTHER_WORDS)]
    fit = [name for name in fit if not archs_of([name])]
    if len(fit) > 1:
        for word in _PREFERRED_WORDS:
            if liked := [name for name in fit if word in _words(name)]:
                fit = liked
                break
    return fit[0] if len(fit) == 1 else ""


def _words(name: str) -> set[str]:
    return set(_WORD.findall(name.lower()))
