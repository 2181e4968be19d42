"""Large files of a project, and what of them is on a device."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.events import Event
from buildtool.deploy.contents import FOLDER, DataFile, deployment
from buildtool.deploy.site import Deployed, deploy
from buildtool.release.slices import Release
from tests.remote.releases import digest_of
from tests.remote.remote import PlacedRelease, Remote


def data_file(source: Path, size: int, seed: int = 1) -> DataFile:
    """The new file `source` of random bytes, as data of the project."""
    source.parent.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    with source.open("wb") as stream:
        for start in range(0, size, 1 << 20):
            stream.write(chance.randbytes(min(1 << 20, size - start)))
    return DataFile(f"data/model/{source.name}", source, digest_of(source), size)


def deploy_with(
    remote: Remote,
    release: Release,
    data: Sequence[DataFile],
    *,
    verify: bool = False,
    notes: list[Event] | None = None,
) -> Deployed:
    """Deploy `release` with links to `data`."""
    wanted = deployment(release, "", tuple(data))
    return deploy(PlacedRelease(remote.site(notes), release, wanted), verify_files=verify)


def on_device(remote: Remote) -> dict[str, Path]:
    """The large files on the device: names, and their paths on this machine."""
    folder = data_folder(remote)
    return {file.name: file for file in sorted(folder.iterdir())} if folder.exists() else {}


def data_folder(remote: Remote) -> Path:
    """The directory of large files on the device, on this machine."""
    return remote.outside("current").parent.parent / FOLDER
