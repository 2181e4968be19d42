"""The zig that a project names: its version and library, and the errors for unusable ones."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

import pytest

from buildtool.drivers.conan.home import ConanHome
from buildtool.plan.plan import conan_settings
from buildtool.project.components import Host
from buildtool.project.model import Header, Project, Target, Tool
from buildtool.sdk.packaged_tools import find_zig, usable_zig
from buildtool.sdk.tool_search import ToolMissingError, ToolUnfitError
from buildtool.toolchains.conan_profile import build_machine
from buildtool.toolchains.survey import survey
from tests.integration.sdk.conftest import script
from tests.standins.zig import zig_program


def installed(prefix: Path, version: str, library: str = "lib/zig") -> Path:
    """A program that claims to be zig, in the directory layout of a distribution."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / library / "libc" / "include").mkdir(parents=True)
    return script(prefix / "bin" / "zig", f"echo {version}")


def test_a_link_to_the_packaged_one_is_the_packaged_one(tmp_path: Path) -> None:
    link = tmp_path / "zig"
    link.symlink_to(find_zig().where)

    found = find_zig(Tool(path=str(link)))

    assert found == find_zig()
    assert (found.library / "libc" / "include").is_dir()
    assert found.version == importlib.metadata.version("ziglang")


def test_stand_ins_compile_with_the_zig_of_the_profiles() -> None:
    assert zig_program() == usable_zig().where.resolve()


@pytest.mark.parametrize("library", ["lib/zig", "lib", "bin/lib"])
def test_another_one_is_asked_for_its_version(library: str, tmp_path: Path) -> None:
    found = usable_zig(Tool(path=str(installed(tmp_path / "own", "0.17.1-dev.5+abc", library))))

    assert found.version == "0.17.1-dev.5+abc"
    assert found.library == (tmp_path / "own" / library).resolve()


def test_it_needs_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr("buildtool.sdk.packaged_tools.python_package", lambda _: None)

    assert find_zig(Tool(path=str(installed(tmp_path / "own", "0.17.3")))).version == "0.17.3"
    with pytest.raises(ToolMissingError, match="zig was not found"):
        find_zig()


@pytest.mark.parametrize(
    ("version", "library", "expected"),
    [
        ("0.18.0", "lib", r"it is zig 0\.18\.0, but the profiles are written"),
        ("0.17.0", "elsewhere", "its library is missing"),
        ("no zig", "lib", "it does not print its version, but: no zig"),
    ],
)
def test_one_that_is_no_use_stops_every_profile_and_doctor_tells(
    version: str, library: str, expected: str, tmp_path: Path
) -> None:
    requirement = Tool(path=str(installed(tmp_path / "own", version, library)))

    with pytest.raises(ToolUnfitError, match=expected):
        build_machine(requirement)

    targets = {
        "sim": Target(platform="ubuntu-aarch64"),
        "dsp": Target(platform="ubuntu-aarch64", archs=("v68",), toolchain="gcc"),
        # zig compiles the programs that packages run during their build.
        "packages": Target(platform="ubuntu-aarch64", toolchain="gcc"),
    }
    hosts = {"app": Host(source="host", conan="host/conanfile.txt")}
    project = Project(tmp_path, Header(name="p"), hosts, {}, targets, {"zig": requirement})
    assert [row.buildable for row in survey(project).targets] == [False] * 3
    with pytest.raises(ToolUnfitError, match=expected):
        print(ConanHome(*conan_settings(project)).build_machine)
