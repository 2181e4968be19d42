"""Make a wheel of this clone, with the programs of the emulated device inside, in a directory.

Whoever installs it need not compile them, which takes about a minute.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from buildtool.cache.emulator_cache import state_of
from buildtool.cli.screen import Screen
from buildtool.device.emulated.emulator import build_emulator, emulator_steps
from buildtool.engine.record import read_record, record_file, write_record
from buildtool.inputs.path_sets import InputSet, PathSet

CLONE = Path(__file__).parents[1]
PROGRAMS = CLONE / ".buildtool" / "programs"  # pyproject.toml names it
NO_INPUTS = InputSet(PathSet(), {}, (), {})


def main(into: str) -> None:
    build_emulator(Screen())
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    PROGRAMS.mkdir(parents=True)
    for step in emulator_steps():
        record = read_record(record_file(state_of(step.tree), step))
        assert record is not None
        # Without the paths and times of this machine the wheel is the same on each.
        kept = record._replace(inputs=NO_INPUTS, seconds=0.0, server="")
        write_record(PROGRAMS / f"{step.tree.name}.json", kept)
        for output in record.outputs:
            if output.digest:
                shutil.copyfile(step.output / output.path, PROGRAMS / output.digest)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            into,
            ".",
        ],
        cwd=CLONE,
        env={**os.environ, "BUILDTOOL_PROGRAMS": "1"},
        check=True,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
