"""The wheel, installed into an empty environment outside the clone."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.command_line import REPOSITORY


def test_the_wheel_makes_builds_and_runs_a_project(tmp_path: Path) -> None:
    wheels, plain = tmp_path / "wheels", tmp_path / "plain"
    run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q",
         "-w", plain, REPOSITORY], cwd=tmp_path)  # fmt: skip
    run([sys.executable, REPOSITORY / "scripts" / "make_wheel.py", wheels], cwd=tmp_path)
    (wheel,) = wheels.iterdir()
    # The name "buildtool" on PyPI belongs to another project.
    assert wheel.name.startswith("hexagon_buildtool-")
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "buildtool/_data/cmake/BuildtoolConfig.cmake" in names
    assert not [name for name in names if name.endswith((".so", ".o", ".pyc"))]
    (without,) = plain.iterdir()
    added = set(names) - set(zipfile.ZipFile(without).namelist())
    assert {name.rpartition("/")[0] for name in added} == {"buildtool/_data/programs"}

    python = tmp_path / "venv" / "bin" / "python"
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
    ]  # one in the environment takes long
    run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], cwd=tmp_path)
    run([*pip, "install", "-q", "--no-deps", "--no-index", wheel], cwd=tmp_path)
    # The dependencies are linked from the test's environment instead of downloaded.
    site = next((tmp_path / "venv").glob("lib/python3*/site-packages"))
    here = next(Path(sys.prefix).glob("lib/python3*/site-packages"))
    for entry in here.iterdir():
        if "buildtool" not in entry.name and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    ninja = Path(sys.prefix, "bin", "ninja")
    (tmp_path / "venv" / "bin" / "ninja").symlink_to(ninja)

    project = tmp_path / "an empty directory"
    project.mkdir()
    buildtool = tmp_path / "venv" / "bin" / "buildtool"
    where = "import buildtool; print(buildtool.__file__)"
    assert str(tmp_path) in run([python, "-c", where], cwd=project)
    run([buildtool, "init", "--template", "hvx"], cwd=project)
    programs = Path(os.environ["BUILDTOOL_CACHE"], "emulator")
    programs.unlink()  # those of other tests
    output = run([buildtool, "run", "sim"], cwd=project)
    assert "verified against the CPU" in output
    assert "building the emulated device" not in output
    assert sum(path.is_file() for path in programs.glob("*/install/*")) == 3

    # The IDL compiler is an input too: a new version causes a build.
    assert '"outcome": "built"' not in run([buildtool, "build", "--json"], cwd=project)
    with (site / "buildtool" / "idl" / "compile.py").open("a") as module:
        module.write("# newer\n")
    assert run([buildtool, "build", "--json"], cwd=project).count('"outcome": "built"') == 2

    # scikit-build-core finds the CMake modules by these entry points.
    script = (
        "from importlib.metadata import entry_points as e; from importlib.resources import files\n"
        "for g in ('cmake.prefix', 'cmake.module'):\n"
        "    (p,) = e(group=g, name='buildtool'); print(files(p.load()) / 'BuildtoolConfig.cmake')"
    )
    for module_file in run([python, "-c", script], cwd=project).splitlines():
        assert Path(module_file).is_file()


def run(command: list[str | Path], cwd: Path) -> str:
    """Run a command, which must succeed; returns its standard output."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
