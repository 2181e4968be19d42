"""`package` refuses the libraries of a stand-in SDK, unless the project names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project import Project
from tests.standins.fixtures import MakeSdk

FILES = {
    "buildtool.toml": """
[project]
name = "terms"
{key}

[skel.dsp]
source = "dsp"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v73"]
dsp-toolchain = "sdk"
""",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(dsp CXX)
add_library(b_skel SHARED entry.cpp)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    # The name is one that the C++ runtime exports.
    "dsp/entry.cpp": """
extern "C" void __cxa_pure_virtual(void);
extern "C" int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; if (!p) __cxa_pure_virtual(); return (int)s; }
""",
}


@pytest.fixture
def project(tmp_path: Path, stand_in_sdk: MakeSdk, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk("6.4.0.2")))
    made = Project(tmp_path / "terms")
    for name, text in FILES.items():
        made.write(name, text.replace("{key}", ""))
    return made


@pytest.mark.long
def test_the_runtime_of_a_stand_in_sdk_is_built_and_not_packaged(project: Project) -> None:
    project.succeeds("build")
    ships = {path.name for path in (project.root / ".buildtool/release/sim/dsp/v73").iterdir()}
    assert "libc++.so.1" in ships

    error = project.fails("package")

    assert "which is a file of the Hexagon SDK" in error
    assert 'redistributable = ["libc++' in error
    assert not (project.root / "dist").exists()


def test_the_project_names_what_it_may_distribute(project: Project) -> None:
    key = 'redistributable = ["libc++.so.1", "libc++abi.so.1"]'
    project.write("buildtool.toml", FILES["buildtool.toml"].replace("{key}", key))

    project.succeeds("package", "--attest")

    (bill,) = (project.root / "dist").glob("*.cdx.json")
    assert "pkg:generic/hexagon-sdk@6.4.0.2" in bill.read_text(encoding="utf-8")
