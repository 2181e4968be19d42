"""`buildtool run sim`: the program's output and status, and the errors when it cannot run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit
from tests.integration.mounts import mounted, needs_unshare

MAIN = """\
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char line[64];
    if (strcmp(what, "status") == 0) return atoi(argv[2]);
    if (strcmp(what, "signal") == 0) raise(atoi(argv[2]));
    if (strcmp(what, "echo") == 0) puts(argv[2]);
    if (strcmp(what, "cat") == 0) while (fgets(line, sizeof line, stdin)) fputs(line, stdout);
    if (strcmp(what, "env") == 0) puts(getenv(argv[2]) ? getenv(argv[2]) : "(unset)");
    if (strcmp(what, "text") == 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/../share/text", getenv("LD_LIBRARY_PATH"));
        puts("ready"); fflush(stdout);
        fgets(line, sizeof line, stdin);
        FILE *text = fopen(path, "r");
        puts(text && fgets(line, sizeof line, text) ? line : "(gone)");
    }
    if (strcmp(what, "sleep") == 0) { puts("asleep"); fflush(stdout); pause(); }
    return 0;
}
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project without a DSP side, whose program does what its arguments say."""
    root = tmp_path_factory.mktemp("plain project")
    (root / "host").mkdir()
    (root / "buildtool.toml").write_text('[project]\nname = "p"\n[host.app]\nsource = "host"\n')
    (root / "host" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(app C)\nadd_executable(app app.c)\n"
        "install(TARGETS app)\nfile(WRITE ${CMAKE_BINARY_DIR}/lib/keep x)\n"
        "install(FILES text DESTINATION share)\ninstall(DIRECTORY ${CMAKE_BINARY_DIR}/lib\n"
        "  DESTINATION .)\n"
    )
    (root / "host" / "text").write_text("one")
    (root / "host" / "app.c").write_text(MAIN)
    return root


@pytest.mark.parametrize(
    ("arguments", "status", "out"),
    [
        (["status", "0"], 0, ""),
        (["status", "3"], 3, ""),
        (["signal", str(int(signal.SIGTERM))], 128 + 15, ""),
        (["signal", str(int(signal.SIGSEGV))], 128 + 11, ""),
        (["echo", "--json; $HOME 'x' --"], 0, "--json; $HOME 'x' --\n"),
        (["env", "DSP_LIBRARY_PATH"], 0, "(unset)\n"),
    ],
)
def test_the_program_s_status_and_output_are_passed_on(
    arguments: list[str],
    *,
    status: int,
    out: str,
    plain: Path,
    buildtool: Buildtool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DSP_LIBRARY_PATH", "/elsewhere")
    done = buildtool("run", "sim", "--", "bin/app", *arguments, cwd=plain)

    assert (done.returncode, done.stdout) == (status, out), done.stderr


def test_it_takes_the_options_of_build(plain: Path, buildtool: Buildtool) -> None:
    options = ["-j", "1", "-k", "-v", "--build-type", "Debug", "--launcher", "none"]
    done = buildtool("run", "sim", *options, "--", "bin/app", "-v", cwd=plain)

    assert done.returncode == 0, done.stderr
    assert "host/app: [1/" in done.stderr
    assert list(plain.glob(".buildtool/build/app/*-debug"))
    wrong = buildtool("run", "sim", "--build-type", "Fast", "--", "bin/app", cwd=plain)
    assert wrong.returncode == 125
    assert "'Fast' is not a build type" in wrong.stderr


def test_the_library_path_is_the_release_s_own(plain: Path, buildtool: Buildtool) -> None:
    done = buildtool("run", "sim", "--", "bin/app", "env", "LD_LIBRARY_PATH", cwd=plain)

    current = plain / ".buildtool/device/qcs6490/opt/buildtool/p/current"
    assert Path(done.stdout.strip()) == current.resolve() / "lib"


def test_as_json_the_program_s_output_is_printed_to_standard_error(
    plain: Path, buildtool: Buildtool
) -> None:
    done = buildtool("run", "sim", "--json", "--", "bin/app", "echo", "hello", cwd=plain)

    assert "hello\n" in done.stderr
    result = json.loads(done.stdout)
    assert (result["status"], result["soc"], result["command"]) == (
        0,
        "QCS6490",
        ["bin/app", "echo", "hello"],
    )


def test_standard_input_reaches_the_program(plain: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "buildtool", "run", "sim", "--", "bin/app", "cat"],
        cwd=plain,
        input="one\ntwo\n",
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "one\ntwo\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_no_process(plain: Path, number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", "run", "sim", "--", "bin/app", "sleep"],
        cwd=plain,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as caller:
        try:
            assert caller.stdout is not None
            assert caller.stdout.readline() == b"asleep\n"
            assert len(processes_in(plain)) >= 2
            os.kill(caller.pid, number)
            assert caller.wait(20) == 130
        finally:
            caller.kill()
    deadline = time.monotonic() + 10
    while processes_in(plain) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_in(plain) == []


def test_a_later_run_removes_what_a_killed_one_has_left(
    plain: Path, buildtool: Buildtool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-m", "buildtool", "run", "sim", "--", "bin/app", "sleep"]
    with subprocess.Popen(command, cwd=plain, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "asleep\n"
        process.kill()
    assert list(tmp_path.glob("buildtool-run-*/crashes"))

    assert buildtool("run", "sim", "--", "bin/app", "status", "0", cwd=plain).returncode == 0
    assert not list(tmp_path.glob("buildtool-run-*"))


@pytest.mark.long
def test_a_running_program_keeps_its_release_while_another_is_built(
    plain: Path, buildtool: Buildtool
) -> None:
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", "run", "sim", "--", "bin/app", "text"],
        cwd=plain,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as caller:
        assert caller.stdout
        assert caller.stdout.readline() == "ready\n"
        (plain / "host" / "text").write_text("two")
        done = buildtool("build", cwd=plain)
        assert done.returncode == 0, done.stderr
        assert (plain / ".buildtool/release/sim/share/text").read_text() == "two"
        out, _ = caller.communicate("go\n", timeout=60)
    assert out == "one\n"
    (plain / "host" / "text").write_text("three")
    assert buildtool("build", cwd=plain).returncode == 0
    # Stage directories that no program uses are removed.
    assert len(list((plain / ".buildtool/release/.sim").iterdir())) == 1


def processes_in(folder: Path) -> list[int]:
    """The live processes whose working directory is in `folder`; zombies do not count."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(folder):
                found.append(int(process.name))
        except OSError:  # it has ended
            continue
    return found


def test_a_missing_program_is_named_with_those_that_are_there(
    plain: Path, buildtool: Buildtool
) -> None:
    done = buildtool("run", "sim", "--", "bin/ap", cwd=plain)

    assert done.returncode == 125
    assert "there is no program 'bin/ap'" in done.stderr
    assert "Did you mean 'bin/app'?" in done.stderr


def test_a_file_that_is_no_arm64_program(plain: Path, buildtool: Buildtool) -> None:
    done = buildtool("run", "sim", "--", "run.sh", cwd=plain)

    assert done.returncode == 125
    assert "'run.sh' is not an ARM64 program" in done.stderr


def test_kernels_from_change_to_change(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    # A kernel sorts, formats, prints and logs.
    kernel = project / "dsp/src/demo_dsp_imp.c"
    edit(
        kernel,
        "#include <stdint.h>",
        '#include <stdint.h>\n#include <stdio.h>\n#include "HAP_farf.h"\n'
        "static int order(const void *a, const void *b) { return *(int *)a - *(int *)b; }",
    )
    edit(
        kernel,
        "    void *session = malloc(1);",
        "    int numbers[] = {3, 1, 2};\n    char text[40];\n    void *session = malloc(1);\n\n"
        "    qsort(numbers, 3, sizeof numbers[0], order);\n"
        '    printf("sorted: %d %d %d\\n", numbers[0], numbers[1], numbers[2]);\n'
        '    snprintf(text, sizeof text, "%d %s %.1f %lld", 42, "ok", 2.5, 1LL << 40);\n'
        '    FARF(ALWAYS, "formatted: %s, %d", text, 7);\n    FARF(LOW, "compiled out");',
    )
    done = buildtool("run", "sim", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "[dsp] HIGH: sorted: 1 2 3\n" in done.stderr
    assert "formatted: 42 ok 2.5 1099511627776, 7" in done.stderr
    assert "compiled out" not in done.stderr

    # The skel is not there.
    cmake = project / "dsp/CMakeLists.txt"
    rename = 'set_target_properties(demo_dsp_skel PROPERTIES OUTPUT_NAME "x")\ninstall('
    edit(cmake, "install(", rename)
    done = buildtool("run", "sim", cwd=project)
    assert done.returncode == 1
    assert "0x80000406" in done.stderr
    assert "libdemo_dsp_skel.so" in done.stderr
    assert "dsp/v68" in done.stderr
    edit(cmake, rename, "install(")

    # It is for an arch that the device lacks.
    edit(project / "buildtool.toml", 'archs = ["v68"]', 'archs = ["v73"]')
    done = buildtool("run", "sim", "--soc", "qcs6490", cwd=project)
    assert done.returncode == 125
    assert "has no skel that the DSP of QCS6490 can load" in done.stderr
    assert (
        'Add "v68" to the archs of [target.sim], or choose another device (sim: another --soc)'
        in done.stderr
    )
    default = buildtool("run", "sim", cwd=project)  # the oldest SoC with v73
    assert default.returncode == 0, default.stderr


def test_a_glibc_newer_than_the_device_s(
    plain: Path, buildtool: Buildtool, tmp_path: Path, edit: Edit
) -> None:
    root = tmp_path / "p"
    root.mkdir()
    (root / "host").symlink_to(plain / "host")
    text = (plain / "buildtool.toml").read_text()
    (root / "buildtool.toml").write_text(
        text + '[target.sim]\nplatform = "ubuntu-aarch64"\nglibc = "2.39"\n'
    )

    done = buildtool("run", "sim", cwd=root)

    assert done.returncode == 125
    assert "needs glibc 2.39, the device has 2." in done.stderr


@needs_unshare
def test_arm64_libraries_of_the_build_machine_are_not_seen(
    plain: Path, buildtool: Buildtool
) -> None:
    arguments = ("run", "sim", "--", "bin/app", "echo", "well")
    assert buildtool(*arguments, cwd=plain).returncode == 0
    folder = "/lib/aarch64-linux-gnu"

    output = mounted(
        f"mount -t tmpfs none {folder} && echo no library >{folder}/libc.so.6",
        *("env", "-C", str(plain), sys.executable, "-P", "-m", "buildtool", *arguments),
    )

    assert output == "well\n"
    assert not (plain / ".buildtool/device/qcs6490/etc/ld.so.cache").read_bytes()


def test_run_sh_works_without_the_tool(plain: Path, buildtool: Buildtool) -> None:
    buildtool("run", "sim", "--", "bin/app", cwd=plain)
    done = subprocess.run(
        [plain / ".buildtool/release/sim/run.sh", "bin/app", "echo", "a  b"],
        env={
            "PATH": os.environ["PATH"],
            "BUILDTOOL_EXEC": "qemu-aarch64",
            "QEMU_LD_PREFIX": "/usr/aarch64-linux-gnu",
        },
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "a  b\n"
