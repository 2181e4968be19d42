"""The findings of checks of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.devices import DeviceFindingObject


class DeviceFinding(Value):
    """Something that was checked.

    `name` is that of the check; `remedy` is what to do, "" if everything is as it should be.
    """

    name: str
    what: str
    remedy: str = ""

    def as_json(self) -> DeviceFindingObject:
        ok = not self.remedy
        return {"ok": ok, "name": self.name, "what": self.what, "remedy": self.remedy}
