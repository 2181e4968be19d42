"""Links, FIFOs and directories in the place of what buildtool has made on a device."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from buildtool.deploy.contents import deployment
from buildtool.deploy.site import rollback
from buildtool.device.errors import DeviceError
from tests.integration.remote.conformance.conftest import EMULATED, SHELLS, TOOLS, short_on
from tests.remote.data import data_file, data_folder, deploy_with
from tests.remote.releases import contents_of
from tests.remote.remote import Remote

FIFO = os.mkfifo
Make = Callable[[Path], None]


def link_to(target: Path | str) -> Make:
    return lambda place: place.symlink_to(target)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A directory with files that are nobody's business."""
    directory = tmp_path / "elsewhere"
    (directory / "lib").mkdir(parents=True)
    for name in ("n", "lib/same", "mine", "755-mine"):
        (directory / name).write_text("mine")
    return directory


@contextlib.contextmanager
def replaced(place: Path, make: Make) -> Iterator[None]:
    """Something else, which `make` makes, in the place of a file or directory."""
    kept = place.with_name("kept") if place.exists() else None
    if kept:
        place.rename(kept)
    make(place)
    yield
    place.rmdir() if place.is_dir() and not place.is_symlink() else place.unlink()
    if kept:
        kept.rename(place)


@short_on(EMULATED)
def test_something_else_in_the_place_of_a_directory(
    remote: Remote, tmp_path: Path, elsewhere: Path
) -> None:
    """Nothing elsewhere is touched; when it is removed, the command succeeds."""
    first = remote.release(tmp_path / "1", {"lib/same": b"same", "n": b"1"})
    second = remote.release(tmp_path / "2", {"lib/same": b"same", "n": b"2"})
    new = deployment(second, "").id
    kinds = itertools.cycle([link_to(elsewhere), FIFO, link_to("missing"), Path.touch])
    for name in (
        *("releases", "logs", "verified", "store", "incoming"),
        *(f"releases/{new}", f"releases/{new}.partial", "releases/0.partial", "releases/0.removed"),
    ):
        place = remote.outside(name)
        for make in itertools.islice(kinds, 3):
            remote.deploy(first)
            with replaced(place, make):
                before = contents_of(elsewhere)
                with pytest.raises(DeviceError, match="something else in the place of") as error:
                    remote.deploy(second)
                assert error.value.remedy == f"Remove it: {there(remote, place)}"
                assert contents_of(elsewhere) == before
            assert remote.shell(second, "cat n").stdout == b"2"
            remote.assert_current(second)
            shutil.rmtree(remote.outside(f"releases/{new}"))


@SHELLS
def test_something_else_in_the_place_of_a_file(remote: Remote, tmp_path: Path) -> None:
    """A FIFO does not hang, and the lock is released."""
    first, second = (remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in (1, 2))
    old, new = (deployment(release, "").id for release in (first, second))
    makers: list[Make] = [FIFO, Path.mkdir, link_to("/etc/passwd")]
    kinds = itertools.cycle(makers)
    for name in (
        *("history", "device.env", "unused", "data.used", "store.used", "logs/x.running"),
        *(f"verified/{old}", f"verified/{new}", "store/644-mine"),
    ):
        place = remote.outside(name)
        for make in itertools.islice(kinds, 2):
            remote.deploy(first)
            place.parent.mkdir(exist_ok=True)
            with replaced(place, make):
                with pytest.raises(DeviceError, match="something else in the place of") as error:
                    remote.deploy(second)
                assert error.value.remedy == f"Remove it: {there(remote, place)}"
                assert not remote.outside("lock").is_symlink()
            remote.deploy(second)
            remote.assert_current(second)
            shutil.rmtree(remote.outside(f"releases/{new}"))


@SHELLS
def test_a_link_in_the_place_of_a_release_is_no_release(remote: Remote, tmp_path: Path) -> None:
    """Two ids would be one directory."""
    first, second = (remote.release(tmp_path / f"{n}", {"n": b"%d" % n}) for n in (1, 2))
    ids = [deployment(release, "").id for release in (first, second)]
    for release in (second, first):
        remote.deploy(release)
    place = remote.outside(f"releases/{ids[1]}")
    shutil.rmtree(place)
    place.symlink_to(ids[0])
    for action in (
        lambda: remote.deploy(second),
        lambda: remote.shell(second, "cat n"),
        lambda: remote.deploy(second, verify=True),
    ):
        with pytest.raises(DeviceError, match="something else in the place of"):
            action()
        remote.assert_current(first)
    with pytest.raises(DeviceError, match="no earlier release"):
        rollback(remote.site())
    place.unlink()
    remote.deploy(second)
    with replaced(remote.outside("history"), FIFO):
        uses: list[Callable[[], object]] = [
            lambda: remote.deploy(first),
            lambda: remote.shell(first, "cat n"),
            lambda: rollback(remote.site()),
        ]
        for use in uses:
            with pytest.raises(DeviceError, match=r"something else in the place of .*/history"):
                use()
            remote.assert_current(second)


@TOOLS
def test_a_program_replaces_a_directory_by_a_link(
    remote: Remote, tmp_path: Path, elsewhere: Path
) -> None:
    """What is removed from the next release, and what is new in it, is not behind that link."""
    first = remote.release(tmp_path / "1", {"lib/mine": b"1", "lib/same": b"same", "n": b"1"})
    second = remote.release(tmp_path / "2", {"lib/new": b"2", "lib/same": b"same", "n": b"2"})
    for _ in range(2):
        remote.deploy(first)
        folder = remote.outside("current") / "lib"
        folder.rename(folder.with_name("moved"))
        (elsewhere / "lib/mine").write_text("mine")
        folder.symlink_to(elsewhere / "lib")
        before = contents_of(elsewhere)
        remote.deploy(second)
        remote.assert_current(second)
        assert contents_of(elsewhere) == before
        remote.forget()
        shutil.rmtree(remote.outside(f"releases/{deployment(first, '').id}"))


@SHELLS
@pytest.mark.parametrize("end", ["", ".partial"])
def test_something_else_in_the_place_of_data(remote: Remote, tmp_path: Path, end: str) -> None:
    release = remote.release(tmp_path / "1", {"n": b"1"})
    model = data_file(tmp_path / "model", 1000, seed=secrets.randbits(32))
    deploy_with(remote, release, [])
    folder = data_folder(remote)
    folder.mkdir(exist_ok=True)
    owner = remote.outside("current").lstat()
    os.chown(folder, owner.st_uid, owner.st_gid)
    for make in (FIFO, Path.mkdir, link_to("/etc/passwd")):
        with replaced(folder / f"{model.sha256}{end}", make):
            for verified in (False, True):
                with pytest.raises(DeviceError, match="something else in the place of"):
                    deploy_with(remote, release, [model], verify=verified)
    assert deploy_with(remote, release, [model]).size >= model.size


def there(remote: Remote, place: Path) -> str:
    """The path on the device of `place`, which is one on this machine."""
    return f"{remote.project}/{place.relative_to(remote.outside(''))}"
