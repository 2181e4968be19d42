"""A device of a test with a directory for one project, whatever the transport."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from buildtool.core.events import Event
from buildtool.core.value import Value
from buildtool.deploy.contents import Contents, Deployment, Site, deployment
from buildtool.deploy.ready import Ready
from buildtool.deploy.site import Deployed, deploy
from buildtool.device.device import Device
from buildtool.device.sharing import DeviceLock
from buildtool.project.model import Header, Project
from buildtool.release.slices import Release
from buildtool.run.on_device import run_on_device
from buildtool.run.program import RunRequest
from tests.remote.releases import NO_LINKS, NO_MODES, Files, contents_of, make_release
from tests.remote.streams import redirected


class PlacedRelease(Ready):
    """A release of which the tests say where it goes; the device is never asked."""

    def __init__(self, site: Site, release: Release, wanted: Deployment) -> None:
        self.site, self.release, self.deployment, self.soc = site, release, wanted, ""
        self._directory = site.project
        self._project = Project(site.known.parent, Header(name="p"), {}, {}, {})

    def renew(self) -> None:
        self.site.device.transport.connect()


class Ran(Value):
    """How a program ended, and what it wrote."""

    status: int
    stdout: bytes
    stderr: bytes


SHELL = "bin/shell"
SCRIPT = b'#!/bin/sh\nscript=$1\nshift\neval "$script"\n'


class Remote(Value):
    """The directory `project` of a project on a device.

    `mounts` are directories there that have another path on this machine.  `token` is part of the
    path of `project` only, `state` a directory for what buildtool remembers.  `program` is one that
    runs a script of the device's shell with arguments.
    """

    device: Device
    project: str
    token: str
    state: Path
    unpack: str = ""
    store: bool = False
    mounts: tuple[tuple[str, Path], ...] = ()
    program: bytes = SCRIPT

    def release(
        self,
        directory: Path,
        files: Files,
        links: Mapping[str, str] = NO_LINKS,
        modes: Mapping[str, int] = NO_MODES,
    ) -> Release:
        """A release in the new directory `directory`, with `run.sh` and `bin/shell`."""
        return make_release(directory, {SHELL: self.program, **files}, links, modes)

    def outside(self, path: str) -> Path:
        """The path on this machine of `path`, relative to the project."""
        there = f"{self.project}/{path}"
        for mount, here in self.mounts:
            if there.startswith(f"{mount}/"):
                return here / there[len(mount) + 1 :]
        return Path(there)

    def site(self, notes: list[Event] | None = None) -> Site:
        listener = (lambda _: None) if notes is None else notes.append
        known = self.state / "known.json"
        return Site(self.device, self.project, known, self.unpack, listener, self.store)

    def ready(self, release: Release, notes: list[Event] | None = None) -> Ready:
        return PlacedRelease(self.site(notes), release, deployment(release, ""))

    def deploy(self, release: Release, *, verify: bool = False) -> Deployed:
        return deploy(self.ready(release), verify_files=verify)

    def forget(self) -> None:
        """Forget what is on the device, as on another machine."""
        (self.state / "known.json").unlink(missing_ok=True)

    def run(
        self,
        release: Release,
        *command: str,
        stdin: bytes | int | None = None,
        lock: DeviceLock | None = None,
        **request: Any,
    ) -> Ran:
        """Run a program in this process, with streams of its own; see `redirected` for `stdin`."""
        ready = self.ready(release)
        with redirected(stdin) as streams:
            result = run_on_device(ready, RunRequest(command, **request), lock=lock)
        return Ran(result.status, streams.stdout, streams.stderr)

    def shell(self, release: Release, script: str, *arguments: str, **options: Any) -> Ran:
        """Run a script of the device's shell, in the directory of the release."""
        return self.run(release, SHELL, script, *arguments, **options)

    @property
    def current(self) -> dict[str, str]:
        """What is behind `current`."""
        return contents_of(self.outside("current"))

    @property
    def releases(self) -> set[str]:
        """The directories of releases."""
        return set(os.listdir(self.outside("releases")))  # noqa: PTH208 - names only

    def assert_current(self, release: Release) -> None:
        wanted = deployment(release, "")
        assert str(self.outside("current").readlink()) == f"releases/{wanted.id}"
        found = differences(self.current, wanted.contents)
        assert not found, found

    def assert_whole(self, *releases: Release) -> Deployment | None:
        """`current` is one of `releases`, whole, or absent; so is each release with a final
        name."""
        known = {found.id: found for found in (deployment(r, "") for r in releases)}
        directory = self.outside("releases")
        for name in self.releases if directory.exists() else ():
            if "." not in name:
                found = differences(contents_of(directory / name), known[name].contents)
                assert not found, found
        current = self.outside("current")
        if not current.is_symlink():
            return None
        return known[current.readlink().name]


def differences(have: Contents, wanted: Contents) -> dict[str, tuple[str, str]]:
    """The paths that differ: what they are, and what they should be."""
    states = ((path, have.get(path, ""), wanted.get(path, "")) for path in {**have, **wanted})
    return {path: (one, other) for path, one, other in states if one != other}


def processes_with(*texts: str) -> dict[int, str]:
    """The processes of this machine, those on devices included, that have one of `texts` in their
    command line, environment or working directory."""
    found = {}
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit() or int(directory.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            line = (directory / "cmdline").read_bytes()
            environment = b""
            with contextlib.suppress(OSError):
                environment = (directory / "environ").read_bytes()
            place = os.fsencode(os.readlink(directory / "cwd"))  # noqa: PTH115 - bytes
            if any(
                os.fsencode(text) in part for text in texts for part in (line, environment, place)
            ):
                found[int(directory.name)] = line.replace(b"\0", b" ").decode(errors="replace")
    return found
