"""`buildtool init`: a small complete project to start from."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Annotated

import typer

from buildtool.cli.options import Json, here, print_json
from buildtool.core.errors import UsageError

TEMPLATES = Path(__file__).parent / "templates"


def init(
    directory: Annotated[Path, typer.Argument(help="Where to write it.")] = Path(),
    *,
    template: Annotated[str, typer.Option(help="Template to start from.")] = "hvx",
    name: Annotated[str, typer.Option(help="Name of the project; default: the directory's.")] = "",
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of buildtool.toml instead.")
    ] = False,
    json: Json = False,
) -> None:
    """Write a small complete project: an IDL file, an HVX kernel, a program that checks it."""
    if schema:
        from buildtool.project.schema import json_schema

        print_json(json_schema())
        return
    folder = (here() / directory).resolve()
    written = write_template(template, folder, name or _name_from(folder.name))
    if json:
        print_json({"directory": str(folder), "files": [str(path) for path in written]})
        return
    for path in written:
        print(path.relative_to(folder))
    if folder != here():
        print(f"\nNext: cd {shlex.quote(str(directory))} && buildtool run sim")
    else:
        print("\nNext: buildtool run sim")


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
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,40}", name):
        raise UsageError(
            f"{name!r} is no name for a project",
            why="its interface and its files are named after it",
            remedy="Use letters, digits, '_' and '-', a letter first: --name my-project",
        )
    root = TEMPLATES / template
    values = {"@NAME@": name, "@IDENT@": name.replace("-", "_")}
    files = {
        folder / _filled(str(source.relative_to(root)), values): _filled(source.read_text(), values)
        for source in sorted(root.rglob("*"))
        if source.is_file()
    }
    for path in files:
        if path.exists():
            raise UsageError(
                f"{path} exists already",
                why="init never overwrites",
                remedy="Name a directory that is not there yet: buildtool init NEW-DIRECTORY",
            )
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return list(files)


def _filled(text: str, values: dict[str, str]) -> str:
    for token, value in values.items():
        text = text.replace(token, value)
    return text


def _name_from(directory: str) -> str:
    """A project name made from a directory's: what is not allowed becomes `-`."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", directory).strip("-")
    return name if name[:1].isalpha() else f"project-{name}".strip("-")
