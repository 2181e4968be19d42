"""conan.lock is created once, is strict from then on, and is shared by all targets."""

from __future__ import annotations

import json

import pytest

from tests.conftest import LONG

from .conftest import ConanProject

BY_COMPILER = """\
from conan import ConanFile

class App(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires("calc/1.0")
        if self.settings.compiler == "gcc":
            self.requires("extra/1.0")
"""


def locked(project: ConanProject) -> list[str]:
    return list(json.loads(project.lockfile.read_text())["requires"])


def test_a_lockfile_from_build_to_build(conan_project: ConanProject) -> None:
    text = (conan_project.root / "buildtool.toml").read_text()
    sim, _, rest = text.partition("[target.gcc]")
    phone = rest[rest.index("[target.phone]") :]
    conan_project.write("buildtool.toml", sim + phone)
    conan_project.header("calc", "1")
    conan_project.asks_for("calc/[>=1.0 <2]")

    conan_project.succeeds("build")

    assert f"wrote {conan_project.lockfile}" in conan_project.messages
    # It contains neither the revision of a local recipe nor a time stamp.
    assert locked(conan_project) == ["calc/1.0"]

    # Its versions stay.
    conan_project.header("calc", "2", version="1.1", folder="newer")
    conan_project.header("extra", "1")
    conan_project.succeeds("build")
    assert "conan.lock" not in conan_project.messages
    assert (conan_project.output(), locked(conan_project)) == ("1\n", ["calc/1.0"])

    # What it lacks is refused, and `lock` adds it.
    conan_project.asks_for("calc/[>=1.0 <2]", "extra/1.0")
    error = conan_project.refused()
    assert "Requirement 'extra/1.0' not in lockfile" in error
    assert "buildtool lock" in error
    assert locked(conan_project) == ["calc/1.0"]
    conan_project.succeeds("lock")
    assert locked(conan_project) == ["extra/1.0", "calc/1.0"]

    # Packages that nothing needs are removed, but only if all targets are locked.
    conan_project.asks_for("calc/[>=1.0 <2]")
    conan_project.succeeds("lock", "sim")
    assert locked(conan_project) == ["extra/1.0", "calc/1.0"]
    conan_project.write("buildtool.toml", sim)
    conan_project.succeeds("lock")
    assert locked(conan_project) == ["calc/1.0"]

    done = conan_project.run("lock", "--upgrade")
    assert "host/conan.lock: changed" in done.stdout
    conan_project.built()
    assert (conan_project.output(), locked(conan_project)) == ("2\n", ["calc/1.1"])

    conan_project.edit("buildtool.toml", 'conan = "host/conanfile.txt"', "")
    nothing = conan_project.succeeds("lock")
    assert nothing == "nothing to lock: no [host.NAME] has a 'conan' or 'debian'\n"


@pytest.mark.long
def test_one_lockfile_serves_targets_with_different_needs(conan_project: ConanProject) -> None:
    conan_project.header("calc")
    conan_project.header("extra", "1")
    conan_project.write("host/conanfile.py", BY_COMPILER)
    text = (conan_project.root / "buildtool.toml").read_text()
    conan_project.write("buildtool.toml", text.replace("conanfile.txt", "conanfile.py"))

    done = conan_project.run("lock", "--json")

    assert json.loads(done.stdout) == {
        "schema": 1,
        "lockfiles": [{"path": str(conan_project.lockfile), "changed": True}],
    }
    assert "target phone is left out: the Android NDK was not found" in done.stderr
    assert locked(conan_project) == ["extra/1.0", "calc/1.0"]
    for target in ("sim", "gcc") if LONG else ("gcc",):
        conan_project.built(target)
    assert locked(conan_project) == ["extra/1.0", "calc/1.0"]
