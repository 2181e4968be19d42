"""A tool of the device fails once: the command fails, or does what it was to do.

The tools are the system's, behind a stand-in that lets one call fail.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from buildtool.deploy.contents import DataFile
from buildtool.deploy.data import send_data, verify_data
from buildtool.deploy.push import Pushed
from buildtool.deploy.site import rollback
from buildtool.device.device import Device
from buildtool.device.emulated.device import Emulated
from buildtool.device.errors import DeviceError
from buildtool.release.slices import Release
from tests.conftest import LONG
from tests.remote.releases import digest_of
from tests.remote.remote import SHELL, Remote, processes_with
from tests.remote.tool_sets import SYSTEM_PATH

WRITES = ("cp", "ln", "mkdir", "mv", "rm", "tar")
READS = (
    "cat",
    "find",
    "grep",
    "head",
    "ls",
    "readlink",
    "sed",
    "sha256sum",
    "sort",
    "stat",
    "tail",
)
TOOL = """#!/bin/sh
echo {name} >>'{calls}'
[ "$({wc} -l <'{calls}')" != {number} ] || {{ echo 'Input/output error' >&2; exit 1; }}
exec {program} "$@"
"""
KILLS_WHAT_STARTS_IT = """#!/bin/sh
read -r _ _ _ shell _ </proc/$PPID/stat
kill -KILL $shell $PPID
"""
T = TypeVar("T")


class Failing:
    """A device in `directory`; of the calls of its tools one can fail, counted from 1."""

    def __init__(self, directory: Path, *, store: bool = False) -> None:
        self._tools, self._calls = directory / "tools", directory / "calls"
        root = str(directory / "device")
        transport = Emulated(root, {"PATH": f"{self._tools}:{SYSTEM_PATH}", "HOME": root})
        device = Device("sim", "sim", root, transport)
        self.remote = Remote(device, f"{root}/project", "", directory / "state", store=store)

    def fail(
        self, number: int, action: Callable[..., T], *arguments: object
    ) -> tuple[bool, T | None]:
        """Let call `number` fail during `action`; whether there was one, and what `action`
        returned, None if it failed."""
        self._write_tools(number)
        result = None
        with contextlib.suppress(DeviceError):
            result = action(*arguments)
        was_called = len(self._calls.read_text().splitlines()) >= number
        shutil.rmtree(self._tools)
        return was_called, result

    def _write_tools(self, number: int) -> None:
        self._tools.mkdir(parents=True)
        self._calls.write_text("")
        wc = shutil.which("wc", path=SYSTEM_PATH)
        for name in (*WRITES, *(READS if LONG else ())):
            program = shutil.which(name, path=SYSTEM_PATH)
            text = TOOL.format(name=name, calls=self._calls, number=number, wc=wc, program=program)
            (self._tools / name).write_text(text)
            (self._tools / name).chmod(0o755)


def deploy_it(remote: Remote, releases: Sequence[Release]) -> Release:
    remote.deploy(releases[-1])
    return releases[-1]


def repair_it(remote: Remote, releases: Sequence[Release]) -> Release:
    remote.deploy(releases[-2], verify=True)
    return releases[-2]


def roll_back(remote: Remote, releases: Sequence[Release]) -> Release:
    rollback(remote.site())
    return releases[-3]


@pytest.mark.parametrize("store", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "action", [deploy_it, pytest.param(repair_it, marks=pytest.mark.long), roll_back]
)
def test_releases(
    action: Callable[[Remote, Sequence[Release]], Release], store: bool, tmp_path: Path
) -> None:
    template = Failing(tmp_path / "0", store=store).remote
    releases = [template.release(tmp_path / n, {"n": n.encode()}) for n in "abcd"]
    for release in releases[:-1]:
        template.deploy(release)
    if action is repair_it:
        damaged = (template.outside("current") / "n").resolve()
        damaged.chmod(0o755)
        damaged.write_text("damaged")
    number, failed, called = 0, 0, True
    while called:
        number += 1
        shutil.copytree(tmp_path / "0", tmp_path / str(number), symlinks=True)
        device = Failing(tmp_path / str(number), store=store)
        remote = device.remote
        called, current = device.fail(number, action, remote, releases)
        failed += not current
        if current:
            remote.assert_current(current)
        if action is not repair_it:
            remote.assert_whole(*releases)
        remote.deploy(releases[-1], verify=True)
        remote.assert_current(releases[-1])
    assert 0 < failed < number


@pytest.mark.long
def test_large_files(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.write_bytes(os.urandom(1 << 20))
    data = [DataFile("data/model", model, digest_of(model), 1 << 20)]
    number, failed, called = 0, 0, True
    while called:
        number += 1
        device = Failing(tmp_path / str(number))
        site = device.remote.site()
        there = Path(device.remote.device.root, ".data", data[0].sha256)
        called, sent = device.fail(number, send_data, site, data)
        failed += sent is None
        if sent is not None:
            assert there.read_bytes() == model.read_bytes(), number
        send_data(site, data)
        there.write_bytes(b"damaged")
        called_too, repaired = device.fail(number, verify_data, site, data)
        called |= called_too
        if repaired is not None:
            assert there.read_bytes() == model.read_bytes(), number
        verify_data(site, data)
        assert send_data(site, data) == Pushed()
    assert failed


@pytest.mark.long
def test_nothing_is_left_of_a_program_whose_shell_is_killed_before_it_begins(
    tmp_path: Path,
) -> None:
    """`setsid`, which starts the program, kills the shell that would wait for it."""
    device = Failing(tmp_path / "device")
    release = device.remote.release(tmp_path / "release", {})
    device.remote.deploy(release)
    setsid = tmp_path / "device" / "tools" / "setsid"
    setsid.parent.mkdir(exist_ok=True)
    setsid.write_text(KILLS_WHAT_STARTS_IT)
    setsid.chmod(0o755)
    with pytest.raises(DeviceError):
        device.remote.run(release, SHELL, "true")
    end = time.monotonic() + 20
    while left := processes_with(device.remote.project):
        assert time.monotonic() < end, left
        time.sleep(0.05)
