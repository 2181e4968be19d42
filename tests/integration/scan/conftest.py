"""A project that is configured and built in the same way as by buildtool, and its input scan."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from buildtool.drivers.cmake.file_api import write_query
from buildtool.drivers.cmake.scan.input_scanner import InputScanner, StepInputs
from buildtool.drivers.cmake.scan.ninja import NinjaQuery
from buildtool.inputs.file_states import FileStates
from buildtool.inputs.path_sets import Change, InputSet, changes, observe
from buildtool.inputs.roots import Roots
from buildtool.sdk.packaged_tools import find_cmake

TRACE = ("--trace-expand", "--trace-format=json-v1")


@dataclass
class Tried:
    """A component in `root/src` with its build tree."""

    root: Path
    environment: Mapping[str, str]
    declared: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()

    @property
    def source(self) -> Path:
        return self.root / "src"

    @property
    def tree(self) -> Path:
        return self.root / ".buildtool/build/app/1234"

    @property
    def roots(self) -> Roots:
        return Roots({"project": self.root, "tree": self.tree})

    def run(self, *arguments: str | Path) -> str:
        done = subprocess.run(
            [str(a) for a in arguments],
            env=dict(self.environment),
            cwd=self.source,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def build(self, *defines: str) -> None:
        """Configure, build and install in a new tree."""
        cmake = find_cmake()
        shutil.rmtree(self.tree, ignore_errors=True)
        write_query(self.tree)
        where = ("-G", "Ninja", "-S", self.source, "-B", self.tree)
        tools = (f"-DCMAKE_MAKE_PROGRAM={cmake.ninja}", f"-DCMAKE_INSTALL_PREFIX={self.tree}/i")
        trace = (*TRACE, f"--trace-redirect={self.tree}/trace.json")
        self.run(cmake.program, *where, *tools, *(f"-D{d}" for d in defines), *trace)
        self.ninja(*self.targets)
        redirect = f"--trace-redirect={self.tree}/install.json"
        self.run(cmake.program, *TRACE, redirect, "-P", self.tree / "cmake_install.cmake")

    def ninja(self, *arguments: str | Path) -> str:
        return self.run(find_cmake().ninja, "-C", self.tree, *arguments)

    @property
    def scanner(self) -> InputScanner:
        ninja = NinjaQuery(self.tree, find_cmake().ninja, self.environment)
        return InputScanner(ninja, self.source, self.roots, FileStates(), self.targets)

    def step_inputs(self) -> StepInputs:
        scanner = self.scanner
        return scanner.step_inputs(
            scanner.configuration(self.tree / "trace.json"),
            ninja_deps=scanner.ninja.headers(),
            declared=self.declared,
            install_trace=self.tree / "install.json",
        )

    def look(self, found: StepInputs) -> InputSet:
        return observe(found.paths, self.roots, FileStates())

    def after(self, found: StepInputs, do: Callable[[], object]) -> tuple[Change, ...]:
        """The changes of inputs after `do`."""
        before = self.look(found)
        do()
        return changes(before, self.look(found))


@pytest.fixture
def tried(tmp_path: Path) -> Tried:
    return try_in(tmp_path)


def try_in(folder: Path) -> Tried:
    root = folder / "my project"
    (root / "src").mkdir(parents=True)
    names = ("PATH", "HOME", "ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
    return Tried(root, {name: os.environ[name] for name in names if name in os.environ})


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
