"""A step whose outputs are copies of prebuilt files: no compiler runs."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.inputs.globs import Glob, literal_base
from buildtool.plan.component_step import ComponentStep
from buildtool.project.model import STATE

if TYPE_CHECKING:
    from buildtool.project.debian_lock import DebianPackage

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
