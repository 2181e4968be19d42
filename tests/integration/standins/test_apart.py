"""Stand-ins and finders share no assumptions in code: neither imports the other."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.command_line import REPOSITORY


def imports(file: Path) -> set[str]:
    """The modules that a file imports, as written in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def test_stand_ins_import_no_finder_and_no_profile() -> None:
    files = list((REPOSITORY / "tests" / "standins").rglob("*.py"))
    assert len(files) > 5
    found = {name for file in files for name in imports(file)}
    # zig compiles stand-ins, and none stands in for it.
    found.remove("buildtool.sdk.packaged_tools")
    assert not [name for name in found if name.startswith(("buildtool.sdk", "buildtool.toolc"))]


def test_buildtool_imports_nothing_of_the_stand_ins() -> None:
    found = {name for file in (REPOSITORY / "buildtool").rglob("*.py") for name in imports(file)}
    assert "buildtool.sdk.tool_search" in found
    assert not [name for name in found if name.startswith("tests")]
