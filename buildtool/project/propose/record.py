"""Take down what commands say, one after the other, while a component is read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Protocol

from buildtool.project.archs import HEXAGON_ARCHS
from buildtool.project.propose.facts import (
    HOST,
    LIKELY,
    SKEL,
    STRONG,
    WEAK,
    External,
    Install,
    Made,
    Reading,
    Sign,
    Where,
)
from buildtool.project.propose.variables import BUILD, below, references

MAX_SIGNS = 1_000
_ARCH = re.compile(r"(?<![A-Za-z0-9])v[0-9]{2}(?![0-9A-Za-z])")
_RPC = re.compile(r"(^|[/:]|-l)(lib)?[acs]?dsprpc(\.so)?$")
_FLAG = re.compile(r"^-m(hvx|hmx|v[67][0-9]$|cpu=hexagon)|hexagon-clang|^--target=hexagon")
_PACKAGE = re.compile(r"([A-Za-z0-9_.+]+?)(?:-config|Config)\.cmake(?:\.in)?$")
_KINDS = ("SHARED", "MODULE", "STATIC", "OBJECT", "INTERFACE", "UNKNOWN")
_SDK = ("HEXAGON_SDK_ROOT", "HEXAGON_CMAKE_ROOT")
_EXTERNAL_WORDS = re.compile(r"[A-Z][A-Z_]{3,}$")


class Place(Protocol):
    """Where the reading is."""

    directory: str
    binary: str
    values: dict[str, str]


class Record:
    """What was seen so far of one component."""

    def __init__(self, directory: str, arch_variables: Sequence[str]) -> None:
        self.directory = directory
        self.arch_variables = frozenset(arch_variables)
        self.project, self.version = "", ""
        self.where = Where(posixpath.normpath(f"{directory}/CMakeLists.txt"), 1)
        self.made: dict[str, Made] = {}
        self.properties: dict[str, dict[str, str]] = {}
        self.installs: list[Install] = []
        self.externals: list[External] = []
        self.signs: list[Sign] = []
        self.interfaces: dict[str, None] = {}
        self.archs: set[str] = set()
        self.read: dict[str, None] = {}
        self.packages: dict[str, None] = {}
        self.provides: dict[str, None] = {}
        self.options: set[str] = set()
        self.parts: set[str] = set()
        self.sdk: Where | None = None
        self.fetched: list[Where] = []
        self.sdk_client: Where | None = None

    def reading(self) -> Reading:
        return Reading(
            directory=self.directory,
            project=self.project,
            version=self.version,
            where=self.where,
            made=tuple(self.made.values()),
            properties=self.properties,
            installs=tuple(self.installs),
            externals=tuple(self.externals),
            signs=tuple(self.signs),
            interfaces=tuple(self.interfaces),
            archs=tuple(arch for arch in HEXAGON_ARCHS if arch in self.archs),
            arch_variables=tuple(self.read),
            packages=tuple(self.packages),
            provides=tuple(self.provides),
            options=frozenset(self.options),
            parts=frozenset(self.parts),
            sdk=self.sdk,
            fetched=tuple(self.fetched),
            sdk_client=self.sdk_client,
        )

    def mention(self, text: str) -> None:
        """An argument as it is written: archs, and variables that hold one."""
        self.archs.update(_ARCH.findall(text))
        for name in references(text):
            if name in self.arch_variables:
                self.read[name] = None

    def sign(self, side: str, weight: int, text: str, where: Where) -> None:
        if len(self.signs) < MAX_SIGNS:
            self.signs.append(Sign(side, weight, text, where))

    def set_command(self, name: str, words: tuple[str, ...], where: Where, side: str) -> None:
        """set() and list(): an option, a system, compiler flags."""
        if name == "set" and "CACHE" in words and "BOOL" in words:
            self.options.add(words[0])
        if name == "set" and words[:1] == ("CMAKE_SYSTEM_NAME",) and "QURT" in words:
            self.sign(SKEL, STRONG, "sets CMAKE_SYSTEM_NAME to QURT", where)
        self.flags(words, where, side)
        self.sources(words, where, side)

    def see(  # noqa: PLR0917
        self,
        name: str,
        words: tuple[str, ...],
        where: Where,
        side: str,
        scope: Place,
        switch: tuple[str, bool] | None,
    ) -> None:
        """Any other command."""
        if not words:
            return
        self.needs_sdk(name, words, where)
        for word in words:
            if word.endswith(".idl") and (path := below(word, scope.directory)):
                self.interfaces[path] = None
        match name:
            case "project":
                self.named(words, where, scope)
            case "option" if words[0].isprintable():
                self.options.add(words[0])
            case "add_library" | "add_executable" | "buildtool_add_skel" | "buildtool_add_stub":
                self.target(name, words, where, side, scope)
            case "set_target_properties" if "PROPERTIES" in words:
                cut = words.index("PROPERTIES")
                both = zip(words[cut + 1 :: 2], words[cut + 2 :: 2], strict=False)
                pairs = {name: value for name, value in both if value.isprintable()}
                for target in words[:cut]:
                    self.properties.setdefault(target, {}).update(pairs)
            case "set_property" if words[0] == "TARGET" and "PROPERTY" in words:
                cut = words.index("PROPERTY")
                if len(words) > cut + 2 and words[cut + 2].isprintable():
                    for target in words[1:cut]:
                        self.properties.setdefault(target, {})[words[cut + 1]] = words[cut + 2]
            case "install":
                self.installs.append(Install(words, side, where))
                self.package_files(words)
            case "configure_package_config_file":
                self.package_files(words)
            case "find_package":
                self.packages[words[0]] = None
            case "externalproject_add":
                self.external(words, where, scope, switch)
            case "fetchcontent_declare" if {"GIT_REPOSITORY", "URL"} & set(words):
                self.fetched.append(where)
            case "target_link_libraries" | "link_libraries" | "link_custom_library":
                rpc = next((word for word in words[1:] if _RPC.search(word)), "")
                if rpc and side != SKEL:
                    self.sign(HOST, STRONG, f"links {rpc}", where)
                    if name == "link_custom_library":
                        self.sdk_client = where
            case "target_sources":
                self.sources(words, where, side)
        if name.endswith(("compile_options", "link_options", "add_definitions")):
            self.flags(words, where, side)

    def named(self, words: tuple[str, ...], where: Where, scope: Place) -> None:
        if scope.directory == self.directory and not self.project:
            self.project, self.where = words[0], where
            if "VERSION" in words[:-1]:
                self.version = words[words.index("VERSION") + 1]

    def target(
        self, name: str, words: tuple[str, ...], where: Where, side: str, scope: Place
    ) -> None:
        title, *rest = words
        if not title.isprintable() or "ALIAS" in rest or "IMPORTED" in rest:
            return
        if name == "add_executable":
            kind = "EXECUTABLE"
        elif name.startswith("buildtool"):
            kind = "SHARED" if name.endswith("skel") else "OBJECT"
            self.sign(SKEL if kind == "SHARED" else HOST, STRONG, f"calls {name}()", where)
        else:
            kind = next((word for word in rest if word in _KINDS), "STATIC")
        side = side or self.sources(rest, where, side)
        if kind in ("SHARED", "MODULE") and not side:
            stem = title.removeprefix("lib")
            if stem.endswith(("_skel", "-skel")) or self.has_arch(title):
                side = SKEL
                self.sign(SKEL, STRONG, f"makes {self.shown(title)}", where)
        if kind == "EXECUTABLE" and side != SKEL:
            weight = STRONG if side == HOST else LIKELY
            self.sign(HOST, weight, f"makes the program {self.shown(title)}", where)
        elif side == SKEL and kind in ("SHARED", "MODULE"):
            self.sign(SKEL, STRONG, f"makes {self.shown(title)} for the DSP", where)
        variable = "RUNTIME" if kind == "EXECUTABLE" else "LIBRARY"
        place = scope.values.get(f"CMAKE_{variable}_OUTPUT_DIRECTORY", "")
        output = (below(place, scope.binary, BUILD) or "**") if place else scope.binary
        self.made.setdefault(title, Made(title, kind, side, output, where))

    def sources(self, words: Sequence[str], where: Where, side: str) -> str:
        """The side that generated sources among `words` tell; `side` where there are none."""
        for word in words:
            name = posixpath.basename(word)
            stem, _, ending = name.rpartition(".")
            if ending in ("c", "cc", "cpp", "cxx") and stem.endswith(("_skel", "_stub")):
                told = SKEL if stem.endswith("_skel") else HOST
                if not side:
                    self.sign(told, STRONG, f"compiles {self.shown(name)}", where)
                    side = told
        return side

    def flags(self, words: Sequence[str], where: Where, side: str) -> None:
        for word in words:
            for flag in word.split():
                if _FLAG.search(flag) and side != HOST:
                    self.sign(SKEL, STRONG, f"has the flag {self.shown(flag)}", where)
                    return

    def needs_sdk(self, name: str, words: tuple[str, ...], where: Where) -> None:
        uses = any(f"{{{variable}}}" in word for variable in _SDK for word in words)
        if name == "build_idl" or any(word.endswith("hexagon_fun.cmake") for word in words):
            self.sdk = self.sdk or where
            self.sign(SKEL, WEAK, "uses functions of the Hexagon SDK", where)
        elif uses and name != "externalproject_add":
            self.sdk = self.sdk or where
            self.sign(SKEL, WEAK, "reads HEXAGON_SDK_ROOT", where)

    def package_files(self, words: tuple[str, ...]) -> None:
        for word in words:
            if package := _PACKAGE.search(posixpath.basename(word)):
                self.provides[package[1]] = None

    def external(
        self, words: tuple[str, ...], where: Where, scope: Place, switch: tuple[str, bool] | None
    ) -> None:
        source = ""
        if "SOURCE_DIR" in words[:-1]:
            source = below(words[words.index("SOURCE_DIR") + 1], scope.directory) or ""
        plain = (word for word in words if word.startswith("-D") and word.isprintable())
        pairs = (word[2:].partition("=") for word in plain)
        definitions = {name.partition(":")[0]: value for name, equals, value in pairs if equals}
        self.externals.append(External(words[0], source, definitions, switch, where))
        for word in words:
            self.mention(word)

    def has_arch(self, text: str) -> bool:
        return bool(_ARCH.search(text)) or any(
            f"${{{name}}}" in text for name in self.arch_variables
        )

    def shown(self, text: str) -> str:
        """`text` as a comment may have it."""
        return text if len(text) <= 60 else text[:57] + "…"
