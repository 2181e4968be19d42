"""What a check of a device finds."""

from __future__ import annotations

from typing import Any

from buildtool.core.value import Value


class DeviceFinding(Value):
    """Something that was checked.

    `name` is that of the check; `remedy` is what to do, "" if everything is as it should be.
    """

    name: str
    what: str
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"ok": not self.remedy, **self._asdict()}
