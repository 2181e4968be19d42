"""Places of labgrid as its coordinator describes them; everybody in the lab can write to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from buildtool.core.escape import escape_line
from buildtool.core.value import Value
from buildtool.device.errors import DeviceError
from buildtool.device.labgrid.place_holder import MARK

MAX_TEXT = 200
ADB_PORT = 5037
SERVICE = "NetworkService"
USB = ("NetworkAndroidUSBFastboot", "RemoteAndroidUSBFastboot")
"""What exporters make of an AndroidUSBFastboot, which is also a device with adb."""


class LabgridError(DeviceError):
    """The coordinator of a lab does not do what it is asked for."""

    code = "labgrid"


class Resources(Value):
    """The available resources of the place `name`: their class and parameters."""

    name: str
    found: tuple[tuple[str, Mapping[str, Any]], ...]

    def ssh_address(self) -> tuple[str, int]:
        """USER@HOST and port of the only network service, 0 for ssh's default."""
        service = self._only(SERVICE)
        extra = service.get("extra")
        if isinstance(extra, dict) and extra.get("proxy_required"):
            raise self._unusable(f"its exporter allows ssh only through {extra.get('proxy')!r}")
        return f"{service.get('username')}@{service.get('address')}", _port(service)

    def adb_address(self) -> tuple[str, str]:
        """Serial number and adb server of the only USB device, or else of the network service,
        for which the server is the user's: ""."""
        if any(kind in USB for kind, _ in self.found):
            device = self._only(*USB)
            return f"usb:{device.get('path')}", f"{device.get('host')}:{ADB_PORT}"
        service = self._only(SERVICE)
        return f"{service.get('address')}:{_port(service)}", ""

    def _only(self, *kinds: str) -> Mapping[str, Any]:
        found = [parameters for kind, parameters in self.found if kind in kinds]
        if len(found) == 1:
            return found[0]
        have = ", ".join(kind for kind, _ in self.found) or "none"
        raise self._unusable(f"it needs one {' or '.join(kinds)}; available there: {have}")

    def _unusable(self, why: str) -> LabgridError:
        return LabgridError(
            f"the place {self.name} of labgrid does not say how its device is reached",
            why=escape_line(why)[:MAX_TEXT],
            remedy=f"Look at it: labgrid-client -p {self.name} show. Or write in"
            " devices.toml how it is reached: address = …",
        )


def parse_resources(name: str, rows: Any) -> Resources:
    """The resources in what `place_holder` says."""
    known = [(str(kind), value) for kind, value in rows if isinstance(value, dict)]
    return Resources(name, tuple(known))


def person(holder: str) -> str:
    """HOST/USER, who has acquired a place, for people."""
    host, _, user = holder.rpartition("/")
    host, mark, _ = host.partition(MARK)
    return escape_line(f"{user}@{host}")[:MAX_TEXT] + " with buildtool" * bool(mark)


def _port(service: Mapping[str, Any]) -> int:
    port = service.get("port")
    return port if isinstance(port, int) else 0
