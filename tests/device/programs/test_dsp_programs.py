"""Programs for the DSP run there with streams, arguments and an exit status, on sim and boards."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.sdk.packaged_tools import usable_zig
from buildtool.sdk.tool_search import NO_REQUIREMENT
from buildtool.toolchains.sdk_root import sdk_root
from tests.device.programs.conftest import ran
from tests.device.testing.third_party import results
from tests.project import Project

AROUND = "constructor\n{}destructor\n"


@pytest.mark.parametrize(
    ("words", "status", "out"),
    [
        (["return", "3"], 3, "constructor\natexit\ndestructor\n"),
        (["exit", "4"], 4, "constructor\natexit\ndestructor\n"),
        (["exit", "256"], 0, "constructor\natexit\ndestructor\n"),
        (["_exit", "5"], 5, "constructor\n"),
        (["abort"], 134, "constructor\n"),
        (["thread", "6"], 6, "constructor\ndestructor\n"),
        (["stack"], 0, "constructor\ndestructor\n"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_a_program_ends(kernels: Project, words: list[str], status: int, out: str) -> None:
    done = ran(kernels, *words)
    assert (done.returncode, done.stdout.decode()) == (status, out)
    assert b"crashed" not in done.stderr


def test_arguments_and_environment(kernels: Project) -> None:
    own = ("--env", "FIRST=1", "--env", "SECOND=two words")
    done = ran(kernels, "arguments", "", "two words", "ü", own=own)
    lines = "[]\n[two words]\n[ü]\n1, two words\nchanged, new\n"
    assert (done.returncode, done.stdout.decode()) == (0, AROUND.format(lines))


def test_output_and_errors_are_apart(kernels: Project) -> None:
    done = ran(kernels, "print")
    lines = f"{'x' * 2999}\n0.125 1099511627776 text .\nfputs c\nfwrite\nwrite\n"
    assert (done.returncode, done.stderr) == (0, b"error 1\n")
    assert done.stdout.decode() == AROUND.format(lines)


@pytest.mark.parametrize(("how", "size"), [("blocks", 1 << 20), ("copy", 70_000)])
def test_input_of_any_bytes_arrives_whole(kernels: Project, how: str, size: int) -> None:
    given = random.Random(1).randbytes(size)
    done = ran(kernels, how, given=given)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"constructor\n" + given + b"destructor\n"


def test_formatted_input(kernels: Project) -> None:
    done = ran(kernels, "scan", given=b"a line\n 42 word\n")
    assert (done.returncode, done.stdout.decode()) == (0, AROUND.format("a, a line\n42, word\n"))


def test_files_have_the_paths_of_the_device(kernels: Project) -> None:
    done = ran(kernels, "show", str(kernels.root / "dsp/tests/data.txt"))
    assert (done.returncode, done.stdout.decode()) == (0, AROUND.format("some data\n"))
    done = ran(kernels, "show", "/no/such/file")
    assert done.returncode == 1
    assert done.stderr.startswith(b"/no/such/file: No such file or directory\n")


def test_a_crash_is_explained(kernels: Project) -> None:
    done = ran(kernels, "crash")
    said = done.stderr.decode()
    assert done.returncode == 139
    assert said.startswith("before\n")
    assert "through a null pointer\n  at main (program.c:" in said


def test_an_endless_loop_is_ended_and_named(kernels: Project) -> None:
    done = ran(kernels, "hang", own=("--timeout", "3s"))
    said = done.stderr.decode()
    assert done.returncode == 125
    assert "  at main (program.c:" in said
    assert "did not end in 3 s" in said


@pytest.mark.parametrize("options", [("--strict",), ("--soc", "SM8550"), ("--sanitize",)])
def test_options_of_sim(kernels: Project, options: tuple[str, ...]) -> None:
    done = ran(kernels, "exit", "3", own=options)
    assert (done.returncode, done.stdout) == (3, b"constructor\natexit\ndestructor\n"), done.stderr


def test_checks_of_cmake_find_what_programs_can_call(kernels: Project) -> None:
    caches = [*kernels.root.glob(".buildtool/build/kernels/*/CMakeCache.txt")]
    assert len(caches) in (2, 4)  # of v68 and v73; another test has sanitized ones
    there = dict.fromkeys(("malloc", "printf", "usleep", "pow"), "1")
    for cache in caches:
        found = dict(re.findall(r"^HAS_(\w+):INTERNAL=(\d?)$", cache.read_text(), re.MULTILINE))
        assert found == {**there, "getrusage": "", "stricmp": ""}


def test_a_program_of_the_release_is_named(kernels: Project) -> None:
    listed = "dsp/in-cxx, dsp/listed, dsp/program"
    misspelt = kernels.run("run", "sim", "--", "dsp/programm").stderr
    assert f"it ships {listed}\n  → Did you mean 'dsp/program'?" in misspelt
    assert f"the target 'sim' ships {listed}" in kernels.run("run", "sim").stderr


OUTCOMES = {
    **dict.fromkeys(("sum", "data", "variable", "named-as-before", "will-fail"), "passed"),
    **{"fails": "failed", "skipped": "skipped", "aborts": "crashed"},
    **{"crashes": "crashed", "hangs": "timed out"},
    **{"Listed.Passes": "passed", "Listed.Fails": "failed", "Listed.IsSkipped": "skipped"},
}


def test_ctest_runs_its_tests_on_the_dsp(kernels: Project) -> None:
    tests = results(kernels, "sim")
    assert {name: test["outcome"] for name, test in tests.items()} == OUTCOMES
    assert tests["fails"]["message"] == "exit status 3"
    assert tests["sum"]["output"] == "constructed\n6\ndestroyed"
    assert "at main (program.c:" in tests["crashes"]["output"]
    assert any(method["name"] == "dsp_program_run" for method in tests["sum"]["methods"])


@pytest.mark.usefixtures("board")
def test_programs_and_tests_on_boards(kernels: Project) -> None:
    given = random.Random(2).randbytes(1 << 20)
    done = ran(kernels, "blocks", given=given, device="board")
    assert done.stdout == b"constructor\n" + given + b"destructor\n", done.stderr
    done = ran(kernels, "exit", "3", device="board")
    assert (done.returncode, done.stdout) == (3, b"constructor\natexit\ndestructor\n")
    assert ran(kernels, "crash", device="board").returncode == 139

    chosen = [name for name, outcome in OUTCOMES.items() if name not in ("crashes", "hangs")]
    tests = results(kernels, "board", *chosen)
    assert {name: test["outcome"] for name, test in tests.items()} == {
        name: OUTCOMES[name] for name in chosen
    }


OTHER = """
int printf(const char *format, ...);
int helper(void);
int main(int count, char **arguments)
{
    for (int i = 0; i < count; i++)
        printf("%s\\n", arguments[i]);
    return helper();
}
"""


def link(source: str, file: Path, *arguments: str) -> Path:
    """Link a library for the DSP without buildtool."""
    file.with_suffix(".c").write_text(source)
    clang = sdk_root(usable_zig(NO_REQUIREMENT)).tools / "Tools/bin/hexagon-clang"
    flags = ("-mv68", "-O2", "-shared", "-fPIC", "-Wl,--hash-style=sysv")
    pages = "-Wl,-z,max-page-size=4096"
    sources = (str(file.with_suffix(".c")), "-o", str(file))
    subprocess.run([clang, *flags, pages, *sources, *arguments], check=True)
    return file


def test_a_program_that_others_have_linked(tmp_path: Path) -> None:
    project = Project(tmp_path)
    library = link("int helper(void) { return 7; }", tmp_path / "libhelper.so")
    link(OTHER, tmp_path / "kernel.so", str(library), "-Wl,-soname,kernel.so")
    done = project.run("run", "sim", "--dsp-program", "kernel.so", "--", "one", "2")
    assert done.returncode == 7, done.stderr
    # As on a device, where run_main_on_hexagon has no streams either.
    log = [line for line in done.stderr.splitlines() if line.startswith("[dsp]")]
    assert log == ["[dsp] HIGH: kernel.so", "[dsp] HIGH: one", "[dsp] HIGH: 2"]


def test_what_is_no_program_for_the_dsp_is_refused(tmp_path: Path) -> None:
    project = Project(tmp_path)
    link("int other(void) { return 0; }", tmp_path / "library.so")
    link("int missing(void); int main(void) { return missing(); }", tmp_path / "lacks.so")
    (tmp_path / "text.so").write_text("text")

    def refused(file: str, *options: str) -> str:
        done = project.run("run", "sim", *options, "--dsp-program", file)
        assert done.returncode in (1, 2, 125)
        return done.stderr

    assert "it exports no main" in refused("library.so")
    assert "it is not an ELF file" in refused("text.so")
    assert "there is no such file" in refused("none.so")
    assert "it is not for a Hexagon DSP" in refused(sys.executable)
    assert "lacks.so needs missing, which no known v68 DSP shell exports" in refused("lacks.so")
    assert "cannot be used with RUN or --watch" in refused("library.so", "--watch")


@pytest.mark.usefixtures("earlier_builds")
def test_the_template_finds_a_kernel_that_reads_too_far(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.succeeds("init", "--template", "dsp-tests", "--name", "vec-ops")
    tests = results(project, "sim", "--strict")
    assert {test["outcome"] for test in tests.values()} == {"passed"}
    assert tests["scale_add_1001"]["output"] == "1001 of 1001 elements are right"

    project.edit("dsp/src/scale_add.c", "i + LANES <= count;", "i < count;")
    broken = results(project, "sim", "--strict", "scale_add_1001")["scale_add_1001"]
    assert broken["outcome"] == "crashed"
    assert "past the end of a heap block of 2,002 bytes\n  at vec_ops_scale_add" in broken["output"]


LIBRARY = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.25)\nproject(sums C)\noption(SUMS_TESTS x OFF)\n"
        "add_library(sums STATIC sums.c)\nif(SUMS_TESTS)\nenable_testing()\n"
        "add_executable(check check.c)\ntarget_link_libraries(check sums)\n"
        "add_test(NAME check COMMAND check)\nset_tests_properties(check PROPERTIES\n"
        '  PASS_REGULAR_EXPRESSION "^6 on ")\nendif()\n'
    ),
    "sums.c": (
        '#ifdef __hexagon__\nconst char *place = "the DSP";\n#else\n'
        'const char *place = "ARM64";\n#endif\nint sum(int n) { return n * (n + 1) / 2; }\n'
    ),
    "check.c": (
        "#include <stdio.h>\nextern const char *place;\nint sum(int n);\n"
        'int main(void) { printf("%d on %s\\n", sum(3), place); return 0; }\n'
    ),
}


@pytest.mark.usefixtures("earlier_builds")
def test_tests_run_as_init_proposes(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.lay_out(LIBRARY)
    project.succeeds("init", "--name", "sums")
    document = json.loads(project.succeeds("test", "sim", "--json"))
    assert {test["suite"]: test["output"] for test in document["tests"]} == {
        "sums": "6 on ARM64",
        "sums_dsp": "6 on the DSP",
    }


POSIX = """
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char *text = NULL, copied[8];
    long first, second;

    srandom(7);
    first = random();
    second = random();
    srandom(7);
    if (first != random() || first == second || first < 0 || usleep(10) != 0)
        return 1;
    if (asprintf(&text, "%d-%s", 12, "x") != 4 || strcmp(text, "12-x") != 0)
        return 2;
    free(text);
    text = strndup("abcdef", 3);
    if (strcmp(text, "abc") != 0 || strnlen(text, 2) != 2 || strnlen(text, 9) != 3)
        return 3;
    if (stpcpy(copied, text) != copied + 3 || strcmp(copied, "abc") != 0)
        return 4;
    free(text);
    return 0;
}
"""


@pytest.mark.usefixtures("earlier_builds")
def test_functions_that_no_shell_exports(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("buildtool.toml", '[project]\nname = "posix"\n[dsp.posix]\nsource = "dsp"\n')
    listing = (
        "cmake_minimum_required(VERSION 3.25)\nproject(posix C)\nadd_executable(posix main.c)\n"
    )
    project.write("dsp/CMakeLists.txt", listing)
    project.write("dsp/main.c", POSIX)
    assert project.run("run", "sim").returncode == 0, project.messages


NAMES = ("attach", "end_line", "end_thread", "flush", "main", "put", "read", "stream", "write")


@pytest.mark.usefixtures("earlier_builds")
def test_a_program_may_call_its_functions_as_it_likes(tmp_path: Path) -> None:
    """Those of the library that is linked into it have names with `buildtool_`."""
    project = Project(tmp_path)
    project.write("buildtool.toml", '[project]\nname = "names"\n[dsp.names]\nsource = "dsp"\n')
    listing = (
        "cmake_minimum_required(VERSION 3.25)\nproject(names C)\nadd_executable(names own.c)\n"
    )
    own = "".join(f"int program_{name}(void) {{ return 1; }}\n" for name in NAMES)
    called = " + ".join(f"program_{name}()" for name in NAMES)
    main = (
        "int main(void)\n{\n"
        f'    printf("%d\\n", {called} + program_redirected);\n'
        "    return getchar();\n}\n"
    )
    project.write("dsp/CMakeLists.txt", listing)
    project.write("dsp/own.c", f"#include <stdio.h>\nint program_redirected = 1;\n{own}{main}")
    done = ran(project, given=b"\x07", program="dsp/names")
    assert (done.returncode, done.stdout) == (7, b"10\n"), done.stderr


def test_what_is_no_program_stops_the_build(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("buildtool.toml", '[project]\nname = "none"\n[dsp.none]\nsource = "dsp"\n')
    listing = "cmake_minimum_required(VERSION 3.25)\nproject(none C)\nadd_library(only only.c)\n"
    project.write("dsp/CMakeLists.txt", listing)
    project.write("dsp/only.c", "int only(void) { return 0; }\n")
    assert "skel/none/v68 ships nothing" in project.fails()
    project.write("dsp/CMakeLists.txt", listing.replace("add_library", "add_executable"))
    project.write("dsp/only.c", "int missing(void); int main(void) { return missing(); }\n")
    assert "only.so needs missing, which no known v68 DSP shell exports" in project.fails()
