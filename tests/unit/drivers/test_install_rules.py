"""install() rules in replies of CMake's File API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from buildtool.drivers.cmake.file_api import FileApiError, read_build_tree
from buildtool.drivers.cmake.install import InstallRule, read_installation

GRAPH = {
    "commands": ["add_executable", "make_app"],
    "files": ["sub/CMakeLists.txt", "/elsewhere/make.cmake"],
    "nodes": [
        {"file": 0},
        {"file": 0, "line": 5, "parent": 0, "command": 1},
        {"file": 1, "line": 9, "parent": 1, "command": 0},
    ],
}
FILES: dict[str, Any] = {
    "index-1.json": {
        "reply": {
            "client-buildtool": {
                "codemodel-v2": {"jsonFile": "model.json"},
                "toolchains-v1": {"jsonFile": "toolchains.json"},
            }
        }
    },
    "toolchains.json": {"toolchains": []},
    "model.json": {
        "paths": {"source": "/src", "build": "/build"},
        "configurations": [
            {
                "targets": [{"name": "app", "jsonFile": "target.json"}],
                "directories": [
                    {"source": ".", "jsonFile": "top.json"},
                    {"source": "sub", "jsonFile": "sub.json"},
                ],
            }
        ],
    },
    "target.json": {
        "name": "app",
        "type": "EXECUTABLE",
        "paths": {"source": "sub", "build": "sub"},
        "backtrace": 2,
        "backtraceGraph": GRAPH,
    },
    "top.json": {
        "installers": [
            {
                "type": "target",
                "destination": "bin",
                "paths": ["sub/app", {"from": "sub/app", "to": "other"}],
                "targetIndex": 0,
            },
            {"type": "file", "destination": "/etc", "paths": ["a.txt"], "isOptional": True},
            {"type": "file", "destination": "no", "paths": ["b.txt"], "isExcludeFromAll": True},
            {"type": "script", "scriptFile": "/src/x.cmake"},
        ]
    },
    "sub.json": {},
}


def reply(tree: Path, **changed: Any) -> Path:
    folder = tree / ".cmake/api/v1/reply"
    folder.mkdir(parents=True)
    for name, content in {**FILES, **changed}.items():
        (folder / name).write_text(json.dumps(content))
    return tree


def test_what_is_installed_by_default(tmp_path: Path) -> None:
    found = read_installation(reply(tmp_path))

    app = Path("/build/sub/app")
    assert found.directories == (Path("/src"), Path("/src/sub"))
    assert found.rules == (
        InstallRule("target", "bin", ((app, "app"), (app, "other")), "app", optional=False),
        InstallRule("file", "/etc", ((Path("/src/a.txt"), "a.txt"),), "", optional=True),
        InstallRule("script", "", (), "", optional=False),
    )


def test_a_target_comes_from_a_cmakelists(tmp_path: Path) -> None:
    """This is the case even if a function in another file defines it."""
    (target,) = read_build_tree(reply(tmp_path)).targets
    assert target.where == (Path("/src/sub/CMakeLists.txt"), 5)


@pytest.mark.parametrize(
    "installer", [{"type": "target", "targetIndex": 7}, {"paths": [3]}, {"type": "x", "paths": [3]}]
)
def test_an_invalid_reply(installer: dict[str, Any], tmp_path: Path) -> None:
    reply(tmp_path, **{"top.json": {"installers": [installer]}})
    with pytest.raises(FileApiError, match="cannot be read"):
        read_installation(tmp_path)
