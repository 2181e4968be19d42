"""`Ready` → `Deployed`: a release that is current on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.deploy.ready import Ready
from buildtool.deploy.site import make_current, verify

if TYPE_CHECKING:
    from buildtool.documents.runs import DeployDocument


class Deployed(Value):
    """A release that is current on a device.

    `release` is the id of the release on this machine, `deployment` that of what the device has of
    it, in `directory`; `files` and `size` (bytes) are what was sent, `repaired` the files on the
    device that were damaged.
    """

    device: str
    target: str
    release: str
    deployment: str
    arch: str
    directory: str
    files: int
    size: int
    repaired: tuple[str, ...]

    def as_json(self) -> DeployDocument:
        return {
            "device": self.device,
            "target": self.target,
            "release": self.release,
            "deployment": self.deployment,
            "arch": self.arch,
            "directory": self.directory,
            "files": self.files,
            "size": self.size,
            "repaired": list(self.repaired),
        }


def deploy(ready: Ready, *, verify_files: bool = False) -> Deployed:
    """Make the release current.  Raises `DeviceError`."""
    repaired = verify(ready.site, ready.deployment) if verify_files else ()
    sent = make_current(ready.site, ready.deployment)
    return Deployed(
        device=ready.site.device.name,
        target=ready.release.target,
        release=ready.release.id,
        deployment=ready.deployment.id,
        arch=ready.deployment.arch,
        directory=ready.site.release(ready.deployment.id),
        files=sent.files,
        size=sent.size,
        repaired=repaired,
    )
