"""The selection of the compiler of the Hexagon side."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.project.model import Header, Project, Target, Tool
from buildtool.sdk.hexagon_sdk import HexagonSdk
from buildtool.sdk.tool_search import (
    NamedToolMissingError,
    Problem,
    ToolMissingError,
    ToolUnfitError,
)
from buildtool.toolchains import select_profiles as dsp_toolchain
from buildtool.toolchains.select_profiles import dsp_profiles, dsp_sdk, uses_sdk

SDK = HexagonSdk(
    where=Path("/sdk"),
    version="6.4.0.2",
    identity="",
    tools=Path("/sdk/tools"),
    tools_version="19.0.04",
    archs=("v68", "v73", "v75"),
    qaic=None,
)


@pytest.mark.parametrize(
    ("asked", "archs", "sdk", "uses"),
    [
        ("auto", ("v68", "v73"), SDK, True),
        ("auto", ("v68", "v81"), SDK, False),  # it does not support all of them
        ("auto", ("v75",), SDK, False),  # these tools miscompile v75
        ("auto", ("v75",), SDK._replace(tools_version="19.0.07"), True),
        ("auto", ("v68",), None, False),
        ("sdk", ("v81",), SDK, True),
        ("sdk", ("v68",), None, True),
        ("llvm", ("v68",), SDK, False),
    ],
)
def test_auto_prefers_an_sdk_that_builds_all_archs_rightly(
    asked: str, archs: tuple[str, ...], sdk: HexagonSdk | None, uses: bool
) -> None:
    assert uses_sdk(asked, archs, sdk) is uses


MISSING, UNFIT = ToolMissingError("none"), ToolUnfitError("too old")
NAMED = NamedToolMissingError("HEXAGON_TOOLS_ROOT names /nope, but there are no Hexagon Tools")


@pytest.mark.parametrize(
    ("asked", "requirement", "variable", "finds", "raises"),
    [
        ("auto", Tool(), "", MISSING, False),
        ("auto", Tool(version=">=6.6"), "", UNFIT, False),
        ("auto", Tool(), "", NAMED, True),  # another variable than the SDK's
        ("auto", Tool(), "/nowhere", MISSING, True),
        ("auto", Tool(version=">=6.6"), "/sdk", UNFIT, True),
        ("auto", Tool(path="/nowhere"), "", MISSING, True),
        ("sdk", Tool(), "", MISSING, True),
        ("sdk", Tool(version=">=6.6"), "", UNFIT, True),
        ("llvm", Tool(), "/nowhere", MISSING, False),
    ],
)
def test_what_is_named_is_used_or_refused(
    *,
    asked: str,
    requirement: Tool,
    variable: str,
    finds: Exception,
    raises: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def find(_: Tool) -> HexagonSdk:
        raise finds

    monkeypatch.setattr(dsp_toolchain, "find_hexagon_sdk", find)
    monkeypatch.setenv("HEXAGON_SDK_ROOT", variable)
    target = Target(platform="ubuntu-aarch64", archs=("v68",), dsp_toolchain=asked)
    project = Project(Path("/p"), Header("p"), {}, {}, {"t": target}, {"hexagon-sdk": requirement})

    if raises:
        with pytest.raises(type(finds)):
            dsp_sdk(project, target)
    else:
        assert dsp_sdk(project, target) is None


@pytest.mark.parametrize("variable", ["/sdk", ""])
def test_a_damaged_sdk_is_an_error_when_it_is_named(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = SDK._replace(archs=(), tools_problems=(Problem("no hexagon-clang", "Install it."),))
    monkeypatch.setattr(dsp_toolchain, "find_hexagon_sdk", lambda _: damaged)
    monkeypatch.setenv("HEXAGON_SDK_ROOT", variable)
    target = Target(platform="ubuntu-aarch64", archs=("v68",))
    project = Project(Path("/p"), Header("p"), {}, {}, {"t": target})

    if not variable:
        assert dsp_sdk(project, target) is None
        return
    with pytest.raises(ToolUnfitError) as caught:
        dsp_sdk(project, target)
    assert (caught.value.why, caught.value.remedy) == ("no hexagon-clang", "Install it.")


def test_a_target_without_a_dsp_side_asks_for_no_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dsp_toolchain, "find_hexagon_sdk", lambda _: pytest.fail("was looked for"))
    target = Target(platform="ubuntu-aarch64", dsp_toolchain="sdk")

    assert dsp_sdk(Project(Path("/p"), Header("p"), {}, {}, {}), target) is None


def test_what_a_target_allows_in_code_is_part_of_its_profiles() -> None:
    project = Project(Path("/p"), Header("p"), {}, {}, {})
    target = Target(platform="ubuntu-aarch64", archs=("v79",), dsp_toolchain="llvm")
    allowing = target._replace(allow=("stripped", "qf-values"))

    assert "ALLOW" not in dsp_profiles(project, target)["v79"].settings
    allowed = dsp_profiles(project, allowing)["v79"]
    assert allowed.settings["ALLOW"] == "qf-values"
    assert allowed.digest == dsp_profiles(project, target)["v79"].digest  # compiled alike
