"""Completion in real shells."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command_line import Buildtool

PROGRAMS = Path(sys.executable).parent
SHELLS = ("bash", "zsh", "fish")
needs = {
    shell: pytest.mark.skipif(not shutil.which(shell), reason=f"{shell} is not installed")
    for shell in SHELLS
}
Completed = Callable[[str], list[str]]


@pytest.fixture
def release(project: Path) -> Path:
    """A project with a release that looks as if it had been built."""
    for name in ("bin/demo", "bin/my $(touch run) prog", "lib/libx.so"):
        file = project / ".buildtool/release/sim" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o755)
    (project / "sim").mkdir()  # the target must not be completed as a directory
    return project


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "INPUTRC": os.devnull}


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(shell: str, buildtool: Buildtool, tmp_path: Path) -> None:
    done = buildtool("completion", shell, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    if shutil.which(shell):
        flag = "--no-execute" if shell == "fish" else "-n"
        subprocess.run([shell, flag], input=done.stdout, text=True, check=True)


def test_another_shell_has_none(buildtool: Buildtool, tmp_path: Path) -> None:
    done = buildtool("completion", "tcsh", cwd=tmp_path)

    assert done.returncode == 2
    assert "known: bash, fish, zsh" in done.stderr


INTERACTIVE = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'bind "set bell-style none"'),
    "zsh": (
        ["zsh", "-f", "-i"],
        "bindkey -e; unsetopt beep prompt_sp; autoload -Uz compinit; compinit -u -D",
    ),
}
"""Commands that start shells without the user's settings, and that prepare them for completion."""


class Terminal:
    """A shell on its own terminal, with completion loaded."""

    def __init__(self, folder: Path, shell: str) -> None:
        command, ready = INTERACTIVE[shell]
        self.main, terminal = pty.openpty()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment(), "PS1": "$ ", "TERM": "dumb"},
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        self.type(f'{ready}; eval "$(buildtool completion {shell})"; echo rea""dy\n')
        self.read("ready")

    def type(self, text: str) -> None:
        os.write(self.main, text.encode())

    def read(self, until: str) -> str:
        """The output up to the first occurrence of `until`."""
        output = ""
        deadline = time.monotonic() + 60
        while until not in output:
            ready, _, _ = select.select([self.main], [], [], deadline - time.monotonic())
            assert ready, f"{until!r} is not in {output!r}"
            output += os.read(self.main, 65536).decode(errors="replace").replace("\r", "")
        return output

    def close(self) -> None:
        os.close(self.main)
        self.process.wait(20)


TYPED = {
    "buil\t": ["build"],
    "run s\t-\t-ta\ts\t": ["run", "sim", "--target", "sim"],
    "build --build-type=D\t": ["build", "--build-type=Debug"],
    "build --build-type D\t": ["build", "--build-type", "Debug"],
    "run sim -- bin/d\t": ["run", "sim", "--", "bin/demo"],
    "run sim -- bin/m\t": ["run", "sim", "--", "bin/my $(touch run) prog"],
    "run sim -- 'bin/m\t": ["run", "sim", "--", "bin/my $(touch run) prog"],
    "-C ds\t. idl demo\t": ["-C", "dsp/.", "idl", "demo"],
    "inspect buildt\t": ["inspect", "buildtool.toml"],
}
"""What is typed after `buildtool ` → the words that the shell makes of it."""


@pytest.mark.parametrize(
    "shell", [pytest.param(shell, marks=needs[shell]) for shell in INTERACTIVE]
)
def test_tab_in_a_real_shell(shell: str, release: Path) -> None:
    terminal = Terminal(release, shell)
    try:
        for number, (typed, words) in enumerate(TYPED.items()):
            terminal.type(f"buildtool {typed}\x01printf '<%s>' \x05; echo en''d{number}\n")
            output = terminal.read(f"end{number}\n")

            (line,) = re.findall(f"^(<.*>)end{number}$", output, re.MULTILINE)
            assert line == "".join(f"<{word}>" for word in ["buildtool", *words]), typed
            assert not (release / "run").exists(), typed
    finally:
        terminal.close()


@needs["bash"]
def test_outside_of_a_project_bash_prints_no_error(tmp_path: Path) -> None:
    script = (
        'eval "$(buildtool completion bash)"\n'
        "COMP_WORDS=(buildtool build '') COMP_CWORD=2\n_buildtool buildtool '' build\n"
        'printf "%s\\n" "${#COMPREPLY[@]}"\n'
    )

    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    assert (done.stdout, done.stderr) == ("0\n", "")


@needs["fish"]
def test_in_a_real_fish(release: Path) -> None:
    for line, wanted in (
        ("buil", "build"),
        ("build ", "sim"),
        ("run sim -- bin/d", "bin/demo"),
        ("-C ds", "dsp/"),
    ):
        script = f"buildtool completion fish | source; complete -C 'buildtool {line}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", script],
            cwd=release,
            env=environment(),
            capture_output=True,
            text=True,
            check=True,
        )

        assert wanted in [row.partition("\t")[0] for row in done.stdout.splitlines()], line
        assert done.stderr == "", line
