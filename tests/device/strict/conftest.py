"""A project whose skel has methods with mistakes."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.device.qemu import newer_qemu
from tests.project import Project

SOURCES = Path(__file__).parent / "project"


class Faults(Project):
    """The project in a directory of the test run."""

    def call(self, *arguments: str | int, strict: str = "", env: str = "") -> CompletedProcess[str]:
        """Call a method on the emulated device; `strict` is an option."""
        options = [strict] if strict else []
        options += ["--env", env] if env else []
        words = [str(argument) for argument in arguments]
        return self.run("run", "sim", *options, "--", "bin/faults", *words)

    def line(self, mark: str, source: str = "dsp/faults_imp.c") -> int:
        """The line of the comment `here: MARK` in the skel's source, or in the program's."""
        text = (self.root / source).read_text()
        found = re.search(rf"/\* here: {mark} \*/", text)
        assert found
        return text.count("\n", 0, found.start()) + 1


@pytest.fixture(scope="session")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Faults:
    root = tmp_path_factory.mktemp("faults") / "project"
    shutil.copytree(SOURCES, root)
    return Faults(root)


@pytest.fixture
def with_newer_qemu(faults: Faults) -> Faults:
    """The project, run with a newer QEMU than the installed one: its signal frame differs."""
    qemu = newer_qemu()
    if qemu is None:
        pytest.skip("scripts/setup could not unpack a newer QEMU")
    return dataclasses.replace(faults, variables={"PATH": f"{qemu}:{os.environ['PATH']}"})
