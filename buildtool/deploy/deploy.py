"""`Ready` → `Deployed`: a release that is current on a device."""

from __future__ import annotations

from buildtool.core.value import Value
from buildtool.deploy.ready import Ready
from buildtool.deploy.site import make_current, verify


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

    def as_json(self) -> dict[str, object]:
        return {**self._asdict(), "repaired": list(self.repaired)}


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
        directory=f"{ready.site.project}/releases/{ready.deployment.id}",
        files=sent.files,
        size=sent.size,
        repaired=repaired,
    )
