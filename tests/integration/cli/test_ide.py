"""`buildtool ide`: clang and plain CMake accept what it writes, and no file of the user is lost."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from buildtool.sdk.packaged_tools import find_cmake
from tests.command_line import Buildtool, Edit
from tests.integration.engine import pair
from tests.project import Project
from tests.standins.fixtures import MakeNdk

PHONE = '\n[target.phone]\nplatform = "android"\narchs = ["v68"]\n'
TWO_ARCHS = '\n[target.two]\nplatform = "ubuntu-aarch64"\narchs = ["v68", "v69"]\n'


@pytest.fixture
def project(configured: Path) -> Path:
    """The project from the template, whose build trees are configured."""
    return configured


def append(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.write(text)


def ide(buildtool: Buildtool, project: Path, *arguments: str) -> dict[str, Any]:
    done = buildtool("ide", "--json", *arguments, cwd=project)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def outcomes(buildtool: Buildtool, project: Path) -> set[str]:
    done = buildtool("build", "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    return {step["outcome"] for step in json.loads(done.stdout)["steps"]}


def entries(project: Path, name: str) -> list[dict[str, Any]]:
    database = json.loads((project / "compile_commands.json").read_text())
    return [entry for entry in database if Path(entry["file"]).name == name]


def clang(entry: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    """Check a file with the system's clang, as clangd would."""
    compiler = Path(entry["arguments"][0]).name
    program = "clang++" if compiler.endswith("++") else "clang"
    # Like clangd, derive the target from the name of the compiler.
    target = ["--target=aarch64-linux-gnu"] if compiler.startswith("aarch64-linux-gnu-") else []
    return subprocess.run(
        [program, *target, *entry["arguments"][1:], "-fsyntax-only", "-Werror"],
        cwd=entry["directory"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def cmake(source: Path, *arguments: str | Path) -> str:
    """Run plain CMake with variables that would break the build if they were used."""
    environment = {"HOME": os.environ["HOME"], "PATH": "/usr/bin:/bin", "CFLAGS": "-DSPOILT=("}
    done = subprocess.run(
        [find_cmake().program, *arguments],
        cwd=source,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.long
def test_clang_accepts_every_command_of_both_sides(
    buildtool: Buildtool, new_project: Path, edit: Edit
) -> None:
    # The compiler's own headers are found too: those of the C library and the HVX intrinsics.
    edit(new_project / "host/src/main.c", "#include", "#include <pthread.h>\n#include")
    edit(
        new_project / "dsp/src/demo_dsp_imp.c",
        "#include",
        "#include <hvx_hexagon_protos.h>\n#include <stdlib.h>\n#include",
    )
    assert ide(buildtool, new_project)["missing_sources"] == 2
    assert outcomes(buildtool, new_project) == {"built"}
    assert ide(buildtool, new_project)["missing_sources"] == 0

    database = json.loads((new_project / "compile_commands.json").read_text())
    names = {Path(entry["file"]).name for entry in database}
    assert {"main.c", "demo_dsp_imp.c", "demo_dsp_stub.c", "demo_dsp_skel.c"} <= names
    for entry in database:
        done = clang(entry)
        assert (done.returncode, done.stderr) == (0, ""), entry["file"]

    append(new_project / "dsp/src/demo_dsp_imp.c", "#ifdef __hexagon__\n#error seen\n#endif\n")
    (entry,) = entries(new_project, "demo_dsp_imp.c")
    assert "error: seen" in clang(entry).stderr


CXX = """\
#include <arm_neon.h>
#include <map>
#include <thread>
int extra(const std::map<int, float32x4_t> &m) { std::thread t; return (int)m.size(); }
"""


@pytest.mark.long
def test_the_cxx_of_each_compiler(buildtool: Buildtool, tmp_path: Path) -> None:
    project = Project(tmp_path)
    text = '[project]\nname = "p"\n[host.extra]\nsource = "host"\n'
    for toolchain in ("gcc", "clang", "zig"):
        text += f'[target.{toolchain}]\nplatform = "ubuntu-aarch64"\ntoolchain = "{toolchain}"\n'
        # zig takes a minute to compile its C++ library for another version.
        text += 'glibc = "2.36"\n' * (toolchain != "zig")
    project.write("buildtool.toml", text)
    lists = "cmake_minimum_required(VERSION 3.22)\nproject(extra C CXX)\n"
    project.write("host/CMakeLists.txt", f"{lists}add_library(extra main.c extra.cpp)\n")
    project.write("host/main.c", "int one;\n")
    project.write("host/extra.cpp", CXX)
    for toolchain in ("gcc", "clang", "zig"):
        ide(buildtool, tmp_path, toolchain)

        (entry,) = entries(tmp_path, "extra.cpp")
        if toolchain == "zig":  # which has a C++ library of its own, with settings
            assert "-D_LIBCPP_ABI_VERSION=1" in entry["arguments"]
            (of_c,) = entries(tmp_path, "main.c")
            assert not any("_LIBCPP" in argument for argument in of_c["arguments"])
        else:
            done = clang(entry)
            assert (done.returncode, done.stderr) == (0, ""), toolchain


@pytest.mark.long
def test_the_arch_asked_for_comes_first(buildtool: Buildtool, project: Path) -> None:
    append(project / "buildtool.toml", TWO_ARCHS)

    def cpus(*arguments: str) -> list[str]:
        ide(buildtool, project, "two", *arguments)
        found = entries(project, "demo_dsp_imp.c")
        return [next(a for a in e["arguments"] if a.startswith("-mcpu")) for e in found]

    assert cpus() == ["-mcpu=hexagonv68", "-mcpu=hexagonv69"]
    assert cpus("--arch", "v69") == ["-mcpu=hexagonv69", "-mcpu=hexagonv68"]

    done = buildtool("ide", "two", "--arch", "v73", cwd=project)
    assert done.returncode == 2
    assert "has no arch 'v73'" in done.stderr


def test_plain_cmake_builds_with_the_presets_and_build_finds_nothing_to_do(
    buildtool: Buildtool, tmp_path: Path
) -> None:
    project = Project(tmp_path)
    project.lay_out(pair.FILES)
    ide(buildtool, tmp_path, "sim")
    for folder, name in (("host", "buildtool-sim"), ("dsp", "buildtool-sim-v68")):
        source = tmp_path / folder
        assert f'"{name}"' in cmake(source, "--list-presets")
        cmake(source, "--preset", name)
        assert "Linking" in cmake(source, "--build", "--preset", name)
    assert {*project.build_here().values()} == {"built"}, "installing was left to do"

    for folder, name in (("host", "buildtool-sim"), ("dsp", "buildtool-sim-v68")):
        cmake(tmp_path / folder, "--preset", name)
    assert {*project.build_here().values()} == {"up-to-date"}
    (tmp_path / "host/CMakeUserPresets.json").unlink()
    assert {*project.build_here().values()} == {"up-to-date"}
    assert ide(buildtool, tmp_path, "sim")["written"][1]["changed"]
    assert {*project.build_here().values()} == {"up-to-date"}


@pytest.mark.long
def test_presets_start_from_the_components_own(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    shared = project / "host/CMakePresets.json"
    base = {"name": "base", "generator": "Ninja", "cacheVariables": {"FROM_BASE": "$penv{HOME}"}}
    shared.write_text(json.dumps({"version": 6, "configurePresets": [base]}))
    edit(
        project / "buildtool.toml",
        'source = "host"',
        'source = "host"\npreset = "base"\ndefines = { "MONEY" = "$5", "FLAG" = true }',
    )
    ide(buildtool, project)

    cmake(project / "host", "--preset", "buildtool-sim")

    # The tree of the component without a preset is there too.
    trees = project.glob(".buildtool/build/demo/*/CMakeCache.txt")
    cache = max(trees, key=lambda file: file.stat().st_mtime_ns).read_text()
    assert f"FROM_BASE:UNINITIALIZED={os.environ['HOME']}\n" in cache
    assert "MONEY:UNINITIALIZED=$5\n" in cache

    # If a preset that another one inherits from is missing, CMake rejects the whole directory.
    edit(shared, '"base"', '"renamed"')
    edit(project / "buildtool.toml", '"base"', '"renamed"')
    assert outcomes(buildtool, project) == {"built"}
    ide(buildtool, project)
    assert '"buildtool-sim"' in cmake(project / "host", "--list-presets")


def test_a_persons_files_stay_and_ours_lie_beside_them(buildtool: Buildtool, project: Path) -> None:
    mine = {"compile_commands.json": "[]\n", "host/CMakeUserPresets.json": '{"version": 4}'}
    for name, text in mine.items():
        (project / name).write_text(text)

    written = ide(buildtool, project)["written"]

    for name, text in mine.items():
        assert (project / name).read_text() == text
    database, host, dsp = written
    assert Path(database["path"]).is_file()
    assert "--compile-commands-dir" in database["note"]
    assert "main.c" in Path(database["path"]).read_text(encoding="utf-8")
    assert dsp["note"] == ""
    what = host["note"].partition("put into it: ")[2]
    (project / "host/CMakeUserPresets.json").write_text("{" + what + "}")
    assert '"buildtool-sim"' in cmake(project / "host", "--list-presets")
    assert ide(buildtool, project)["written"][1]["note"] == ""


def test_an_edited_file_of_ours_is_a_persons(buildtool: Buildtool, project: Path) -> None:
    ide(buildtool, project)
    database, presets = project / "compile_commands.json", project / "dsp/CMakeUserPresets.json"
    for file in (database, presets):
        file.write_text(file.read_text().replace("v68", "v69"))
    texts = [file.read_text() for file in (database, presets)]

    written = ide(buildtool, project)["written"]

    assert [file.read_text() for file in (database, presets)] == texts
    assert [bool(file["note"]) for file in written] == [True, False, True]


def test_a_link_to_somewhere_else_is_not_written_through(
    buildtool: Buildtool, project: Path, tmp_path: Path
) -> None:
    (project / "compile_commands.json").symlink_to(tmp_path / "elsewhere.json")
    (project / "dsp/CMakeUserPresets.json").symlink_to(tmp_path / "elsewhere.json")

    ide(buildtool, project)

    assert not (tmp_path / "elsewhere.json").exists()
    assert (project / "compile_commands.json").is_symlink()
    assert (project / "dsp/CMakeUserPresets.json").is_symlink()


def test_a_target_that_cannot_be_built_here_is_left_out_with_a_note(
    buildtool: Buildtool, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(project / "buildtool.toml", PHONE)
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(project / "gone"))

    done = buildtool("ide", cwd=project)

    assert done.returncode == 0, done.stderr
    assert "no presets for the target 'phone': ANDROID_NDK_ROOT names" in done.stderr
    done = buildtool("ide", "phone", cwd=project)
    assert done.returncode == 1
    assert "ANDROID_NDK_ROOT names" in done.stderr


@pytest.mark.long
def test_an_android_target_with_a_stand_in(
    buildtool: Buildtool, project: Path, stand_in_ndk: MakeNdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(project / "buildtool.toml", PHONE)
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(stand_in_ndk("r27")))

    ide(buildtool, project, "phone")

    (entry,) = entries(project, "main.c")
    assert "--target=aarch64-none-linux-android31" in entry["arguments"]
    monkeypatch.delenv("ANDROID_NDK_ROOT")
    cmake(project / "host", "--preset", "buildtool-phone")


@pytest.mark.long
def test_a_project_that_writes_no_commands(buildtool: Buildtool, tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.lay_out(pair.FILES)
    off = "set(CMAKE_EXPORT_COMPILE_COMMANDS OFF)\nproject("
    project.edit("host/CMakeLists.txt", "project(", off)

    done = buildtool("ide", "alone", cwd=tmp_path)

    assert done.returncode == 1
    assert "compile commands of host/app cannot be read" in done.stderr
    assert "CMAKE_EXPORT_COMPILE_COMMANDS" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_a_component_that_needs_another_is_configured_before_a_first_build(
    buildtool: Buildtool, tmp_path: Path
) -> None:
    files = {
        "buildtool.toml": '[project]\nname = "p"\n[host.base]\nsource = "base"\n'
        '[host.app]\nsource = "app"\nneeds = ["base"]\n',
        "base/CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\nproject(base C)\n"
        "add_library(base base.c)\ntarget_include_directories(base INTERFACE\n"
        "  $<INSTALL_INTERFACE:include>)\ninstall(FILES base.h DESTINATION include)\n"
        "install(TARGETS base EXPORT base DESTINATION lib)\n"
        "install(EXPORT base DESTINATION lib/cmake/base FILE base-config.cmake)\n",
        "base/base.c": '#include "base.h"\nint base(void) { return 0; }\n',
        "base/base.h": "int base(void);\n",
        "app/CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\nproject(app C)\n"
        "find_package(base REQUIRED)\nadd_executable(app app.c)\n"
        "target_link_libraries(app base)\ninstall(TARGETS app)\n",
        "app/app.c": "#include <base.h>\nint main(void) { return base(); }\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    assert ide(buildtool, tmp_path)["missing_sources"] == 0

    (entry,) = entries(tmp_path, "app.c")
    assert clang(entry).returncode == 0
    (tree,) = (tmp_path / ".buildtool/build/app").iterdir()
    configured = (tree / "CMakeCache.txt").stat().st_mtime_ns
    assert outcomes(buildtool, tmp_path) == {"built", "up-to-date"}
    assert (tree / "CMakeCache.txt").stat().st_mtime_ns == configured
