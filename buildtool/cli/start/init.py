"""`buildtool init`: a new project from a template, or a project file for a CMake tree."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from buildtool.cli.options import Json
from buildtool.cli.parameters import Argument, Option
from buildtool.cli.show import print_json, show, show_json, write
from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.core.safe_path import check_path
from buildtool.idl.emit.python.type_text import camel

if TYPE_CHECKING:
    from buildtool.documents.toolchains import InitDocument, UnknownObject

LAYERS = {
    "hvx": ("kernel", "program", "hvx"),
    "float": ("kernel", "hvx", "float"),
    "cpp": ("kernel", "cpp"),
    "wheel": ("kernel", "program", "library", "wheel"),
    "dsp-tests": ("dsp-tests",),
    "android": ("kernel", "program", "library", "android"),
}
"""The directories of `templates/` that a template consists of."""
_ROOT = Path(__file__).with_name("templates")


def write_template(template: str, folder: Path, name: str) -> list[Path]:
    """Write `template` into `folder` under the project name `name`; returns the files.

    A README.md that is there is kept; a .gitignore gets the lines that it lacks.

    Raises `UsageError` for an unknown template, an invalid name, and a file that already exists.
    """
    if template not in LAYERS:
        raise UsageError(
            f"there is no template {template!r}",
            why=f"known: {', '.join(LAYERS)}",
            remedy="Name one of these templates.",
        )
    check_name(name)
    ident = name.replace("-", "_")
    values = {"@NAME@": name, "@IDENT@": ident, "@CLASS@": camel(f"{ident}_dsp")}
    files = {
        folder / _filled(str(source.relative_to(_ROOT / layer)), values): _filled(
            source.read_text(encoding="utf-8"), values
        )
        for layer in LAYERS[template]
        for source in sorted((_ROOT / layer).rglob("*"))
        if source.is_file()
    }
    if (folder / "README.md").exists():
        files.pop(folder / "README.md", None)
    for path, text in files.items():
        if path.name == ".gitignore":
            files[path] = _with_lines(path, text)
        elif path.exists():
            raise already_exists(path, "Name a new directory: buildtool init NEW-DIRECTORY")
    for path, text in files.items():
        write_if_changed(path, text)
    return list(files)


def _with_lines(file: Path, lines: str) -> str:
    """The text of `file`, if there is one, with those of `lines` that it lacks."""
    text = file.read_text(encoding="utf-8", errors="surrogateescape") if file.is_file() else ""
    text += "\n" if text and not text.endswith("\n") else ""
    return text + "".join(
        f"{line}\n" for line in lines.splitlines() if line not in text.split("\n")
    )


def _filled(text: str, values: dict[str, str]) -> str:
    for token, value in values.items():
        text = text.replace(token, value)
    return text


def check_name(name: str) -> None:
    """Raise `UsageError` if `name` is not a valid project name."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,40}", name):
        raise UsageError(
            f"{name!r} is not a valid project name",
            why="the project's interface and files are named after it",
            remedy="Use letters, digits, '_' and '-', starting with a letter: --name my-project",
        )


def already_exists(path: Path, remedy: str) -> UsageError:
    return UsageError(f"{path} already exists", why="init never overwrites", remedy=remedy)


FILE_NAME = "buildtool.toml"
MAX_SHARDS = 200
"""What GitLab accepts; GitHub accepts 256."""


def init(
    directory: Annotated[
        Path,
        Argument("[DIRECTORY]", "Its directory; default: the current one."),
    ] = Path(),
    *,
    template: Annotated[
        str,
        Option(
            "--template",
            "hvx, float, cpp, wheel, dsp-tests or android; default: hvx, unless there is a CMake"
            " tree.",
            "TEMPLATE",
        ),
    ] = "",
    name: Annotated[
        str,
        Option("--name", "Project name; default: the directory's name.", "NAME"),
    ] = "",
    ci: Annotated[
        str,
        Option(
            "--ci",
            "Write a workflow of github or gitlab that builds, tests and packages it.",
            "SERVICE",
        ),
    ] = "",
    shards: Annotated[
        int,
        Option("--shards", "With --ci: divide the work among N runners.", "N", most=MAX_SHARDS),
    ] = 0,
    image: Annotated[
        str,
        Option("--image", "With --ci: a container image that has buildtool.", "IMAGE"),
    ] = "",
    dry_run: Annotated[
        bool,
        Option("--dry-run --print", "Print the project file for a CMake tree; write nothing."),
    ] = False,
    schema: Annotated[bool, Option("--schema", "Print the JSON schema of buildtool.toml.")] = False,
    json: Json = False,
) -> int:
    """Create a small project, or a project file for a CMake tree."""
    if schema:
        from buildtool.project.schema import json_schema

        show_json(json_schema())
        return 0
    if shards and not ci:
        raise UsageError("--shards is for --ci SERVICE", remedy="Omit --shards, or add --ci.")
    if image and not ci:
        raise UsageError("--image is for --ci SERVICE", remedy="Omit --image, or add --ci.")
    folder = (Path.cwd() / directory).resolve()
    if not dry_run:
        check_path(folder, "the project")
    name = name or _name_from(folder.name)
    if ci and not template:
        if not (folder / FILE_NAME).exists():
            raise UsageError(
                f"there is no {FILE_NAME} in {folder}",
                why="a workflow builds what that file describes",
                remedy="Create a project at the same time with --template hvx, or first: buildtool"
                f" init {shlex.quote(str(directory))}",
            )
        written = []
    elif dry_run or (not template and (has_cmake_tree(folder) or _has_prebuilt_files(folder))):
        return _from_tree(folder, name, dry_run=dry_run, json=json)
    else:
        written = write_template(template or "hvx", folder, name)
    if ci:
        from buildtool.cli.start.init_ci import write_workflow

        written.append(write_workflow(ci, folder, shards, image))
    if json:
        document: InitDocument = {
            "directory": str(folder),
            "files": [str(path) for path in written],
            "text": None,
            "unknown": [],
        }
        print_json(document)
        return 0
    for path in written:
        show(path.relative_to(folder))
    if ci and not template:
        return 0
    if folder != Path.cwd():
        show(f"\nNext: cd {shlex.quote(str(directory))} && buildtool run sim")
    else:
        show("\nNext: buildtool run sim")
    return 0


def has_cmake_tree(folder: Path) -> bool:
    """Whether `folder` or a directory below it has a CMake project."""
    from buildtool.propose.cmake_tree import LISTING, read_tree

    return (folder / LISTING).is_file() or (folder.is_dir() and bool(read_tree(folder).listings))


def _has_prebuilt_files(folder: Path) -> bool:
    from buildtool.propose.prebuilt import has_prebuilt_files

    return folder.is_dir() and has_prebuilt_files(folder)


def _from_tree(folder: Path, name: str, *, dry_run: bool, json: bool) -> int:
    """Propose a project file, and write it unless `dry_run`; returns the exit status."""
    from buildtool.cli.screen import Screen
    from buildtool.propose.cmake_tree import read_tree
    from buildtool.propose.prebuilt import propose_prebuilt
    from buildtool.propose.proposal import toml_text
    from buildtool.propose.propose import propose

    check_name(name)
    file = folder / FILE_NAME
    if file.exists() and not dry_run:
        raise already_exists(file, "To print what init proposes: buildtool init --print")
    tree = read_tree(folder)
    proposal = propose(tree, name, Screen()) if tree.listings else propose_prebuilt(folder, name)
    written = toml_text(proposal)
    if not written:
        raise UsageError(
            f"no component was found in {folder}",
            why="\n".join(unknown.what for unknown in proposal.unknown)
            or "no CMakeLists.txt below it calls project(); build trees and third_party/ are not"
            " searched; and there are no prebuilt ARM64 or Hexagon files",
            remedy="Write buildtool.toml by hand, or start from a template: buildtool init"
            " --template hvx NEW-DIRECTORY",
        )
    # Comments alone would only block the next init.
    printed = dry_run or not proposal.builds
    if not printed:
        write_if_changed(file, written)
    rows = [*(table.off for table in proposal.tables if table.off), *proposal.unknown]
    unknown: list[UnknownObject] = [{"what": row.what, "remedy": row.remedy} for row in rows]
    if json:
        document: InitDocument = {
            "directory": str(folder),
            "files": [] if printed else [str(file)],
            "text": written,
            "unknown": unknown,
        }
        print_json(document)
    else:
        if printed:
            write(written)
        else:
            show(file.name)
        for row in unknown:
            show(f"! {row['what']}\n  {row['remedy']}", file=sys.stderr)
        place = "" if folder == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
        if not proposal.builds:
            show(
                f"\nNo component can be built yet, so {FILE_NAME} was not written. Correct what is"
                " named here and run buildtool init again, or complete the text by hand:"
                f" buildtool init --print >{FILE_NAME}",
                file=sys.stderr,
            )
        elif not dry_run:
            show(f"\nNext: read it, then {place}buildtool build --plan", file=sys.stderr)
    return int(not proposal.builds)


def _name_from(directory: str) -> str:
    """A project name from a directory's name; `-` replaces characters that are not allowed."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", directory).strip("-")
    return name if name[:1].isalpha() else f"project-{name}".strip("-")
