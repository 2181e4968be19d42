"""Evidence in the text of CMake files and sources, for what CMake did not run or failed on."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping

from buildtool.project.archs import HEXAGON_ARCHS
from buildtool.propose.cmake_tree import (
    NESTED_BUILD_COMMANDS,
    CMakeCall,
    CMakeTree,
    directory_of,
    is_listing,
    written_calls,
)

ARCH_VARIABLES = ("DSP_VERSION", "DSP_ARCH", "HEXAGON_ARCH", "HEXAGON_VERSION", "HTP_ARCH")
"""Variables of the DSP arch in public projects."""
HEXAGON_EVIDENCE = re.compile(
    r"CMAKE_SYSTEM_NAME[^\n]{0,200}\b(?:QURT|Hexagon|Generic)\b|\bbuildtool_add_skel\b|_skel\.c"
    r"|-mhvx|-mcpu=hexagon|\bhexagon-clang|_skel\s+SHARED"
    rf"|\bif\s*\(\s*(?:NOT\s+)?(?:{'|'.join(ARCH_VARIABLES)})\b"
)
"""Evidence that a CMake file has a Hexagon side."""
POSSIBLE_HEXAGON = re.compile(r"(?i)hexagon|qurt|\bhvx|fastrpc|skel\b|\bqaic|dsprpc|\bDSP_")
ARM64_EVIDENCE = re.compile(r"(?i)\badd_executable\b|_stub\b|[ac]dsprpc")
"""Evidence that a CMake file has an ARM64 side."""
SDK_EVIDENCE = re.compile(r"\bHEXAGON_(?:SDK|CMAKE)_ROOT\b|\bhexagon_fun\.cmake|\bbuild_idl\b")
"""Evidence that a CMake file uses the Hexagon SDK."""
HEXAGON_SOURCE_EVIDENCE = re.compile(
    r"#\s*include\s*[<\"](?:hexagon_(?:protos|types)\.h|hvx_[a-z_]+\.h|HAP_\w+\.h|qurt\w*\.h)[>\"]"
    r"|\bQ6_V\w+_\w+\s*\(|\bHVX_Vector\b"
)
"""Evidence that a source is compiled for the DSP."""
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
