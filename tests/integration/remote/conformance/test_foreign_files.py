"""Directories of projects in which somebody has put something else."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.deploy.contents import deployment
from buildtool.deploy.site import rollback
from buildtool.device.errors import DeviceError
from tests.integration.remote.conformance.conftest import PROGRAMS, SHELLS, TOOLS
from tests.remote.remote import Remote


@TOOLS
@pytest.mark.parametrize("make", [Path.touch, Path.mkdir])
def test_something_else_in_the_place_of_the_lock_is_an_error(
    remote: Remote, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    first = remote.release(tmp_path / "1", {"n": b"1"})
    second = remote.release(tmp_path / "2", {"n": b"2"})
    remote.deploy(first)
    make(remote.outside("lock"))
    with pytest.raises(DeviceError) as error:
        remote.deploy(second)
    assert "/lock cannot be made: " in str(error.value.why)
    remote.assert_current(first)


@TOOLS
def test_a_directory_in_the_place_of_current_is_an_error(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    remote.deploy(release)
    current = remote.outside("current")
    current.unlink()
    current.mkdir()
    for action in (lambda: remote.deploy(release), lambda: remote.shell(release, "cat n")):
        with pytest.raises(DeviceError) as error:
            action()
        assert "/current cannot be replaced by a link: d" in str(error.value.why)
    assert not list(current.iterdir())
    current.rmdir()
    assert remote.shell(release, "cat n").stdout == b"1"


@TOOLS
def test_what_users_have_removed_or_replaced_is_made_again(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    remote.deploy(release)
    place = remote.outside(f"releases/{deployment(release, '').id}")
    shutil.rmtree(remote.outside("logs"))
    assert remote.shell(release, "cat n").stdout == b"1"
    shutil.rmtree(place)
    ran = remote.shell(release, "cat n")
    assert (ran.stdout, ran.stderr) == (b"1", b"")
    remote.assert_current(release)
    shutil.rmtree(remote.outside("releases"))
    assert remote.shell(release, "cat n").stdout == b"1"


@SHELLS
def test_foreign_files_among_the_releases_are_neither_used_nor_removed(
    remote: Remote, tmp_path: Path
) -> None:
    foreign = remote.outside("releases/notes")
    releases = [remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in range(6)]
    ids = [deployment(release, "").id for release in releases]
    for number, release in enumerate(releases):
        remote.deploy(release)
        for age, name in enumerate(reversed(ids[: number + 1])):
            if (place := remote.outside(f"releases/{name}")).exists():
                os.utime(place, (1_500_000_000 - 10 * age,) * 2)
        if not number:
            foreign.write_bytes(b"mine")
            os.utime(foreign, (1_000_000_000,) * 2)
    assert remote.releases == {"notes", *ids[-3:]}
    assert rollback(remote.site()) == (ids[5], ids[4])
    assert rollback(remote.site()) == (ids[4], ids[3])
    with pytest.raises(DeviceError, match="no earlier release"):
        rollback(remote.site())
    os.utime(foreign)
    remote.forget()
    remote.deploy(remote.release(tmp_path / "another", {"n": b"another"}))
    assert foreign.read_bytes() == b"mine"


@PROGRAMS
def test_the_name_of_a_variable_can_look_like_an_option(remote: Remote, tmp_path: Path) -> None:
    release = remote.release(tmp_path / "1", {})
    ran = remote.shell(release, 'echo "$A"', env={"-u": "x", "-i": "", "A": "b"})
    assert (ran.status, ran.stdout) == (0, b"b\n")
