"""CTest tests on sim are forks of a program and of a DSP process that have begun."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.device.programs.test_dsp_programs import OUTCOMES
from tests.device.testing.test_ctest import wait_for
from tests.device.testing.third_party import results
from tests.project import Project


def forks(project: Project) -> list[int]:
    """The processes of the project whose command line is that of a process to be forked."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
            state = file.with_name("stat").read_text().rpartition(") ")[2][0]
        except OSError:
            continue
        own = any(word.startswith(os.fsencode(project.root)) for word in words)
        if own and state != "Z" and {b"warm", b"--serve"} & set(words):
            found.append(int(file.parent.name))
    return found


def test_nothing_is_left_when_buildtool_is_killed(kernels: Project) -> None:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", "test", "sim", "kernels/hangs"],
        cwd=kernels.root,
        env={**os.environ, **kernels.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with process:
        # The program and the DSP process to be forked, a fork of each, and the latter's supervisor.
        wait_for(lambda: len(forks(kernels)) >= 5)
        process.send_signal(signal.SIGKILL)
    wait_for(lambda: not forks(kernels))


def test_forks_of_one_process_know_nothing_of_each_other(kernels: Project) -> None:
    chosen = ("aborts", "crashes", "data", "fails", "skipped", "sum", "variable", "will-fail")
    tests = results(kernels, "sim", "--jobs", "1", *(f"kernels/{name}" for name in chosen))
    assert {name: test["outcome"] for name, test in tests.items()} == {
        name: OUTCOMES[name] for name in chosen
    }
    packets = {
        name: {method["name"]: method["packets"] for method in test["methods"]}
        for name, test in tests.items()
        if test["outcome"] != "crashed"
    }
    assert len({methods["dsp_program_open"] for methods in packets.values()}) == 1
    assert packets["fails"]["dsp_program_load"] == packets["skipped"]["dsp_program_load"]
    assert not forks(kernels)
