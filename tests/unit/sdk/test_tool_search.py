"""The order in which tools are searched for, and the errors for missing ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.core.safe_path import UnsafePathError
from buildtool.project.model import Tool
from buildtool.sdk.packaged_tools import find_cmake_program, find_conan, find_ninja, find_zig
from buildtool.sdk.program import PythonPackage
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    ToolMissingError,
    ToolUnfitError,
    satisfies,
    search,
    tool_identity,
)


class Kit(FoundTool):
    """A tool for these tests: a directory that contains a file `version`."""


def probe(path: Path) -> Kit | None:
    file = path / "version"
    if not file.is_file():
        return None
    problems = (Problem("it is broken", "Unpack it again."),) if (path / "broken").exists() else ()
    return Kit(where=path, version=file.read_text(), identity="", problems=problems)


def make(path: Path, version: str) -> Path:
    path.mkdir(parents=True)
    (path / "version").write_text(version)
    return path


def find(*default_paths: Path, requirement: Tool = NO_REQUIREMENT) -> Kit:
    return search(
        "the kit",
        requirement=requirement,
        variables=("KIT_ROOT", "KIT_HOME"),
        default_paths=default_paths,
        probe=probe,
        install_remedy="Unpack the kit.",
    )


@pytest.fixture(autouse=True)
def _no_kit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIT_ROOT", raising=False)
    monkeypatch.delenv("KIT_HOME", raising=False)


def test_a_variable_overrides_the_project_which_overrides_default_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, configured, default_paths = (
        make(tmp_path / n, "1.0") for n in ("a", "b", "c", "d")
    )
    requirement = Tool(path=str(configured))

    assert find(default_paths).where == default_paths
    assert find(default_paths, requirement=requirement).where == configured
    monkeypatch.setenv("KIT_HOME", str(second))
    assert find(default_paths, requirement=requirement).where == second
    monkeypatch.setenv("KIT_ROOT", str(first))
    assert find(default_paths, requirement=requirement).where == first


@pytest.mark.parametrize("source", ["KIT_ROOT", "'path' in buildtool.toml"])
def test_what_is_named_must_be_there(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    default_paths = make(tmp_path / "usual", "1.0")
    nothing = tmp_path / "nothing"
    if source == "KIT_ROOT":
        monkeypatch.setenv(source, str(nothing))

    with pytest.raises(ToolMissingError, match="but the kit was not found there") as caught:
        find(
            default_paths,
            requirement=NO_REQUIREMENT if source == "KIT_ROOT" else Tool(path=str(nothing)),
        )

    assert source in caught.value.message
    assert str(nothing) in caught.value.message


def test_an_empty_variable_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    default_paths = make(tmp_path / "usual", "1.0")
    monkeypatch.setenv("KIT_ROOT", "")

    assert find(default_paths).where == default_paths


def test_of_two_side_by_side_the_project_chooses_by_version(tmp_path: Path) -> None:
    old, new = make(tmp_path / "5.5.0.1", "5.5.0.1"), make(tmp_path / "6.10.0.2", "6.10.0.2")

    assert find(old, new).where == new
    assert find(old, new, requirement=Tool(version="5.5")).where == old
    assert find(old, new, requirement=Tool(version=">=5.5")).where == new
    assert find(old, new, requirement=Tool(version=">=6.4")).where == new


def test_a_usable_tool_is_preferred_to_a_newer_broken_one(tmp_path: Path) -> None:
    old, new = make(tmp_path / "5.5", "5.5"), make(tmp_path / "6.4", "6.4")
    (new / "broken").touch()

    assert find(old, new).where == old
    assert find(old, new, requirement=Tool(version=">=6")).where == new


def test_a_version_that_is_not_here_is_refused_with_those_that_are(tmp_path: Path) -> None:
    old = make(tmp_path / "5.5", "5.5")

    with pytest.raises(ToolUnfitError, match=r"requires the kit '>=6\.4'") as caught:
        find(old, requirement=Tool(version=">=6.4"))

    assert f"5.5 in {old}" in caught.value.why
    assert caught.value.remedy == ("Change 'version' in buildtool.toml, or install the kit >=6.4.")


@pytest.mark.parametrize("find_it", [find_zig, find_cmake_program, find_ninja])
def test_to_install_what_is_there_is_no_remedy_for_another_version(
    find_it: Callable[[Tool], FoundTool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(ToolUnfitError, match=r"requires .* '0\.13', which was not found") as caught:
        find_it(Tool(version="0.13"))

    assert "hange 'version'" in caught.value.remedy
    assert "pip install" not in caught.value.remedy


def test_an_old_conan_is_replaced_and_no_project_is_blamed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = PythonPackage("1.64.0", tmp_path / "RECORD")
    monkeypatch.setattr("buildtool.sdk.packaged_tools.python_package", lambda _: old)

    with pytest.raises(ToolUnfitError, match=r"version 1\.64\.0 is older than 2\.34") as caught:
        find_conan()

    assert "pip install 'conan>=2.34,<3'" in caught.value.remedy
    assert "project" not in str(caught.value)


def test_a_variable_that_names_the_wrong_version_is_refused_and_the_right_one_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = make(tmp_path / "old", "5.5"), make(tmp_path / "new", "6.4")
    monkeypatch.setenv("KIT_ROOT", str(old))

    with pytest.raises(ToolUnfitError, match=r"the kit 5\.5 does not satisfy") as caught:
        find(old, new, requirement=Tool(version="6"))

    assert f"Version 6.4 is in {new}: set KIT_ROOT to that" in caught.value.remedy


def test_a_missing_tool_is_reported_with_the_searched_paths(tmp_path: Path) -> None:
    with pytest.raises(ToolMissingError, match="the kit was not found") as caught:
        find(tmp_path / "here", tmp_path / "there")

    assert caught.value.why == (
        f"searched: $KIT_ROOT (not set), $KIT_HOME (not set), {tmp_path}/here, {tmp_path}/there"
    )


@pytest.mark.parametrize(
    ("version", "wanted", "good"),
    [
        ("6.4.0.2", "6.4", True),
        ("6.4.0.2", "6", True),
        ("6.40", "6.4", False),
        ("27.2.12479018", "r27", True),
        ("27.2.12479018", ">=r26", True),
        ("26.1", ">= 27", False),
        ("6.4", ">=6.4", True),
        ("anything", "", True),
        ("none", ">=1", False),
    ],
)
def test_what_satisfies_a_wish(version: str, wanted: str, good: bool) -> None:
    assert satisfies(version, wanted) is good


def test_identity_is_that_of_name_version_and_content(tmp_path: Path) -> None:
    here, there = tmp_path / "cc", tmp_path / "elsewhere"
    for file in (here, there):
        file.write_bytes(b"compiler")
    base = tool_identity("kit", "1", {"cc": here})

    assert tool_identity("kit", "1", {"cc": there}) == base
    there.write_bytes(b"Compiler")
    assert tool_identity("kit", "1", {"cc": there}) != base
    assert tool_identity("kit", "2", {"cc": here}) != base
    assert tool_identity("tik", "1", {"cc": here}) != base
    assert tool_identity("kit", "1", {"c++": here}) != base


@pytest.mark.parametrize("named", [True, False])
def test_the_reason_for_a_missing_version_is_reported(named: bool, tmp_path: Path) -> None:
    place = make(tmp_path / "kit", "unknown")
    (place / "broken").touch()

    with pytest.raises(
        ToolUnfitError, match=r"the kit in .* cannot be used: it is broken"
    ) as caught:
        find(place, requirement=Tool(version=">=6", path=str(place) if named else ""))

    assert caught.value.remedy == "Unpack it again."


def test_what_is_named_at_a_path_that_tools_misread_is_refused_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look_nowhere(path: Path) -> Kit | None:
        raise AssertionError(f"{path} was probed")

    place = make(tmp_path / "back`quote", "1.0")
    rest = {
        "variables": ("KIT_ROOT",),
        "default_paths": (),
        "probe": look_nowhere,
        "install_remedy": "",
    }
    with pytest.raises(UnsafePathError, match="the path of the kit has '`' in it") as caught:
        search("the kit", requirement=Tool(path=str(place)), **rest)  # type: ignore[arg-type]
    assert caught.value.remedy.startswith("Set 'path' in buildtool.toml to a path")
    monkeypatch.setenv("KIT_ROOT", str(place))
    with pytest.raises(UnsafePathError) as caught:
        search("the kit", requirement=NO_REQUIREMENT, **rest)  # type: ignore[arg-type]
    assert caught.value.remedy.startswith("Set KIT_ROOT to a path")


def test_usual_places_that_tools_misread_are_passed_over(tmp_path: Path) -> None:
    unsafe, safe = make(tmp_path / "a;b", "2.0"), make(tmp_path / "c", "1.0")

    assert find(unsafe, safe).where == safe
    with pytest.raises(UnsafePathError, match="';'"):
        find(unsafe)
    with pytest.raises(ToolMissingError):
        find(tmp_path / "*")
