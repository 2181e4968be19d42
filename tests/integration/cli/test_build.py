"""`buildtool build`: what it builds and ships, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit
from tests.integration.engine.pair import HOST, machine
from tests.project import Project

FULL = 'install(FILES CMakeLists.txt DESTINATION "${CMAKE_INSTALL_PREFIX}/share")\n'


@pytest.fixture
def project(configured: Path) -> Path:
    """The project from the template, whose build trees are configured."""
    return configured


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
    assert [step["compilations"] for step in as_json["steps"]] == [None, None]


def test_the_plan_of_configured_steps_counts_their_compilations(
    buildtool: Buildtool, project: Path
) -> None:
    done = buildtool("build", "--plan", cwd=project)
    as_json = json.loads(buildtool("build", "--plan", "--json", cwd=project).stdout)

    commands = (
        json.loads(Path(step["tree"], "compile_commands.json").read_text(encoding="utf-8"))
        for step in as_json["steps"]
    )
    counts = [*map(len, commands)]
    assert [step["compilations"] for step in as_json["steps"]] == counts
    assert re.findall(r"compilations: (\d+)", done.stdout) == [*map(str, counts)]


def test_a_change_of_the_sources_that_does_not_compile(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "dsp/src/demo_dsp_imp.c", "return AEE_SUCCESS;", "return NO_SUCH_NAME;")

    done = buildtool("build", cwd=project)

    assert done.returncode == 1
    assert "NO_SUCH_NAME" in done.stderr
    assert "fix what the tool reports" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_a_skel_that_is_no_shared_object_is_an_error(buildtool: Buildtool, project: Path) -> None:
    (project / "dsp" / "part.c").write_text("int demo_skel_handle_invoke;")
    for kind in ("STATIC", "OBJECT"):
        (project / "dsp" / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(demo C)\n"
            f"add_library(demo_skel {kind} part.c)\n"
            "install(TARGETS demo_skel ARCHIVE DESTINATION . OBJECTS DESTINATION .)\n"
        )

        done = buildtool("build", cwd=project)

        assert done.returncode == 1, kind
        assert "skel/demo_dsp/v68 made no skel" in done.stderr, kind
        assert "add_library(… SHARED …)" in done.stderr, kind


@pytest.mark.long
def test_what_a_component_may_not_install(
    buildtool: Buildtool, project: Path, edit: Edit, tmp_path: Path
) -> None:
    lists = project / "host/CMakeLists.txt"
    before = lists.read_text()
    (project / "host" / "link").symlink_to("nowhere")
    install = "install(TARGETS demo_main)"
    for instead, says in (
        ("", ("host/demo ships nothing", "install(TARGETS")),
        (
            f'install(FILES CMakeLists.txt DESTINATION "{tmp_path}/elsewhere")\n{install}',
            ("ABSOLUTE path INSTALL DESTINATION forbidden",),
        ),
        (
            f"install(FILES link DESTINATION lib)\n{install}",
            ("ships lib/link, a link to nothing",),
        ),
    ):
        edit(lists, install, instead)

        done = buildtool("build", cwd=project)

        assert done.returncode == 1, instead
        for text in says:
            assert text in done.stderr
        lists.write_text(before)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.long
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


def test_the_caller_s_flags_do_not_leak_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFLAGS", "--no-such-flag")
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setenv("CMAKE_TOOLCHAIN_FILE", "/nowhere.cmake")

    assert machine(tmp_path).build("alone") == {HOST: "built"}


@pytest.mark.long
def test_what_is_installed_follows_its_rules_and_data(project: Path, edit: Edit) -> None:
    def shipped() -> dict[str, str]:
        Project(project).build_here()
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


def compile_kernel(project: Path) -> None:
    """Let the next build compile the DSP side."""
    source = project / "dsp/src/demo_dsp_imp.c"
    source.write_text(source.read_text() + "/* again */\n")


def test_warnings_are_shown_again_when_something_is_built(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    def build() -> str:
        done = buildtool("build", cwd=project)
        assert done.returncode == 0, done.stderr
        return done.stderr

    main, other, lists = (
        project / "host" / name for name in ("src/main.c", "b.c", "CMakeLists.txt")
    )
    edit(main, "int main(void)\n{", "int main(void)\n{\n    int idle_name;")
    other.write_text("static int idle_function(void) { return 0; }\n")
    edit(lists, "src/main.c", "src/main.c b.c")
    edit(lists, "add_executable", 'message(WARNING "old option")\nadd_executable')
    all_three = ("idle_name", "idle_function", "old option")
    first = build()
    assert [text in first for text in all_three] == [True] * 3
    assert "[1/" not in first

    again = build()
    assert [text in again for text in all_three] == [False] * 3  # nothing was compiled
    assert "2 steps up to date" in again
    other.write_text("int idle_function(void) { return 0; }\n")
    build()
    compile_kernel(project)
    again = build()
    assert [again.count(text) for text in all_three] == [
        first.count("idle_name"),
        0,
        first.count("old option"),
    ]

    # What a cache restores was built with other warnings.
    edit(main, "\n    int idle_name;", "")
    edit(lists, 'message(WARNING "old option")\n', "")
    build()
    edit(main, "int main(void)\n{", "int main(void)\n{\n    int idle_name;")
    edit(lists, "add_executable", 'message(WARNING "old option")\nadd_executable')
    build()
    compile_kernel(project)
    assert [text in build() for text in all_three] == [False] * 3


@pytest.mark.long
def test_many_warnings_are_shown_again_in_short(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    idle = "".join(f"    int idle_{number};\n" for number in range(30))
    edit(project / "host/src/main.c", "int main(void)\n{", f"int main(void)\n{{\n{idle}")
    assert "idle_29" in buildtool("build", cwd=project).stderr
    compile_kernel(project)
    again = buildtool("build", cwd=project).stderr
    assert "idle_0" in again
    assert "idle_29" not in again
    file = re.search(r"… \d+ more lines: (.*)", again)
    assert file
    assert "idle_29" in Path(file[1]).read_text(encoding="utf-8")
