"""The install() rules of a configured build tree, and its source directories.

Source: cmake-file-api(7), codemodel v2, "directory" object: `installers`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import Reply, read_reply


class InstallRule(Value):
    """An install() rule that runs by default, that is without EXCLUDE_FROM_ALL.

    `kind` is the type in the File API: `target`, `file`, `directory`, `export`, `script`, `code`
    and others.  `destination` is relative to the prefix, unless the rule names an absolute path.
    `files` are absolute source paths, each with its path below the destination.  `target` is ""
    unless the rule installs a target.
    """

    kind: str
    destination: str
    files: tuple[tuple[Path, str], ...]
    target: str
    optional: bool


class Installation(Value):
    """The rules of a tree in their order, and the directories of its CMakeLists.txt files."""

    rules: tuple[InstallRule, ...]
    directories: tuple[Path, ...]


def read_installation(tree: Path) -> Installation:
    """The install() rules of the configured `tree`; raises `FileApiError`."""
    return read_reply(tree, _installation)


def _installation(reply: Reply) -> Installation:
    model = reply.codemodel()
    source, build = Path(model["paths"]["source"]), Path(model["paths"]["build"])
    configuration = model["configurations"][0]
    targets = [str(target["name"]) for target in configuration["targets"]]
    rules = []
    for entry in configuration["directories"]:
        folder = reply.read(entry["jsonFile"])
        for row in folder.get("installers", ()):
            if not row.get("isExcludeFromAll"):
                base = build if row["type"] in ("target", "export") else source
                rules.append(_rule(row, base, targets))
    directories = tuple(source / entry["source"] for entry in configuration["directories"])
    return Installation(tuple(rules), directories)


def _rule(row: Any, base: Path, targets: list[str]) -> InstallRule:
    return InstallRule(
        kind=str(row["type"]),
        destination=str(row.get("destination", "")),
        files=tuple(_file(path, base) for path in row.get("paths", ())),
        target=targets[row["targetIndex"]] if "targetIndex" in row else "",
        optional=bool(row.get("isOptional")),
    )


def _file(path: Any, base: Path) -> tuple[Path, str]:
    """A file and the path that it is installed as, below the destination."""
    if isinstance(path, str):
        return base / path, Path(path).name
    return base / str(path["from"]), str(path["to"])
