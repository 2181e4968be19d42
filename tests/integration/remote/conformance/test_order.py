"""The order of releases does not depend on the clock of the device, which can go back."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from buildtool.deploy.contents import deployment
from buildtool.deploy.site import rollback
from buildtool.device.errors import DeviceError
from buildtool.release.slices import Release
from tests.integration.remote.conformance.conftest import SHELLS, TOOLS
from tests.remote.remote import Remote

DAY = 24 * 3600


def make(remote: Remote, directory: Path, names: str) -> tuple[list[Release], list[str]]:
    """Releases, one for each letter, and their ids."""
    releases = [remote.release(directory / name, {"n": name.encode()}) for name in names]
    return releases, [deployment(release, "").id for release in releases]


def set_time(path: Path, seconds: float) -> None:
    os.utime(path, (seconds, seconds), follow_symlinks=False)


@SHELLS
def test_the_clock_has_gone_back(remote: Remote, tmp_path: Path) -> None:
    """Three releases are ten days ahead of those after them."""
    releases, ids = make(remote, tmp_path, "abcde")
    for days, (release, name) in enumerate(zip(releases[:3], ids, strict=False), start=10):
        remote.deploy(release)
        set_time(remote.outside(f"releases/{name}"), time.time() + days * DAY)
    remote.deploy(releases[3])
    assert rollback(remote.site()) == (ids[3], ids[2])
    remote.deploy(releases[3])
    remote.deploy(releases[4])
    assert remote.releases == set(ids[2:])
    assert rollback(remote.site()) == (ids[4], ids[3])
    assert rollback(remote.site()) == (ids[3], ids[2])
    with pytest.raises(DeviceError, match="no earlier release"):
        rollback(remote.site())


@SHELLS
def test_a_release_that_is_deployed_again_is_the_newest(remote: Remote, tmp_path: Path) -> None:
    releases, ids = make(remote, tmp_path, "abc")
    for release in (*releases, releases[0]):
        remote.deploy(release)
    assert rollback(remote.site()) == (ids[0], ids[2])
    assert remote.shell(releases[1], "cat n").stdout == b"b"
    assert rollback(remote.site()) == (ids[1], ids[0])


@TOOLS
def test_the_releases_of_an_older_buildtool_are_taken_over(remote: Remote, tmp_path: Path) -> None:
    """It kept no history: the times of the directories were the order."""
    releases, ids = make(remote, tmp_path, "abcd")
    for release in releases[:3]:
        remote.deploy(release)

    def forget_order() -> None:
        remote.outside("history").unlink(missing_ok=True)
        for age, name in enumerate((ids[1], ids[2], ids[0])):  # the newest one first
            set_time(remote.outside(f"releases/{name}"), 1_500_000_000 - 10 * age)

    remote.deploy(releases[1])
    forget_order()
    assert rollback(remote.site()) == (ids[1], ids[2])
    assert rollback(remote.site()) == (ids[2], ids[0])
    remote.deploy(releases[1])
    forget_order()
    remote.deploy(releases[3])
    assert remote.releases == {ids[1], ids[2], ids[3]}
    assert rollback(remote.site()) == (ids[3], ids[1])
    assert rollback(remote.site()) == (ids[1], ids[2])


@SHELLS
def test_an_older_buildtool_deploys_in_between(remote: Remote, tmp_path: Path) -> None:
    """The current release that the history lacks is the newest one."""
    releases, ids = make(remote, tmp_path, "abc")
    for release in releases[:2]:
        remote.deploy(release)
    history = remote.outside("history")
    before = history.read_text()
    remote.deploy(releases[2])
    history.write_text(before)
    assert rollback(remote.site()) == (ids[2], ids[1])


@TOOLS
@pytest.mark.parametrize("verified", ["future", "older buildtool", "missing"])
def test_a_damaged_file_is_not_taken_over(remote: Remote, tmp_path: Path, verified: str) -> None:
    """Whatever the clock says, and whatever is known of the release before."""
    same = {"lib/same": b"same"}
    first = remote.release(tmp_path / "1", {**same, "n": b"1"})
    second = remote.release(tmp_path / "2", {**same, "n": b"2"})
    remote.deploy(first)
    marker = remote.outside(f"verified/{deployment(first, '').id}")
    if verified == "older buildtool":
        boot = remote.device.exec("cat /proc/sys/kernel/random/boot_id").stdout
        marker.write_bytes(boot)
    elif verified == "missing":
        shutil.rmtree(marker.parent)
    else:
        for path in marker.parent.iterdir():
            set_time(path, time.time() + 10 * DAY)
    (remote.outside("current") / "lib/same").write_bytes(b"damaged")
    remote.deploy(second)
    remote.assert_current(second)
