"""A project of the template, built for a debugger, and runs of it that wait for one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.device.qemu import newer_qemu
from tests.project import Project

UNPACKED = REPOSITORY / ".venv"
VERIFIED = "scale_add of 1024 and 1001 elements verified against the CPU"
WAIT_SECONDS = 60.0


@dataclass
class WaitingRun:
    """A `buildtool run sim --debug` whose DSP process waits for a debugger."""

    process: subprocess.Popen[str]
    script: Path
    """The commands for LLDB."""
    printed: str
    """What the run printed before it waited."""

    @property
    def socket(self) -> Path:
        return self.script.with_name("dsp")

    def shell(self) -> Path:
        """The program of the DSP process."""
        found = re.search(r'^target create .*"(.*)"$', self.script.read_text(), re.MULTILINE)
        assert found
        return Path(found[1])

    def finish(self) -> tuple[int, str]:
        """Wait for the end; returns the exit status and what was printed."""
        output, _ = self.process.communicate(timeout=WAIT_SECONDS)
        assert not self.script.parent.exists()
        assert processes_with(str(self.socket)) == []
        return self.process.returncode, self.printed + output


def processes_with(argument: str) -> list[str]:
    """The command lines of running processes with an argument."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_text(errors="replace").split("\0")
            found += [" ".join(words)] if argument in words else []
    return found


@dataclass
class Debuggee(Project):
    """The project, on which tests start runs."""

    @contextlib.contextmanager
    def waiting(
        self, *options: str, build_type: str = "Debug", program: tuple[str, ...] = ()
    ) -> Iterator[WaitingRun]:
        """A run without a terminal, which accepts a debugger."""
        command = ("run", "sim", *options, "--debug", "--build-type", build_type, "--", *program)
        process = subprocess.Popen(
            [sys.executable, "-m", "buildtool", *command],
            cwd=self.root,
            env={**os.environ, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            assert process.stdout
            printed = ""
            for line in process.stdout:
                printed += line
                if found := re.search(r"lldb --source (\S+)", line):
                    yield WaitingRun(process, Path(found[1]), printed)
                    return
            pytest.fail(printed)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=WAIT_SECONDS)


@pytest.fixture(scope="session")
def lldb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with lldb and its server for editors, lldb-dap: those of Debian, installed or
    unpacked by scripts/setup."""
    programs = [*sorted((UNPACKED / "lldb/usr/lib").glob("llvm-*/bin/lldb"))]
    if installed := shutil.which("lldb"):
        programs = [Path(installed).resolve()]
    if not programs:
        pytest.skip("scripts/setup could not unpack LLDB")
    root = programs[0].parents[1]
    libraries = [str(root / "lib"), *map(str, root.parent.glob("*-linux-gnu"))]
    modules = [str(path) for path in root.glob("lib/python3.*/*-packages")]
    folder = tmp_path_factory.mktemp("lldb")
    older = {"lldb-dap": "lldb-vscode"}  # its name up to LLVM 17
    for name, options in {"lldb": "--no-lldbinit", "lldb-dap": ""}.items():
        program = programs[0].with_name(name)
        if not program.exists():
            program = programs[0].with_name(older.get(name, name))
        wrapper = folder / name
        wrapper.write_text(
            f"#!/bin/sh\nexport LD_LIBRARY_PATH='{':'.join(libraries)}'\n"
            f"export PYTHONPATH='{':'.join(modules)}'\nexec '{program}' {options} \"$@\"\n"
        )
        wrapper.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def qemu() -> Path:
    """The directory of a QEMU with which programs can be debugged."""
    found = newer_qemu()
    if found is None:
        pytest.skip("QEMU is too old, and scripts/setup could not unpack a newer one")
    return found


@pytest.fixture(scope="session")
def debuggee(qemu: Path, tmp_path_factory: pytest.TempPathFactory) -> Debuggee:
    root = tmp_path_factory.mktemp("debug") / "my project"
    root.mkdir()
    project = Debuggee(root, variables={"PATH": f"{qemu}:{os.environ['PATH']}"})
    project.succeeds("init", "--template", "hvx")
    # Otherwise an SDK, from which a test takes the debugger, would compile the skel again.
    platform = 'platform = "ubuntu-aarch64"\n'
    project.edit("buildtool.toml", platform, f'{platform}dsp-toolchain = "llvm"\n')
    project.succeeds("build", "--build-type", "Debug")
    return project
