"""`requires` of a target: what a device has to be able to do, according to its capability card."""

from __future__ import annotations

import re

from buildtool.core.value import Value

CAPABILITIES = {
    "arch": "",
    "hvx-units": "",
    "hvx-integer": "",
    "hvx-float": "",
    "vtcm": "MiB",
    "hmx": "",
    "unsigned-pd": "",
    "zero-copy": "",
    "unmap": "",
    "map-size": "MiB",
    "dspqueue": "",
    "sessions": "",
    "latency": "us",
    "bandwidth": "MB/s",
    "clock": "MHz",
}
"""What `buildtool probe` finds out, and the unit of its number; "" for none."""
NUMBERS = frozenset({"arch", "hvx-units", *(name for name, unit in CAPABILITIES.items() if unit)})
_TEXT = re.compile(
    r"(?P<name>[a-z0-9-]+)"
    r"(?: *(?P<sign>>=|<=) *(?P<arch>v?)(?P<limit>\d{1,9}(?:\.\d{1,6})?) *(?P<unit>\S*))?",
    re.ASCII,
)


class Requirement(Value):
    """A capability, and with `sign` (">=" or "<=") the limit of its number."""

    name: str
    sign: str = ""
    limit: float = 0

    def met_by(self, value: float) -> bool:
        return {"": True, ">=": value >= self.limit, "<=": value <= self.limit}[self.sign]


def parse_requirement(text: str) -> Requirement:
    """The requirement in `text`, such as "hvx-float", "arch >= v73" or "vtcm >= 2 MiB".

    Raises `ValueError` with what is wrong.
    """
    found = _TEXT.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is neither NAME nor NAME >= NUMBER UNIT, or with <=")
    name, sign = found["name"], found["sign"] or ""
    if name not in CAPABILITIES:
        raise ValueError(f"there is no capability {name!r}: {', '.join(CAPABILITIES)}")
    if sign and name not in NUMBERS:
        raise ValueError(f"{name} has no number: a DSP has it, or has it not")
    if sign and (found["unit"] != CAPABILITIES[name] or (found["arch"] and name != "arch")):
        raise ValueError(f"{text!r}: the unit of {name} is {CAPABILITIES[name] or 'none'}")
    return Requirement(name, sign, float(found["limit"] or 0))
