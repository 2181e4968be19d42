"""`buildtool init`: a small complete project to start from, or a project file for what is there."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli.options import Json, here, print_json
from buildtool.cli.show import show, show_json, write
from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.core.safe_path import check_path

TEMPLATES = Path(__file__).parent / "templates"


def init(
    directory: Annotated[Path, typer.Argument(help="Where to write it.")] = Path(),
    *,
    template: Annotated[
        str,
        typer.Option(help="Template to start from; default: hvx, where there is no CMake tree."),
    ] = "",
    name: Annotated[str, typer.Option(help="Name of the project; default: the directory's.")] = "",
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", "--print", help="Print the project file for a CMake tree, write nothing."
        ),
    ] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of buildtool.toml instead.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a small complete project, or, in a CMake tree, a project file for what is there."""
    if schema:
        from buildtool.project.schema import json_schema

        show_json(json_schema())
        return
    folder = (here() / directory).resolve()
    if not dry_run:
        check_path(folder, "the project")
    name = name or _name_from(folder.name)
    if dry_run or (not template and has_cmake_tree(folder)):
        _from_tree(folder, name, dry_run=dry_run, json=json)
        return
    written = write_template(template or "hvx", folder, name)
    if json:
        files = [str(path) for path in written]
        print_json({"directory": str(folder), "files": files, "text": None, "unknown": []})
        return
    for path in written:
        show(path.relative_to(folder))
    if folder != here():
        show(f"\nNext: cd {shlex.quote(str(directory))} && buildtool run sim")
    else:
        show("\nNext: buildtool run sim")


def has_cmake_tree(folder: Path) -> bool:
    """Whether there is a CMake project in `folder` or below it."""
    from buildtool.propose.cmake_tree import LISTING, read_tree

    return (folder / LISTING).is_file() or (folder.is_dir() and bool(read_tree(folder).listings))


def _from_tree(folder: Path, name: str, *, dry_run: bool, json: bool) -> None:
    """Propose a project file, and write it unless `dry_run`."""
    from buildtool.cli.screen import Screen
    from buildtool.project.read import FILE_NAME
    from buildtool.propose.cmake_tree import read_tree
    from buildtool.propose.propose import propose
    from buildtool.propose.toml_text import toml_text

    check_name(name)
    file = folder / FILE_NAME
    if file.exists() and not dry_run:
        raise _in_the_way(file, "See what it would propose: buildtool init --print")
    proposal = propose(read_tree(folder), name, Screen())
    written = toml_text(proposal)
    if not written:
        raise UsageError(
            f"nothing in {folder} could be told to be a component",
            why="\n".join(unknown.what for unknown in proposal.unknown)
            or "no CMakeLists.txt below it calls project(); build trees and third_party/ are left"
            " out",
            remedy="Write buildtool.toml by hand, or start from a template: buildtool init"
            " --template hvx NEW-DIRECTORY",
        )
    if not dry_run:
        write_if_changed(file, written)
    rows = [*(table.off for table in proposal.tables if table.off), *proposal.unknown]
    unknown = [{"what": row.what, "remedy": row.remedy} for row in rows]
    if json:
        files = [] if dry_run else [str(file)]
        print_json({"directory": str(folder), "files": files, "text": written, "unknown": unknown})
        return
    if dry_run:
        write(written)
    else:
        show(file.name)
    screen = sys.stderr
    for row in unknown:
        show(f"! {row['what']}\n  {row['remedy']}", file=screen)
    if not dry_run:
        place = "" if folder == here() else f"cd {shlex.quote(str(folder))} && "
        show(f"\nNext: read it, then {place}buildtool build --plan", file=screen)


def check_name(name: str) -> None:
    """Raise `UsageError` for what no project can be called."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,40}", name):
        raise UsageError(
            f"{name!r} is no name for a project",
            why="its interface and its files are named after it",
            remedy="Use letters, digits, '_' and '-', a letter first: --name my-project",
        )


def _in_the_way(path: Path, remedy: str) -> UsageError:
    return UsageError(f"{path} exists already", why="init never overwrites", remedy=remedy)


def write_template(template: str, folder: Path, name: str) -> list[Path]:
    """Write `template` into `folder` under the project name `name`; returns the files.

    Raises `UsageError` when there is no such template, the name is none, or a file is in the way.
    """
    known = sorted(path.name for path in TEMPLATES.iterdir() if path.is_dir())
    if template not in known:
        raise UsageError(
            f"there is no template {template!r}",
            why=f"known: {', '.join(known)}",
            remedy="Name one of these.",
        )
    check_name(name)
    root = TEMPLATES / template
    values = {"@NAME@": name, "@IDENT@": name.replace("-", "_")}
    files = {
        folder / _filled(str(source.relative_to(root)), values): _filled(
            source.read_text(encoding="utf-8"), values
        )
        for source in sorted(root.rglob("*"))
        if source.is_file()
    }
    for path in files:
        if path.exists():
            raise _in_the_way(
                path, "Name a directory that is not there yet: buildtool init NEW-DIRECTORY"
            )
    for path, text in files.items():
        write_if_changed(path, text)
    return list(files)


def _filled(text: str, values: dict[str, str]) -> str:
    for token, value in values.items():
        text = text.replace(token, value)
    return text


def _name_from(directory: str) -> str:
    """A project name made from a directory's: what is not allowed becomes `-`."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", directory).strip("-")
    return name if name[:1].isalpha() else f"project-{name}".strip("-")
