"""Packages are read from .dist-info directories with the same results as by Python."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import pytest

from buildtool.sdk.program import python_package


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The RECORD of an installed package `tool`, whose program and script are both named `tool`."""
    site = tmp_path / "lib" / "site-packages"
    for place in ("lib/site-packages/tool/data/bin/tool", "bin/tool", "share, or not/bin/tool"):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text("")
    record = site / "tool-1.2.3.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text(
        "tool/data/bin/tool.cfg,,\n../../bin/tool,sha256=x,1\ntool/data/bin/tool,,\ntool/tool,,\n"
    )
    monkeypatch.syspath_prepend(str(site))
    return record


@pytest.mark.parametrize("name", ["cmake", "ninja", "ziglang", "conan"])
def test_versions_are_those_that_python_tells(name: str) -> None:
    found = python_package(name)

    assert found
    assert found.version == importlib.metadata.version(name)


def test_the_binary_is_preferred_to_the_script(installed: Path) -> None:
    found = python_package("tool")

    assert found
    assert found.version == "1.2.3"
    assert found.program("tool") == installed.parents[1] / "tool" / "data" / "bin" / "tool"
    assert found.program("other") is None


def test_a_listed_program_that_does_not_exist_is_not_found(installed: Path) -> None:
    (installed.parents[1] / "tool" / "data" / "bin" / "tool").unlink()

    found = python_package("tool")

    assert found
    assert found.program("tool") == installed.parents[3] / "bin" / "tool"


def test_names_may_have_commas(installed: Path) -> None:
    installed.write_text('"../../share, or not/bin/tool",,\n', encoding="utf-8")

    found = python_package("tool")

    assert found
    assert found.program("tool") == installed.parents[3] / "share, or not" / "bin" / "tool"


def test_a_package_need_not_list_its_files(installed: Path) -> None:
    installed.unlink()

    found = python_package("tool")

    assert found
    assert found.program("tool") is None


def test_a_package_that_is_not_installed_is_not_found() -> None:
    assert python_package("no_such_package") is None
