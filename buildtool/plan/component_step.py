"""The base class of the steps of all kinds, and the names of directories that move."""

from __future__ import annotations

import functools
import os
import posixpath
import sys
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import buildtool
from buildtool import _data
from buildtool.core.cache import cache_dir
from buildtool.core.value import Value
from buildtool.inputs.globs import Glob, literal_base
from buildtool.inputs.roots import Roots
from buildtool.project.model import STATE
from buildtool.toolchains.profile import Profile

if TYPE_CHECKING:
    from buildtool.documents.builds import StepObject
    from buildtool.project.debian_lock import DebianPackage


class ComponentStep(Value):
    """Make the outputs of one component for one profile.

    `arch` is None for the ARM64 side; `root` is the project's directory; `output` is the directory
    of the step's outputs.
    """

    name: str
    component: str
    arch: str | None
    profile: Profile
    root: Path
    output: Path

    @property
    @abstractmethod
    def source(self) -> Path:
        """The directory of the component's files."""

    @property
    def tree(self) -> Path:
        """The directory that the step works in."""
        return self.output

    @cached_property
    def roots(self) -> Roots:
        """Names for the directories that are elsewhere on another machine or in another clone."""
        return named_roots(self.root, self.tree, self.profile.places)

    def as_json(self) -> StepObject:
        return {
            "name": self.name,
            "component": self.component,
            "arch": self.arch,
            "profile": self.profile.name,
            "source": str(self.source),
            "tree": str(self.tree),
        }


def named_roots(project: Path, tree: Path, tools: Mapping[str, str]) -> Roots:
    """The roots of a step: its project with the directories above it, its build tree, this program,
    its cache, and those directories of `tools` (`Profile.places`) that are not of the system."""
    return Roots(
        {
            **_installed(project),
            **{name.lower(): Path(place) for name, place in tools.items() if _is_own(place)},
            "cache": cache_dir(),
            "python": Path(sys.prefix),
            "project": project,
            "tree": tree,
        },
        _parents(project),
        _home(),
    )


def _is_own(place: str) -> bool:
    path = Path(place)
    return path.is_absolute() and path.is_dir() and not place.startswith("/usr/")


@functools.cache
def _parents(project: Path) -> tuple[str, ...]:
    """The directories above the project, the nearest first: those that `..` leads to, so none above
    a symlink, and none of the system."""
    found: list[str] = []
    path = os.path.normpath(project)
    while not os.path.islink(path) and (path := path.rpartition("/")[0]) not in ("", "/usr"):  # noqa: PTH114
        found.append(path)
    return tuple(found)


def _home() -> str:
    """The home directory; "" if it is a clone, as in some jobs of CI services."""
    home = os.path.normpath(os.path.expanduser("~"))  # noqa: PTH111 - as the environment has it
    return "" if os.path.lexists(f"{home}/.git") else home


@functools.cache
def _installed(project: Path) -> Mapping[str, Path]:
    """The directories of this program, unless the project is this program's own clone."""
    python = Path(sys.prefix)
    own = {
        "buildtool": Path(buildtool.__file__).parent,
        **{f"buildtool.{name}": _data.path(name) for name in ("cmake", "dsp", "host")},
    }
    # A clone of this program is a project too: then its sources belong to the project.
    return {
        name: place
        for name, place in own.items()
        if place.is_relative_to(python) or not place.is_relative_to(project)
    }


OWNERS = "share/buildtool/debian.json"
"""Which Debian package each shared library is of, in the directory of unpacked packages."""


class FilesStep(ComponentStep):
    """Copy the prebuilt files of one component, and check them against one profile.

    `patterns` are paths and globs relative to the project, with `{arch}` in place of the arch;
    `folder` is a directory that is copied with its layout, "" for none.  With `ships` the files are
    part of the release; otherwise they are there for components that need this one, and libraries
    ship that something in the release needs.  `debian` are the packages that the files are of.
    """

    patterns: tuple[str, ...] = ()
    folder: str = ""
    ships: bool = True
    debian: tuple[DebianPackage, ...] = ()

    @property
    def needs(self) -> tuple[tuple[str, Path], ...]:
        """The steps that it builds on: none."""
        return ()

    @property
    def directories(self) -> tuple[Path, ...]:
        """The directories that copying the files writes to."""
        return (self.output, self.fresh_output)

    @property
    def fresh_output(self) -> Path:
        """Where the copies are made before they replace those in `output`."""
        return self.output.with_name(f"{self.output.name}.new")

    @property
    def tools_version(self) -> str:
        """No tool makes the outputs."""
        return ""

    @property
    def files(self) -> tuple[str, ...]:
        """`patterns` for the arch of the step."""
        arch = self.arch or "{arch}"
        return tuple(pattern.replace("{arch}", arch) for pattern in self.patterns)

    @property
    def globs(self) -> tuple[Glob, ...]:
        """The globs that match the files of the component."""
        tree = [f"{self.folder}/**"] if self.folder else []
        names = (posixpath.normpath(pattern) for pattern in (*self.files, *tree))
        return tuple(Glob(f"{{project}}/{name}", deep=True) for name in names)

    @property
    def source(self) -> Path:
        """The directory that all its files are in."""
        folders = [literal_base(glob).partition("/")[2] for glob in self.globs]
        return self.root / posixpath.commonpath(folders)

    def paths_in_folder(self) -> Iterator[Path]:
        """The files and links in `folder`, without this tool's own directory."""
        for inside, folders, names in os.walk(self.root / self.folder) if self.folder else ():
            links = [name for name in folders if Path(inside, name).is_symlink()]
            folders[:] = sorted(n for n in folders if Path(inside, n) != self.root / STATE)
            yield from (Path(inside, name) for name in sorted((*names, *links)))

    @property
    def links(self) -> Mapping[str, str]:
        """The texts of the links in `folder`, by path: the state of a file does not show them."""
        return {
            str(path.relative_to(self.root / self.folder)): str(path.readlink())
            for path in self.paths_in_folder()
            if path.is_symlink()
        }

    def ships_output(self, _: str) -> bool:
        """Whether an output is part of the release."""
        return self.ships

    @property
    def summary(self) -> str:
        kind = "Debian packages" if self.debian else "prebuilt files"
        return f"{self.component} of {kind} for {self.arch or self.profile.platform}"
