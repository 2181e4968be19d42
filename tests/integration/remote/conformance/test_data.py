"""Large files are sent once, verified, repaired and shared, on every kind of device."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.core.events import Event, StepFinished, StepOutput, StepStarted
from buildtool.deploy.contents import deployment
from buildtool.deploy.data import CHUNK
from buildtool.device.errors import DeviceError
from buildtool.release.slices import Release
from tests.integration.remote.conformance.conftest import (
    ANDROID,
    BUSYBOX,
    EMULATED,
    NOISY,
    SHELLS,
    TOOLS,
    TOYBOX,
    short_on,
)
from tests.remote.data import data_file, data_folder, deploy_with, on_device
from tests.remote.releases import digest_of
from tests.remote.remote import Remote

SIZE = CHUNK + CHUNK // 4  # of two chunks
DAY = 24 * 3600


@pytest.fixture
def release(remote: Remote, tmp_path: Path) -> Release:
    return remote.release(tmp_path / "release", {"lib/a": b"a"})


@short_on(TOYBOX, ANDROID)
def test_it_is_sent_once_and_linked(remote: Remote, release: Release, tmp_path: Path) -> None:
    model = data_file(tmp_path / "a model.gguf", 3_000_000)
    same = model._replace(path="data/other/the same")
    notes: list[Event] = []

    first = deploy_with(remote, release, [model, same], notes=notes)

    assert first.size > model.size
    assert first.size < 2 * model.size
    events = [e for e in notes if isinstance(e, StepStarted | StepFinished | StepOutput)]
    assert isinstance(events[0], StepStarted)
    assert isinstance(events[-1], StepFinished)
    assert (events[0].name, events[-1].outcome) == (model.path, "sent")
    assert on_device(remote).keys() >= {model.sha256}
    link = remote.outside("current") / model.path
    assert digest_of(link) == model.sha256
    again = deploy_with(remote, release, [model, same])
    assert (again.files, again.size) == (0, 0)
    # Another release takes it over.
    changed = remote.release(tmp_path / "changed", {"lib/a": b"b"})
    later = deploy_with(remote, changed, [model, same])
    assert later.size < 1000
    # Without data, the release is another one.
    assert deploy_with(remote, changed, []).deployment != later.deployment


@SHELLS
def test_another_project_shares_it(remote: Remote, release: Release, tmp_path: Path) -> None:
    model = data_file(tmp_path / "model", 2_000_000)
    deploy_with(remote, release, [model])
    other = remote._replace(
        project=f"{remote.project}-other", state=remote.state.with_name("other state")
    )
    sent = deploy_with(other, release, [model._replace(path="data/mine/m")])
    assert sent.size < model.size / 2
    assert digest_of(other.outside("current/data/mine/m")) == model.sha256


@short_on(BUSYBOX)
def test_a_flipped_byte_is_found_and_its_chunk_is_sent(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    model = data_file(tmp_path / "model", SIZE, seed=secrets.randbits(32))
    deploy_with(remote, release, [model])
    there = on_device(remote)[model.sha256]
    with there.open("r+b") as stream:
        stream.seek(SIZE - 100)
        (byte,) = stream.read(1)
        stream.seek(SIZE - 100)
        stream.write(bytes([byte ^ 1]))

    assert deploy_with(remote, release, [model]).repaired == ()  # nothing is read
    verified = deploy_with(remote, release, [model], verify=True)

    assert verified.repaired == (model.path,)
    assert digest_of(on_device(remote)[model.sha256]) == model.sha256
    assert deploy_with(remote, release, [model], verify=True).repaired == ()


@TOOLS
def test_a_file_that_is_gone_is_sent_again_by_verify(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    model = data_file(tmp_path / "model", 1000)
    deploy_with(remote, release, [model])
    on_device(remote)[model.sha256].unlink()
    assert deploy_with(remote, release, [model], verify=True).repaired == (model.path,)
    assert digest_of(remote.outside(f"current/{model.path}")) == model.sha256


@TOOLS
def test_an_empty_file(remote: Remote, release: Release, tmp_path: Path) -> None:
    model = data_file(tmp_path / "empty", 0)
    deploy_with(remote, release, [model])
    assert remote.outside(f"current/{model.path}").read_bytes() == b""


@TOOLS
def test_a_part_that_is_damaged_or_too_long_is_repaired(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    models = [data_file(tmp_path / f"model {i}", 300_000, seed=i) for i in range(2)]
    deploy_with(remote, release, [])
    folder = data_folder(remote)
    folder.mkdir(exist_ok=True)
    owner = remote.outside("current").lstat()
    parts = [folder / f"{model.sha256}.partial" for model in models]
    parts[0].write_bytes(b"damaged" + models[0].source.read_bytes()[7:100_000])
    parts[1].write_bytes(models[1].source.read_bytes() + b"more")
    for part in (folder, *parts):
        os.chown(part, owner.st_uid, owner.st_gid)
    deploy_with(remote, release, models)
    for model in models:
        assert digest_of(remote.outside(f"current/{model.path}")) == model.sha256
    assert not any(part.exists() for part in parts)


@short_on(BUSYBOX, TOYBOX)
def test_what_no_release_uses_is_removed_after_a_day(remote: Remote, tmp_path: Path) -> None:
    old, kept = (data_file(tmp_path / name, 1000, seed=i) for i, name in enumerate("ok"))
    releases = [
        remote.release(tmp_path / f"release {number}", {"lib/a": bytes([number])})
        for number in range(remote.device.keep + 2)
    ]
    deploy_with(remote, releases[0], [old, kept])
    age(remote, old.sha256)
    for release in releases[1:]:
        deploy_with(remote, release, [kept])
        time.sleep(0.02)
    assert old.sha256 not in on_device(remote)
    assert kept.sha256 in on_device(remote)


@SHELLS
def test_what_another_project_uses_stays(remote: Remote, tmp_path: Path) -> None:
    model = data_file(tmp_path / "theirs", 1000, seed=5)
    releases = [
        remote.release(tmp_path / f"release {number}", {"lib/a": bytes([number])})
        for number in range(remote.device.keep + 2)
    ]
    other = remote._replace(
        project=f"{remote.project}-other", state=remote.state.with_name("other state")
    )
    deploy_with(other, releases[0], [model])
    age(remote, model.sha256)
    for release in releases:
        deploy_with(remote, release, [])
    assert model.sha256 in on_device(remote)


def age(remote: Remote, digest: str) -> None:
    """Let a large file be two days old."""
    file = on_device(remote)[digest]
    os.utime(file, (time.time() - 2 * DAY,) * 2)


@short_on(NOISY)
def test_a_file_that_changes_while_it_is_sent_is_an_error(
    remote: Remote, release: Release, tmp_path: Path
) -> None:
    model = data_file(tmp_path / "model", 1000, seed=9)
    model.source.write_bytes(bytes(1000))
    with pytest.raises(BuildtoolError, match="has changed while it was sent"):
        deploy_with(remote, release, [model])
    assert model.sha256 not in on_device(remote)


@short_on(EMULATED)
def test_a_file_of_the_release_in_its_place_is_an_error(remote: Remote, tmp_path: Path) -> None:
    model = data_file(tmp_path / "model", 10)
    for path in ("data", "data/model/model"):
        release = remote.release(tmp_path / path.replace("/", "-"), {path: b"file"})
        with pytest.raises(DeviceError, match=f"the release has the file {path} where data"):
            deployment(release, "", (model,))
