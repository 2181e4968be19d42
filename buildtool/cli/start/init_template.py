"""The templates of `buildtool init`: small projects that build, run and test something."""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.core.errors import UsageError
from buildtool.core.files import write_if_changed
from buildtool.idl.emit.python.type_text import camel

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
