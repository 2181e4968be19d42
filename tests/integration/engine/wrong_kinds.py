"""Kinds of entries that replace a file or a directory of a build."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

VICTIM = "of the user"


def folder(path: Path, elsewhere: Path) -> None:
    (path / "sub").mkdir(parents=True)
    (path / "sub" / "file").write_text("x")


def file(path: Path, elsewhere: Path) -> None:
    path.write_text("x", encoding="utf-8")


def pipe(path: Path, elsewhere: Path) -> None:
    os.mkfifo(path)


def dangling(path: Path, elsewhere: Path) -> None:
    path.symlink_to("nothing is called so")


def loop(path: Path, elsewhere: Path) -> None:
    path.symlink_to(path.name)


def link(path: Path, elsewhere: Path) -> None:
    path.symlink_to(elsewhere)


Kind = Callable[[Path, Path], None]
FOR_FILES: tuple[Kind, ...] = (folder, pipe, dangling, loop, link)
FOR_FOLDERS: tuple[Kind, ...] = (file, pipe, dangling, loop, link)


class Elsewhere:
    """A file and a directory of the user, the targets of links; builds must not change them."""

    def __init__(self, place: Path) -> None:
        self.file, self.folder = place / "file", place / "folder"
        self.folder.mkdir(parents=True)
        self.file.write_text(VICTIM)
        (self.folder / "file").write_text(VICTIM)

    def is_whole(self) -> bool:
        found = [path.name for path in self.folder.iterdir()]
        texts = {self.file.read_text(), (self.folder / "file").read_text()}
        return found == ["file"] and texts == {VICTIM}


def put(kind: Kind, path: Path, elsewhere: Elsewhere) -> None:
    """Replace `path` by an entry of another kind."""
    is_folder = path.is_dir() and not path.is_symlink()
    if is_folder:
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    kind(path, elsewhere.folder if is_folder else elsewhere.file)
