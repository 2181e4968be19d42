"""`buildtool build`: what it builds, and that it builds nothing twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit

FULL = 'install(FILES CMakeLists.txt DESTINATION "${CMAKE_INSTALL_PREFIX}/share")\n'


@pytest.fixture
def project(configured: Path) -> Path:
    """The project from the template, whose build trees are configured."""
    return configured


def outcomes(buildtool: Buildtool, project: Path) -> dict[str, str]:
    """Build; returns the outcome of each step by its name."""
    done = buildtool("build", "--json", cwd=project)
    assert done.returncode == 0, done.stderr
    return {step["name"]: step["outcome"] for step in json.loads(done.stdout)["steps"]}


def test_the_plan_is_printed_and_nothing_is_touched(
    buildtool: Buildtool, new_project: Path
) -> None:
    done = buildtool("build", "--plan", cwd=new_project)

    assert done.returncode == 0
    assert "1. host/demo: build demo with ubuntu-aarch64-glibc2.35" in done.stdout
    assert "2. skel/demo_dsp/v68: build demo_dsp with hexagon-v68" in done.stdout
    assert not (new_project / ".buildtool").exists()

    as_json = json.loads(buildtool("build", "--plan", "--json", cwd=new_project).stdout)
    assert [step["arch"] for step in as_json["steps"]] == [None, "v68"]


def test_only_what_changed_is_built_again(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    host, skel = "host/demo", "skel/demo_dsp/v68"
    assert outcomes(buildtool, project) == {host: "built", skel: "built"}
    assert outcomes(buildtool, project) == {host: "up-to-date", skel: "up-to-date"}

    edit(project / "dsp/src/demo_dsp_imp.c", "b_len != a_len", "b_len != (a_len)")
    assert outcomes(buildtool, project) == {host: "up-to-date", skel: "built"}

    edit(project / "dsp/demo_dsp.idl", "in 16 bits", "in sixteen bits")
    assert outcomes(buildtool, project) == {host: "built", skel: "built"}

    edit(project / "buildtool.toml", '"host"', '"host"\ndefines = { CMAKE_C_FLAGS = "-DX=1" }')
    assert outcomes(buildtool, project) == {host: "built", skel: "up-to-date"}


def test_an_included_idl_file_is_an_input(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    (project / "dsp" / "types.idl").write_text("typedef sequence<int16> samples;\n")
    edit(project / "dsp/demo_dsp.idl", "interface", '#include "types.idl"\ninterface')
    edit(project / "dsp/demo_dsp.idl", "rout sequence<int16>", "rout samples")
    outcomes(buildtool, project)
    before = {path: path.stat().st_mtime_ns for path in project.rglob("demo_dsp_s*.c")}
    assert before

    edit(project / "dsp/types.idl", "samples;", "samples; const long MOST = 3;")

    assert set(outcomes(buildtool, project).values()) == {"built"}
    assert all(path.stat().st_mtime_ns > old for path, old in before.items())


def test_a_change_of_the_sources_that_does_not_compile(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "dsp/src/demo_dsp_imp.c", "return AEE_SUCCESS;", "return NO_SUCH_NAME;")

    done = buildtool("build", cwd=project)

    assert done.returncode == 1
    assert "NO_SUCH_NAME" in done.stderr
    assert "fix what the tool reports" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kind", ["STATIC", "OBJECT"])
def test_a_skel_that_is_no_shared_object_is_an_error(
    kind: str, buildtool: Buildtool, project: Path
) -> None:
    (project / "dsp" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
        f"add_library(demo_skel {kind} part.c)\n"
        "install(TARGETS demo_skel ARCHIVE DESTINATION . OBJECTS DESTINATION .)\n"
    )
    (project / "dsp" / "part.c").write_text("int demo_skel_handle_invoke;")

    done = buildtool("build", cwd=project)

    assert done.returncode == 1
    assert "skel/demo_dsp/v68 made no skel" in done.stderr
    assert "add_library(… SHARED …)" in done.stderr


def test_a_component_that_ships_nothing_is_an_error(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "host/CMakeLists.txt", "install(TARGETS demo_main)", "")

    done = buildtool("build", cwd=project)

    assert done.returncode == 1
    assert "host/demo ships nothing" in done.stderr
    assert "install(TARGETS" in done.stderr


def test_artifacts_name_what_ships_where_there_are_no_install_rules(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "dsp/CMakeLists.txt", "install(TARGETS", "# install(TARGETS")
    edit(project / "buildtool.toml", 'source = "dsp"', 'source = "dsp"\nartifacts = ["lib*.so"]')
    done = buildtool("build", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "dsp/v68/libdemo_dsp_skel.so" in done.stdout

    edit(project / "buildtool.toml", "lib*.so", "lib*-{arch}.so")
    done = buildtool("build", cwd=project)
    assert done.returncode == 1
    assert "skel/demo_dsp/v68 made no 'lib*-v68.so'" in done.stderr


def test_the_caller_s_flags_do_not_leak_in(
    buildtool: Buildtool, new_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CFLAGS", "--no-such-flag")
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setenv("CMAKE_TOOLCHAIN_FILE", "/nowhere.cmake")

    assert outcomes(buildtool, new_project)["host/demo"] == "built"


def test_what_is_installed_follows_its_rules_and_data(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    def shipped() -> dict[str, str]:
        assert buildtool("build", cwd=project).returncode == 0
        release = project / ".buildtool/release/sim"
        return {
            str(p.relative_to(release)): p.read_text(errors="replace")
            for p in release.rglob("share/*")
        }

    (project / "host" / "data.txt").write_text("one")
    edit(
        project / "host/CMakeLists.txt",
        "install(TARGETS demo_main)",
        "install(TARGETS demo_main)\ninstall(FILES data.txt DESTINATION share)",
    )
    assert shipped() == {"share/data.txt": "one"}
    (project / "host" / "data.txt").write_text("three")
    assert shipped() == {"share/data.txt": "three"}
    edit(project / "host/CMakeLists.txt", "install(FILES", "# install(FILES")
    assert shipped() == {}


def test_a_file_installed_outside_the_prefix_is_refused(
    buildtool: Buildtool, project: Path, edit: Edit, tmp_path: Path
) -> None:
    rule = f'install(FILES CMakeLists.txt DESTINATION "{tmp_path}/elsewhere")'
    edit(project / "host/CMakeLists.txt", "install(", f"{rule}\ninstall(")

    done = buildtool("build", cwd=project)

    assert done.returncode == 1
    assert "ABSOLUTE path INSTALL DESTINATION forbidden" in done.stderr
    assert "→ Install to a directory relative to the prefix" in done.stderr
    edit(project / "host/CMakeLists.txt", f"{rule}\n", f"{rule}\n{FULL}")
    edit(project / "host/CMakeLists.txt", rule, f"{FULL}{rule}")
    assert f"installs {tmp_path}/elsewhere/CMakeLists.txt" in buildtool("build", cwd=project).stderr
    assert not (tmp_path / "elsewhere").exists()
    edit(project / "host/CMakeLists.txt", rule, "")
    assert buildtool("build", cwd=project).returncode == 0
    assert (project / ".buildtool/release/sim/share/CMakeLists.txt").is_file()


def test_a_link_to_nothing_is_refused(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    (project / "host" / "link").symlink_to("nowhere")
    edit(
        project / "host/CMakeLists.txt", "install(", "install(FILES link DESTINATION lib)\ninstall("
    )

    done = buildtool("build", cwd=project)

    assert done.returncode == 1
    assert "ships lib/link, a link to nothing" in done.stderr


def test_warnings_of_a_build_that_succeeds_are_shown(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "host/src/main.c", "int main(void)\n{", "int main(void)\n{\n    int idle_name;")

    done = buildtool("build", cwd=project)

    assert done.returncode == 0
    assert "idle_name" in done.stderr
    assert "[1/" not in done.stderr


def test_what_is_lost_is_made_good(buildtool: Buildtool, project: Path) -> None:
    outcomes(buildtool, project)
    (shipped,) = project.glob(".buildtool/out/demo_dsp/*/libdemo_dsp_skel.so")
    wanted = shipped.read_bytes()
    shipped.unlink()
    assert outcomes(buildtool, project)["skel/demo_dsp/v68"] == "restored"
    assert shipped.read_bytes() == wanted
