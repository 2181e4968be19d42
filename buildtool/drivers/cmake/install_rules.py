"""What the install() rules of a configured build tree put down, and the directories that it has.

Source: cmake-file-api(7), codemodel v2, "directory" object: `installers`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import API, CLIENT, FileApiError, Reply


class InstallRule(Value):
    """An install() rule that is carried out by default.

    `kind` is the File API's: `target`, `file`, `directory`, `export`, `script`, `code` and others;
    `destination` is relative to the prefix, unless the rule names an absolute one; `files` are
    absolute paths and the names that they get there; `target` is "" for what is no target's.
    """

    kind: str
    destination: str
    files: tuple[tuple[Path, str], ...]
    target: str
    optional: bool


class Installation(Value):
    """The rules of a tree in order, and the source directories of its CMakeLists.txt files."""

    rules: tuple[InstallRule, ...]
    directories: tuple[Path, ...]


def read_installation(tree: Path) -> Installation:
    """What CMake says of the configured `tree`; raises `FileApiError` as `read_build_tree` does."""
    try:
        return _read(Reply(tree / API / "reply"))
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise FileApiError(
            f"CMake's description of the build tree {tree} cannot be read",
            why=f"{type(error).__name__}: {error}",
            remedy=f"Delete the tree and build again: rm -r '{tree}'",
        ) from error


def _read(reply: Reply) -> Installation:
    model = reply.read(reply.current()["reply"][CLIENT]["codemodel-v2"]["jsonFile"])
    source, build = Path(model["paths"]["source"]), Path(model["paths"]["build"])
    configuration = model["configurations"][0]
    names = [str(target["name"]) for target in configuration["targets"]]
    rules = []
    for entry in configuration["directories"]:
        folder = reply.read(entry["jsonFile"])
        for row in folder.get("installers", ()):
            if not row.get("isExcludeFromAll"):
                base = build if row["type"] in ("target", "export") else source
                rules.append(_rule(row, base, names))
    directories = tuple(source / entry["source"] for entry in configuration["directories"])
    return Installation(tuple(rules), directories)


def _rule(row: Any, base: Path, names: list[str]) -> InstallRule:
    return InstallRule(
        kind=str(row["type"]),
        destination=str(row.get("destination", "")),
        files=tuple(_file(path, base) for path in row.get("paths", ())),
        target=names[row["targetIndex"]] if "targetIndex" in row else "",
        optional=bool(row.get("isOptional")),
    )


def _file(path: Any, base: Path) -> tuple[Path, str]:
    """A path, or one that is called otherwise where it is put."""
    if isinstance(path, str):
        return base / path, Path(path).name
    return base / str(path["from"]), str(path["to"])
