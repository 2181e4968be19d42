"""What the CMake files of one component say: the values that reading them gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SKEL, HOST = "skel", "host"
STRONG, LIKELY, WEAK = 3, 2, 1
"""How much a sign says of the side: it decides; it does where nothing decides; it is a guess."""


@dataclass(frozen=True, slots=True)
class Where:
    """A line of a CMake file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that tells the side: `skel` or `host`."""

    side: str
    weight: int
    text: str
    where: Where

    def __str__(self) -> str:
        return f"{self.where} {self.text}"


@dataclass(frozen=True, slots=True)
class Made:
    """A target: `kind` as add_library() has it, or `EXECUTABLE`; `output` is the directory in the
    build tree that its file goes to, "**" where that could not be told."""

    name: str
    kind: str
    side: str
    output: str
    where: Where


@dataclass(frozen=True, slots=True)
class Install:
    """An install() rule; `words` are its arguments."""

    words: tuple[str, ...]
    side: str
    where: Where


@dataclass(frozen=True, slots=True)
class External:
    """An ExternalProject_Add(): `source` is the directory of the tree that it builds, or "";
    `switch` is the option that it depends on, and the value that turns it off."""

    name: str
    source: str
    definitions: Mapping[str, str]
    switch: tuple[str, bool] | None
    where: Where


@dataclass(frozen=True, slots=True)
class Reading:
    """What a component's CMake files say, those of its subdirectories included.

    `arch_variables` are those that it reads to learn the DSP arch, `archs` the archs that it
    names; `packages` are looked for with find_package(), `provides` are the package files that it
    installs; `sdk` is where it cannot do without a Hexagon SDK, `fetched` where it downloads,
    `sdk_client` where it links the client library of an SDK.
    """

    directory: str
    project: str
    version: str
    where: Where
    made: tuple[Made, ...]
    properties: Mapping[str, Mapping[str, str]]
    installs: tuple[Install, ...]
    externals: tuple[External, ...]
    signs: tuple[Sign, ...]
    interfaces: tuple[str, ...]
    archs: tuple[str, ...]
    arch_variables: tuple[str, ...]
    packages: tuple[str, ...]
    provides: tuple[str, ...]
    options: frozenset[str]
    parts: frozenset[str]
    sdk: Where | None
    fetched: tuple[Where, ...]
    sdk_client: Where | None
