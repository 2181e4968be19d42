"""Wall times of commands that take turns, so that other load on the machine affects all alike."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Command = Sequence[str | Path]
BUILDTOOL = (Path(sys.executable).with_name("buildtool"),)


@dataclass(frozen=True, slots=True)
class Run:
    """Commands that are measured together; `before` is called first each time and not measured."""

    commands: Sequence[Command]
    cwd: Path
    environment: Mapping[str, str]
    before: Callable[[], object] = lambda: None

    def seconds(self) -> float:
        """The wall time of all commands, which must succeed."""
        self.before()
        started = time.perf_counter()
        for command in self.commands:
            run(command, self.cwd, self.environment)
        return time.perf_counter() - started


def run(command: Command, cwd: Path, environment: Mapping[str, str]) -> str:
    """What the command prints on standard output; a failure ends this program."""
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def medians(rounds: int, *runs: Run) -> list[float]:
    """The median seconds of each of `runs`, which take turns."""
    times = [[each.seconds() for each in runs] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def as_installed() -> dict[str, str]:
    """The environment of all measured commands: Python caches bytecode, as in a normal
    installation."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "BUILDTOOL_LAUNCHER", "MAKEFLAGS")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def head(ours: str, theirs: str) -> None:
    print(f"{'':<46}{ours:>10}{theirs:>12}{'ratio':>8}  aim")


def row(what: str, seconds: Sequence[float], aim: str = "") -> None:
    """Print one line of a table: our time and any other times, in milliseconds, and our ratio."""
    ours, *others = seconds
    beside = "".join(f"{theirs * 1000:>12.0f}{ours / theirs:>8.2f}" for theirs in others)
    beside = beside or f"{'':>20}"
    print(f"{what:<46}{ours * 1000:>10.0f}{beside}  {aim}".rstrip(), flush=True)
