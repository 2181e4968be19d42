"""Skels that a project of the ARM64 side would build in steps of its own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from buildtool.drivers.cmake.configured_checks import nested_skels
from buildtool.plan.plan import CMakeStep

COMMAND = "cmd='cmake;%s;-GNinja;-S;/src/dsp;-B;/tree/dsp'\n"


def told(tree: Path, *, arch: str | None = None, targets: tuple[str, ...] = ()) -> str:
    step = SimpleNamespace(component="app", tree=tree, arch=arch, targets=targets)
    return nested_skels(cast(CMakeStep, step))


def external(tree: Path, name: str, arguments: str) -> None:
    """The file that ExternalProject_Add() of CMake 4.4 writes."""
    file = tree / f"{name}-prefix/tmp/{name}-cfgcmd.txt"
    file.parent.mkdir(parents=True)
    file.write_text(COMMAND % arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        "-DCMAKE_BUILD_TYPE=Release;-DDSP_VERSION=v68",
        "-DDSP_VERSION:STRING=v73",
        "-DHEXAGON_TOOLS_ROOT=/sdk/tools",
        "-DCMAKE_TOOLCHAIN_FILE=/src/cmake/hexagon-clang.cmake",
    ],
)
def test_a_step_with_a_dsp_s_arch_or_toolchain_is_named(arguments: str, tmp_path: Path) -> None:
    external(tmp_path, "dsp-v68", arguments)
    external(tmp_path, "zlib", "-DCMAKE_BUILD_TYPE=Release")
    text = told(tmp_path)
    assert "app builds skels in steps of its own: dsp-v68. List" in text
    assert "[host.app]" in text


def test_it_is_not_told_where_the_targets_are_listed(tmp_path: Path) -> None:
    external(tmp_path, "dsp-v68", "-DDSP_VERSION=v68")
    assert told(tmp_path, targets=("app",)) == ""
    assert told(tmp_path, arch="v68") == ""


def test_other_steps_are_not_told(tmp_path: Path) -> None:
    external(tmp_path, "zlib", "-DCMAKE_BUILD_TYPE=Release;-DVERSION=v68")
    assert told(tmp_path) == ""
    assert told(tmp_path / "missing") == ""
