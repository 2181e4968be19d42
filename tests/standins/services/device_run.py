"""A stand-in for Google's Device Run: the program `gcloud`, and the sessions that it starts.

The options, and their limits, are those of the reference of `gcloud beta device-run sessions submit
android-executable`; others are refused.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.remote.device_root import DeviceRoot

SUBMIT = ["beta", "device-run", "sessions", "submit", "android-executable"]


def put_gcloud(directory: Path, noted: Path) -> None:
    """A `gcloud` in `directory` that notes its arguments and its directory in the file `noted`."""
    program, code = directory / "gcloud", directory / "gcloud.py"
    code.write_text(
        f"import json, os, sys\njson.dump([sys.argv[1:], os.getcwd()], open({str(noted)!r}, 'w'))\n"
    )
    # Not as its interpreter: that line cannot have a path with spaces.
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{code}" "$@"\n')
    program.chmod(0o755)


def run_session(
    noted: Path, devices: Mapping[str, DeviceRoot], variables: Mapping[str, str], bucket: Path
) -> Path:
    """Run the session that `gcloud` was called for; returns its directory in the bucket."""
    words, cwd = json.loads(noted.read_text(encoding="utf-8"))
    assert words[: len(SUBMIT)] == SUBMIT
    options = _options().parse_args(words[len(SUBMIT) :])
    seconds = re.fullmatch(r"(\d+)s", options.executable_timeout)
    assert seconds
    assert 60 <= int(seconds[1]) <= 3 * 3600
    session = bucket / "automation/sessions/session-370961e1"
    for number, name in enumerate(options.device.split(",")):
        execution = session / f"job-{number:03}" / "execution-000"
        execution.mkdir(parents=True)
        _run(options, Path(cwd), devices[name], variables, execution)
    return session


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for name in ("device", "executable", "executable-args", "executable-timeout"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("other-files-to-push", "paths-to-pull", "executable-env-vars"):
        parser.add_argument(f"--{name}", default="")
    for name in ("project", "location", "bucket-name", "labels", "flaky-test-attempts"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--async", action="store_true")
    return parser


def _run(
    options: argparse.Namespace,
    cwd: Path,
    device: DeviceRoot,
    variables: Mapping[str, str],
    execution: Path,
) -> None:
    def on_device(path: str) -> Path:
        assert path.startswith("/data/local/tmp/")
        return device.data / path.removeprefix("/data/")

    for pair in filter(None, options.other_files_to_push.split(",")):
        source, _, place = pair.partition("=")
        shutil.copy(cwd / source, on_device(place))
    program = f"/data/local/tmp/{Path(options.executable).name}"
    shutil.copy(cwd / options.executable, on_device(program))
    on_device(program).chmod(0o755)
    assert on_device(program).read_text(encoding="utf-8").startswith("#!/system/bin/sh\n")
    with (execution / "output.log").open("wb") as output:
        subprocess.run(
            device.command("/bin/sh", program, *options.executable_args.split(",")),
            env={"PATH": device.path, "TMPDIR": "/data/local/tmp", **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    (execution / "logcat.txt").write_text("")
    for path in filter(None, options.paths_to_pull.split(",")):
        if on_device(path).exists():
            shutil.copytree(on_device(path), execution / "artifacts" / path.lstrip("/"))
