"""What docs/architecture.md names exists, and imports have no circle."""

from __future__ import annotations

import ast
import graphlib
import re
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
FUNCTIONS = sorted(set(re.findall(r"`([\w.]+)`\s+\(([\w/]+\.py)\)", TEXT)))
_FOLDERS = "buildtool|cmake|recipes|host|dsp|emulator|tests"
PATHS = sorted(set(re.findall(rf"`((?:{_FOLDERS})/[\w/.]*)`", TEXT)))


def test_the_page_names_functions_and_paths() -> None:
    assert len(FUNCTIONS) > 20
    assert len(PATHS) > 30


@pytest.mark.parametrize(("name", "file"), FUNCTIONS)
def test_each_function_is_in_its_file(name: str, file: str) -> None:
    body: list[ast.stmt] = ast.parse((ROOT / "buildtool" / file).read_text(encoding="utf-8")).body
    for part in name.split("."):
        kinds = (ast.FunctionDef, ast.ClassDef)
        found = [node for node in body if isinstance(node, kinds) and node.name == part]
        assert found, f"{file} has no {name}"
        body = found[0].body


@pytest.mark.parametrize("path", PATHS)
def test_each_path_is_there(path: str) -> None:
    assert (ROOT / path).exists()


def test_no_module_imports_itself_through_others() -> None:
    graph = grimp.build_graph("buildtool", exclude_type_checking_imports=True, cache_dir=None)
    assert len(graph.modules) > 400
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    graphlib.TopologicalSorter(imports).prepare()  # raises CycleError, which has the circle
