"""LLDB stops in the sources of programs for the DSP."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.device.debug.conftest import Debuggee

FILE = """
[project]
name = "kernels"

[dsp.kernels]
source = "."

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v73"]
"""
CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(kernels C)
add_executable(square square.c)
"""
SOURCE = """#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int square(int number)
{
    return number * number;
}

int main(int count, char **words)
{
    printf("%d\\n", square(count < 2 ? 3 : atoi(words[1])));
    return 0;
}
"""


def test_lldb_stops_in_main_and_in_functions(qemu: Path, lldb: Path, tmp_path: Path) -> None:
    project = Debuggee(tmp_path, variables={"PATH": f"{qemu}:{os.environ['PATH']}"})
    project.write("buildtool.toml", FILE)
    project.write("CMakeLists.txt", CMAKE)
    project.write("square.c", SOURCE)
    commands = (
        *(
            "breakpoint set --shlib square.so --name main",
            "breakpoint set --file square.c --line 6",
        ),
        *("continue", "bt 1", "continue", "bt 2", "continue"),
    )
    with project.waiting(program=("dsp/square", "12")) as run:
        done = subprocess.run(
            [f"{lldb}/lldb", "--batch", "--source", str(run.script)]
            + [word for text in commands for word in ("--one-line", text)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        status, output = run.finish()
    said = done.stdout + done.stderr
    assert "fastrpc_shell`main" not in said, said
    assert "square.so`main(count=2, words=0x" in said
    assert "square.so`square(number=12) at square.c:6" in said
    assert "exited with status = 0" in said
    assert (status, output.splitlines()[-1]) == (0, "144")
