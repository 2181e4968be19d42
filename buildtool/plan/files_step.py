"""A step whose outputs are copies of prebuilt files: no compiler runs."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from pathlib import Path

from buildtool.inputs.globs import Glob, literal_base
from buildtool.plan.component_step import ComponentStep


class FilesStep(ComponentStep):
    """Copy the prebuilt files of one component, and check them against one profile.

    `patterns` are paths and globs relative to the project, with `{arch}` in place of the arch;
    `folder` is a directory that is copied with its layout, "" for none.  With `ships` the files are
    part of the release; otherwise they are there for components that need this one, and libraries
    ship that something in the release needs.
    """

    patterns: tuple[str, ...] = ()
    folder: str = ""
    ships: bool = True

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
        return tuple(self.of_arch(pattern, self.arch or "") for pattern in self.patterns)

    @staticmethod
    def of_arch(pattern: str, arch: str) -> str:
        return pattern.replace("{arch}", arch) if arch else pattern

    @property
    def globs(self) -> tuple[Glob, ...]:
        """What matches the files of the component."""
        tree = [f"{self.folder}/**"] if self.folder else []
        names = (posixpath.normpath(pattern) for pattern in (*self.files, *tree))
        return tuple(Glob(f"{{project}}/{name}", deep=True) for name in names)

    @property
    def source(self) -> Path:
        """The directory that all its files are in."""
        folders = [literal_base(glob).partition("/")[2] for glob in self.globs]
        return self.root / posixpath.commonpath(folders)

    @property
    def links(self) -> Mapping[str, str]:
        """The texts of the links in `folder`, by path: the state of a file does not show them."""
        top = self.root / self.folder
        return {
            str(path.relative_to(top)): str(path.readlink())
            for inside, folders, names in (os.walk(top) if self.folder else ())
            for path in (Path(inside, name) for name in sorted((*folders, *names)))
            if path.is_symlink()
        }

    def ships_output(self, _: str) -> bool:
        """Whether an output is part of the release."""
        return self.ships

    @property
    def summary(self) -> str:
        return f"{self.component} of prebuilt files for {self.arch or self.profile.platform}"
