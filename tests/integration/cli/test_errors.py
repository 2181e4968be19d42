"""Errors for invalid input say what happened, where, and what to do; none is a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import Buildtool, Edit


@pytest.fixture
def project(configured: Path) -> Path:
    """The project from the template, whose build trees are configured."""
    return configured


def test_a_broken_project_file(buildtool: Buildtool, project: Path, edit: Edit) -> None:
    edit(project / "buildtool.toml", 'platform = "ubuntu', 'platfrom = "ubuntu')

    done = buildtool("build", cwd=project)

    assert done.returncode == 2
    assert "buildtool.toml:" in done.stderr
    assert "target.sim.platfrom: unknown key" in done.stderr
    assert "→ Did you mean 'platform'?" in done.stderr
    assert buildtool("run", "sim", cwd=project).returncode == 125


def test_a_broken_idl_file_shows_its_line_and_a_caret(
    buildtool: Buildtool, project: Path, edit: Edit
) -> None:
    edit(project / "dsp/demo_dsp.idl", "in int16 factor", "in int61 factor")

    direct = buildtool("idl", "dsp/demo_dsp.idl", "-o", "out", cwd=project)
    assert direct.returncode != 0
    assert "demo_dsp.idl:9:28" in direct.stderr
    assert "in int61 factor" in direct.stderr
    assert "^" in direct.stderr
    assert "did you mean `int64`?" in direct.stderr
    assert not (project / "out").exists()

    built = buildtool("build", cwd=project)
    assert built.returncode == 1
    assert "demo_dsp.idl:9:28" in built.stderr


def test_no_project(buildtool: Buildtool, tmp_path: Path) -> None:
    done = buildtool("build", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert "no buildtool.toml found" in done.stderr
    assert "buildtool init" in done.stderr


def test_errors_as_json(buildtool: Buildtool, tmp_path: Path) -> None:
    done = buildtool("build", "--json", cwd=tmp_path)

    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "no-project"


def test_usage_errors_as_json(buildtool: Buildtool, tmp_path: Path) -> None:
    done = buildtool("build", "--json", "--plna", cwd=tmp_path)

    assert done.returncode == 2
    assert "--plna" in json.loads(done.stdout)["error"]["message"]


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["bild"], 2, "Did you mean 'build'?"),
        (["build", "--plna"], 2, "--plan"),
        (["build", "simm"], 2, "Did you mean 'sim'?"),
        (["build", "-j", "100000000"], 2, "100000000 is not in the range 0<=x<=1024"),
        (["run", "dragon", "--", "x"], 125, "there is no device 'dragon'"),
        (["run", "sim", "demo"], 125, "write: buildtool run sim -- bin/demo"),
        (["run", "sim", "bin/x"], 125, "write: buildtool run sim -- bin/x"),
        (["run", "sim", "--soc", "QCS6491", "--", "x"], 125, "Did you mean 'QCS6490'?"),
        (["run", "--no-such-option"], 125, "No such option"),
        (["profile", "--arch", "v81"], 2, "has no arch 'v81'"),
        (["inspect", "nothing.so"], 1, "nothing.so cannot be read"),
        (["inspect", "buildtool.toml"], 1, "is not a valid ELF file"),
        (["inspect", "buildtool.toml", "--skel", "v67"], 2, "there is no Hexagon arch"),
        (
            ["inspect", "buildtool.toml", "--sysroot", "board"],
            2,
            "--sysroot is for checking a skel",
        ),
        (["init", "--template", "nope"], 2, "known: hvx"),
        (["init", "--name", "3x"], 2, "is not a valid project name"),
        (["init"], 2, "already exists"),
        (["idl", "nothing.idl"], 1, "cannot read `nothing.idl`"),
    ],
)
def test_wrong_command_lines(
    arguments: list[str], status: int, says: str, buildtool: Buildtool, project: Path
) -> None:
    done = buildtool(*arguments, cwd=project)

    assert says in done.stderr
    assert done.returncode == status
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_a_directory_named_like_the_package_is_not_taken_for_it(
    buildtool: Buildtool, project: Path
) -> None:
    for folder in (project, project / "host", project / "dsp"):
        (folder / "buildtool").mkdir()
        (folder / "buildtool" / "__init__.py").write_text("raise SystemExit('wrong package')")

    done = buildtool("build", cwd=project)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("build --plan", "standard output: No space left on device"),
        ("build --plan --json", "standard output: No space left on device"),
        ("doctor", "standard output: No space left on device"),
        ("--version", "standard output: No space left on device"),
        ("--help", "standard output: No space left on device"),
        ("build nothing --json", "there is no target 'nothing'"),
    ],
)
def test_output_that_has_no_room(arguments: str, says: str, project: Path) -> None:
    command = [sys.executable, "-P", "-m", "buildtool", *arguments.split()]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, cwd=project, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False
        )

    assert done.stderr.startswith(f"error: {says}")
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode == (2 if "nothing" in arguments else 1)


SHORT_OF_MEMORY = """
import resource, sys
from buildtool.cli import main

main(["idl", "small.idl"])  # so that everything is loaded
with open("/proc/self/statm", encoding="ascii") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (8 << 20),) * 2)
sys.exit(main(["idl", "large.idl"]))
"""


def test_memory_that_runs_out(tmp_path: Path) -> None:
    (tmp_path / "small.idl").write_text("interface x { long m(in long a); };")
    (tmp_path / "large.idl").write_text(
        "".join(f"struct s{n} {{ long a; }};" for n in range(20_000))
    )

    done = subprocess.run(
        [sys.executable, "-P", "-c", SHORT_OF_MEMORY],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert done.stderr.startswith("error: there is not enough memory\n")
    assert "ulimit -v" in done.stderr
    assert done.returncode == 1
