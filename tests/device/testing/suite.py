"""A project whose only program does what its arguments say, and its tests."""

from __future__ import annotations

FILE = """
[project]
name = "suite"

[host.app]
source = "host"
"""
CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_executable(app app.c)
install(TARGETS app)
"""
PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Add a line to a file. */
static void note(const char *path)
{
    FILE *file = fopen(path, "a");
    if (!file) exit(99);
    fputs("begun\n", file);
    fclose(file);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char line[256];
    if (strcmp(what, "exit") == 0) {
        if (argc > 3) note(argv[3]);
        printf("out\n"); fflush(stdout);
        fprintf(stderr, "error\n");
        return atoi(argv[2]);
    }
    if (strcmp(what, "signal") == 0) raise(atoi(argv[2]));
    if (strcmp(what, "hang") == 0) { puts("hanging"); fflush(stdout); pause(); }
    if (strcmp(what, "hang-once") == 0 && access(argv[2], F_OK)) { note(argv[2]); pause(); }
    if (strcmp(what, "hang-always") == 0) { note(argv[2]); pause(); }
    if (strcmp(what, "echo") == 0) puts(argv[2]);
    if (strcmp(what, "cat") == 0) while (fgets(line, sizeof line, stdin)) fputs(line, stdout);
    if (strcmp(what, "env") == 0) puts(getenv(argv[2]) ? getenv(argv[2]) : "(unset)");
    if (strcmp(what, "hostile") == 0) fputs("]]> \x1b[2J \x01 \xff <&\n", stdout);
    return 0;
}
"""
ENDING_TESTS = """
[test.passes]
program = "bin/app"

[test.fails]
program = "bin/app"
args = ["exit", "3"]

[test.crashes]
program = "bin/app"
args = ["signal", "11"]

[test.hangs]
program = "bin/app"
args = ["hang"]
timeout = "2s"

[test.known]
program = "bin/app"
args = ["exit", "1"]
"""
TESTS = f"""{ENDING_TESTS}
[test.repaired]
program = "bin/app"

[test.missing]
program = "bin/no-such-program"

[test.hostile]
program = "bin/app"
args = ["hostile"]

[test.environment]
program = "bin/app"
args = ["env", "LEVEL"]
env = {{ LEVEL = 7 }}

[expected-failure.ubuntu-aarch64]
tests = ["known", "repaired"]
reason = "it is known"

[expected-failure.v6x]
tests = ["*"]
reason = "no device has this tag"
"""
ENDINGS = {
    "passes": ("passed", ""),
    "fails": ("failed", "exit status 3"),
    "crashes": ("crashed", "ended by SIGSEGV"),
    "hangs": ("timed out", "did not end in 2 s"),
    "known": ("expected failure", "it is known (exit status 1)"),
}
OUTCOMES = {
    **ENDINGS,
    "repaired": ("unexpected pass", "it is expected to fail on ubuntu-aarch64: it is known"),
    "missing": ("not run", "there is no program 'bin/no-such-program' in the target 'sim'"),
    "hostile": ("passed", ""),
    "environment": ("passed", ""),
}
PYTEST = """
import os

import pytest


def test_passes(device):
    ran = device.run("bin/app", "exit", 3)
    assert (ran.status, ran.signal, ran.stdout) == (3, 0, "out\\n")
    assert "error\\n" in ran.stderr


def test_fails(device):
    print("seen")
    assert device.run("bin/app", "echo", "a b").stdout == "c\\n"


def test_crash(device):
    ran = device.run("bin/app", "signal", 11)
    assert (ran.status, ran.signal) == (139, 11)


def test_input_and_variables(device):
    assert device.run("bin/app", "cat", input="one\\ntwo\\n").stdout == "one\\ntwo\\n"
    assert device.run("bin/app", "env", "LEVEL", env={"LEVEL": 7}).stdout == "7\\n"


def test_hangs(device):
    device.run("bin/app", "hang", timeout=1)


def test_facts(device):
    assert (device.name, device.arch) == (os.environ["EXPECTED_DEVICE"], "")


def test_directory(device):
    assert "+tests/releases/" in device.directory


@pytest.mark.skip(reason="not today")
def test_skipped(device):
    assert False


@pytest.mark.xfail(reason="not yet")
def test_expected(device):
    assert device.run("bin/app").status == 1


def test_wrong_program(device):
    device.run("bin/none")


def test_tagged(device):
    assert False
"""
PYTEST_OUTCOMES = {
    "test_passes": ("passed", ""),
    "test_fails": ("failed", "AssertionError: assert 'a b\\n' == 'c\\n'"),
    "test_crash": ("passed", ""),
    "test_input_and_variables": ("passed", ""),
    "test_hangs": ("timed out", "bin/app did not end in 1 s"),
    "test_facts": ("passed", ""),
    "test_directory": ("passed", ""),
    "test_skipped": ("skipped", "not today"),
    "test_expected": ("expected failure", "not yet"),
    "test_wrong_program": (
        "failed",
        "there is no program 'bin/none' in the target 'sim'",
    ),
    "test_tagged": ("expected failure", "as tagged (assert False)"),
}
