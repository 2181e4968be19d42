"""Invalid replies of CMake's File API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from buildtool.drivers.cmake import file_api
from buildtool.drivers.cmake.file_api import FileApiError, index_name, read_build_tree, write_query

GOOD: dict[str, Any] = {
    "index-2.json": {
        "reply": {
            "client-buildtool": {
                "codemodel-v2": {"jsonFile": "model.json"},
                "toolchains-v1": {"jsonFile": "toolchains.json"},
            }
        }
    },
    "model.json": {
        "paths": {"source": "/src", "build": "/build"},
        "configurations": [{"targets": [{"jsonFile": "target.json"}]}],
    },
    "target.json": {
        "name": "app",
        "type": "EXECUTABLE",
        "paths": {"source": "sub", "build": "sub"},
        "artifacts": [{"path": "sub/app"}],
        "sources": [{"path": "sub/a.c"}, {"path": "/elsewhere/b.c"}],
        "compileGroups": [
            {
                "language": "C",
                "sourceIndexes": [1],
                "compileCommandFragments": [{"fragment": "-O2 '-DA=x y'"}],
                "includes": [{"path": "/i"}, {"path": "/s", "isSystem": True}],
                "defines": [{"define": "B=1"}],
            }
        ],
        "link": {
            "language": "C",
            "commandFragments": [{"fragment": '-L"/a b" -lx', "role": "libraries"}],
        },
    },
    "toolchains.json": {
        "toolchains": [{"language": "C", "compiler": {"path": "/cc", "id": "GNU"}}]
    },
}


def reply(tree: Path, **changed: Any) -> Path:
    """A tree with the reply `GOOD`, some files changed (`_` for the dot) or missing (None)."""
    folder = tree / ".cmake/api/v1/reply"
    folder.mkdir(parents=True)
    for name, value in {**GOOD, **{k.replace("_", "."): v for k, v in changed.items()}}.items():
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value)
            (folder / name).write_text(text)
    return tree


def test_what_a_reply_tells(tmp_path: Path) -> None:
    tree = read_build_tree(reply(tmp_path))

    (app,) = tree.targets
    assert (app.name, app.kind) == ("app", "EXECUTABLE")
    assert app.artifacts == (Path("/build/sub/app"),)
    assert app.sources == (Path("/src/sub/a.c"), Path("/elsewhere/b.c"))
    (group,) = app.groups
    assert group.sources == (Path("/elsewhere/b.c"),)
    assert group.flags == ("-O2", "-DA=x y")
    assert (group.includes, group.system_includes) == ((Path("/i"),), (Path("/s"),))
    assert group.defines == ("B=1",)
    assert app.link[0].arguments == ("-L/a b", "-lx")
    assert (tree.toolchains["C"].compiler, tree.toolchains["C"].version) == ("/cc", "")


def test_of_several_indexes_the_last_one_counts(tmp_path: Path) -> None:
    reply(tmp_path)
    (tmp_path / ".cmake/api/v1/reply/index-1.json").write_text("old")
    assert read_build_tree(tmp_path).targets


@pytest.mark.parametrize(
    "changed",
    [
        {"index-2_json": None},
        {"index-2_json": "[]"},
        {"index-2_json": {"reply": {}}},
        {"index-2_json": {"reply": {"client-buildtool": {"codemodel-v2": {"error": "no"}}}}},
        {"model_json": None},
        {"model_json": "{"},
        {"model_json": "[" * 100_000},
        {"model_json": {**GOOD["model.json"], "configurations": []}},
        {"model_json": {**GOOD["model.json"], "configurations": [{"targets": [{"jsonFile": 1}]}]}},
        {
            "model_json": {
                **GOOD["model.json"],
                "configurations": [{"targets": [{"jsonFile": "../../../../x.json"}]}],
            }
        },
        {"target_json": {"name": "app"}},
        {
            "target_json": {
                **GOOD["target.json"],
                "compileGroups": [{"language": "C", "sourceIndexes": [7]}],
            }
        },
        {"toolchains_json": {"toolchains": "C"}},
        {"toolchains_json": "\udcff".encode(errors="surrogateescape").decode("latin-1")},
    ],
)
def test_a_broken_reply_is_an_error_with_a_remedy(changed: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(GOOD["target.json"]))
    tree = tmp_path / "the tree"

    with pytest.raises(FileApiError) as caught:
        read_build_tree(reply(tree, **changed))
    assert str(tree) in caught.value.message
    assert f"rm -r '{tree}'" in caught.value.remedy


def test_a_huge_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_api, "MAX_BYTES", 50)
    with pytest.raises(FileApiError, match="cannot be read") as caught:
        read_build_tree(reply(tmp_path))
    assert "is larger than" in caught.value.why


def test_asking(tmp_path: Path) -> None:
    assert not index_name(tmp_path)
    write_query(tmp_path)
    names = sorted(p.name for p in (tmp_path / ".cmake/api/v1/query/client-buildtool").iterdir())
    assert names == ["cmakeFiles-v1", "codemodel-v2", "configureLog-v1", "toolchains-v1"]
    assert index_name(reply(tmp_path))
