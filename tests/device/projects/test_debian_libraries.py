"""Libraries of Debian: their tests on this machine, and after `init` with `test sim`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project import Project

TOOLCHAINS = {"zig": "", "gcc": 'toolchain = "gcc"'}
APT = (("State::Lists", "lists"), ("Cache", "cache"), ("Etc::SourceList", "sources.list"))
RELEASE = "bookworm"
"""The release of Debian whose versions the numbers are for."""
ARCHIVE = "$(ORIGIN) $(RELEASE) $(COMPONENT) $(REPO_URI)", f"Debian {RELEASE} main "


class Library(NamedTuple):
    """A source package: its tests, and the options that build them natively.  All tests pass
    natively and, with what `init` proposes, on `sim`."""

    package: str
    tests: int
    options: tuple[str, ...] = ()


LIBRARIES = (
    Library("brotli", 14),
    Library("cjson", 19),
    Library("cmocka", 6),
    Library("double-conversion", 9, ("-DBUILD_TESTING=ON",)),
    Library("geographiclib", 182),
    Library("jansson", 213),
    Library("libogg", 2),
    Library("libsamplerate", 13),
    Library("libyaml", 2),
    Library("muparser", 1, ("-DENABLE_OPENMP=OFF",)),
    Library("pugixml", 1, ("-DPUGIXML_BUILD_TESTS=ON",)),
    Library("tinyxml2", 1),
)


@pytest.fixture(scope="module")
def apt(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which apt-get knows the source packages of the archive that this machine
    uses, in directories of its own."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-source")):
        pytest.skip("needs apt-get and dpkg-source")
    wanted, start = ARCHIVE
    rows = _run("apt-get", "indextargets", "--format", wanted, "Created-By: Packages").stdout
    archive = next((row for row in rows.splitlines() if row.startswith(start)), "")
    if not archive:
        pytest.skip(f"needs an archive of Debian {RELEASE} in apt's configuration")
    place = tmp_path_factory.mktemp("apt")
    (place / "lists/partial").mkdir(parents=True)
    (place / "cache/archives/partial").mkdir(parents=True)
    uri = archive.removeprefix(start)
    (place / "sources.list").write_text(f"deb-src {uri} {RELEASE} main\n")
    lines = [f'Dir::{key} "{place / name}";\n' for key, name in APT]
    (place / "apt.conf").write_text("".join(lines) + 'Dir::Etc::SourceParts "-";\n')
    environment = {**os.environ, "APT_CONFIG": str(place / "apt.conf")}
    done = _run("apt-get", "-q", "--error-on=any", "update", env=environment)
    if done.returncode:
        pytest.skip(f"the lists of source packages cannot be fetched: {done.stdout}")
    return environment


@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.package)
def test_its_tests_pass_natively_and_on_sim(
    library: Library, apt: dict[str, str], tmp_path: Path
) -> None:
    _check("apt-get", "-q", "source", "--download-only", library.package, env=apt, cwd=tmp_path)
    (description,) = tmp_path.glob("*.dsc")
    _check("dpkg-source", "--no-check", "-x", description, tmp_path / "tree", env=apt)
    project = Project(tmp_path / "tree")
    passed = {"native": _native(project.root, tmp_path / "native", library)}

    project.succeeds("init")

    file = project.root / "buildtool.toml"
    text = file.read_text()
    for name, line in TOOLCHAINS.items():
        if name == "zig" or shutil.which("aarch64-linux-gnu-g++"):
            file.write_text(re.sub(r"(?m)^platform = .*$", rf"\g<0>\n{line}", text))
            done = project.run("test", "sim", "--json")
            document = json.loads(done.stdout)
            assert "tests" in document, document
            outcomes = [test["outcome"] for test in document["tests"]]
            passed[name] = (outcomes.count("passed"), len(outcomes))
    assert passed == dict.fromkeys(passed, (library.tests, library.tests))


def _native(source: Path, tree: Path, library: Library) -> tuple[int, int]:
    """The tests that pass with CMake and CTest alone on this machine, and all."""
    policy = "-DCMAKE_POLICY_VERSION_MINIMUM=3.5"
    _check("cmake", "-G", "Ninja", "-S", source, "-B", tree, policy, *library.options)
    _check("cmake", "--build", tree)
    text = _run("ctest", "--test-dir", tree).stdout
    summary = re.search(r"tests passed, (\d+) tests failed out of (\d+)", text)
    assert summary, text
    failed, total = map(int, summary.groups())
    return total - failed, total


def _check(
    *command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None
) -> None:
    done = _run(*command, env=env, cwd=cwd)
    assert done.returncode == 0, done.stdout


def _run(
    *command: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; its standard error is part of its output."""
    return subprocess.run(
        command,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
