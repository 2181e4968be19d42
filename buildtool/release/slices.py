"""A release and its slices: the ARM64 side is one, the skels of each DSP arch are another.

A device gets the slice `host` and the one of its own arch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from buildtool.core.files import value_digest
from buildtool.core.value import Value

HOST = "host"


class ReleaseFile(Value):
    """A file of a release: its path there, permissions, size in bytes, and the sha256 of its bytes.

    `step` is the name of the step that ships it, "" for `run.sh`; `build_id` is that of an ELF
    file, in hex.
    """

    path: str
    mode: int
    size: int
    sha256: str
    step: str = ""
    build_id: str = ""

    @property
    def row(self) -> list[str]:
        """The file in the list of which the slice's id is the digest."""
        return [self.path, f"{self.mode:04o}", self.sha256]


class ReleaseLink(Value):
    """A symbolic link of a release; `target` is relative to its directory."""

    path: str
    target: str

    @property
    def row(self) -> list[str]:
        """The link in the list of which the slice's id is the digest."""
        return [self.path, "link", self.target]


class Slice(Value):
    """A part of a release: `host`, or a DSP arch."""

    name: str
    files: tuple[ReleaseFile, ...]
    links: tuple[ReleaseLink, ...]

    @cached_property
    def id(self) -> str:
        """The digest of the file list."""
        return file_list_digest(
            [*(file.row for file in self.files), *(link.row for link in self.links)]
        )


class Release(Value):
    """The files that a target ships, in `directory`, with their debug information in `debug`."""

    target: str
    directory: Path
    debug: Path
    slices: tuple[Slice, ...]

    @cached_property
    def id(self) -> str:
        """The digest of the ids of all slices."""
        return release_id({part.name: part.id for part in self.slices})

    @property
    def archs(self) -> tuple[str, ...]:
        """The DSP archs that it has skels for."""
        return tuple(part.name for part in self.slices if part.name != HOST)

    @property
    def files(self) -> tuple[ReleaseFile, ...]:
        return tuple(file for part in self.slices for file in part.files)

    @property
    def links(self) -> tuple[ReleaseLink, ...]:
        return tuple(link for part in self.slices for link in part.links)


def slice_of(path: str) -> str:
    """The name of the slice that the file at `path` in a release belongs to."""
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] if top == "dsp" and "/" in rest else HOST


def file_list_digest(rows: Iterable[Sequence[str]]) -> str:
    """The id of a slice: the digest of its rows [path, mode, sha256] and [path, "link", target]."""
    return value_digest(sorted([*row] for row in rows))


def release_id(slices: dict[str, str]) -> str:
    """The id of a release with these slices: name → id."""
    return value_digest(slices)


def in_slices(
    files: Iterable[ReleaseFile], links: Iterable[ReleaseLink], archs: Iterable[str]
) -> tuple[Slice, ...]:
    """Divide the entries of a release into slices: `host`, then those of `archs`."""
    by_name: dict[str, tuple[list[ReleaseFile], list[ReleaseLink]]] = {
        name: ([], []) for name in (HOST, *archs)
    }
    for file in sorted(files):
        by_name.setdefault(slice_of(file.path), ([], []))[0].append(file)
    for link in sorted(links):
        by_name.setdefault(slice_of(link.path), ([], []))[1].append(link)
    return tuple(Slice(name, tuple(own), tuple(others)) for name, (own, others) in by_name.items())
