"""A project with a program that claims to have measured something, right or wrong on purpose."""

from __future__ import annotations

import json
import struct
import subprocess
from typing import Any

from tests.project import Project

ELEMENTS = 64
FILE = """
[project]
name = "measured"

[host.measured]
source = "host"

[bench.scale]
program = "bin/measured"
args = ["{seed}"]
env = { MODE = "right", COUNTED = "@COUNTED@" }
metrics = ["time", "size"]
checks = ["close", "summary"]
output = "out.bin"

[metric.time]
match = 'time ([0-9.]+) us'
unit = "us"

[metric.size]
json = "bytes"
exact = true

[check.close]
reference = "right.f32"
type = "f32"
relative = 1e-6

[check.summary]
match = 'first ([0-9.]+)'
no-match = "nan"
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(measured LANGUAGES C)
add_executable(measured measured.c)
install(TARGETS measured)
"""
# Each run counts itself in a file beside the project, so that it knows when to go wrong: in the
# release, it finds nothing of earlier runs.
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOWNESS 1.0

static int count_run(void)
{
    int runs = 0;
    const char *counted = getenv("COUNTED");
    char release[4096], path[8192];
    if (!counted)
        return 0;
    snprintf(path, sizeof path, "%s%s", counted, strrchr(getcwd(release, sizeof release), '/'));
    FILE *file = fopen(path, "r");
    if (file) { fscanf(file, "%d", &runs); fclose(file); }
    file = fopen(path, "w");
    fprintf(file, "%d", runs + 1);
    fclose(file);
    return runs;
}

int main(int argc, char **argv)
{
    const char *mode = getenv("MODE"), *clock = getenv("CLOCK");
    int runs = count_run();
    float seed = strcmp(mode, "constant") ? atof(argv[1]) : 1, out[64];
    for (int i = 0; i < 64; i++)
        out[i] = strcmp(mode, "zeros") ? seed * (i + 1) : 0;
    if (!strcmp(mode, "race") && runs % 20 == 7)
        out[3] *= 1.0000005f; /* within the tolerance */
    if (!strcmp(mode, "dies") && runs % 4 == 2)
        abort();
    if (clock && runs == 5) {
        FILE *file = fopen(clock, "w");
        fputs("900000\n", file);
        fclose(file);
    }
    if (strcmp(mode, "nothing")) {
        FILE *file = fopen("out.bin", "wb");
        fwrite(out, sizeof out, 1, file);
        fclose(file);
    }
    printf("{\"bytes\": %d, \"text\": \"time %.2f us first %.1f\"}\n", (int)sizeof out,
           SLOWNESS * (100 + runs * 37 % 7 * 0.1), out[0]);
    return !strcmp(mode, "fails");
}
"""


def lay_out(project: Project) -> None:
    """Write the project, as a git repository with one commit."""
    counted = project.root.parent / "counted"
    counted.mkdir()
    project.write("buildtool.toml", FILE.replace("@COUNTED@", str(counted)))
    project.write("host/CMakeLists.txt", CMAKE)
    project.write("host/measured.c", PROGRAM)
    project.write(".gitignore", "devices.toml\n")
    right = struct.pack(f"<{ELEMENTS}f", *range(1, ELEMENTS + 1))
    (project.root / "right.f32").write_bytes(right)
    git(project, "init", "-q")
    commit(project, "as it was")


def git(project: Project, *arguments: str) -> str:
    """Run git in the project; returns its output."""
    identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
    command = ["git", "-C", str(project.root), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commit(project: Project, message: str) -> None:
    git(project, "add", "--all")
    git(project, "commit", "-q", "-m", message)


def set_mode(project: Project, mode: str) -> None:
    """Let the program be right, or wrong as `mode` says."""
    text = (project.root / "buildtool.toml").read_text()
    before, _, after = text.partition('MODE = "')
    project.write("buildtool.toml", f'{before}MODE = "{mode}"{after.partition(chr(34))[2]}')


def document(project: Project, *arguments: str, status: int = 0) -> dict[str, Any]:
    """What `buildtool bench ARGUMENTS --json` prints; it ends with `status`."""
    done = project.run("bench", *arguments, "--json")
    assert done.returncode == status, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
