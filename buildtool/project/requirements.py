"""What the project file demands: `requires` of a target, what a device has to be able to do
according to its capability card; `expect-dsp`, what programs have to ask of the DSP."""

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
_COUNT = re.compile(r"(?P<sign>>=|<=) *(?P<limit>\d{1,9})", re.ASCII)
MESSAGES = "messages"
"""The key of `expect-dsp` for messages in queues; other keys are names of methods."""


class Requirement(Value):
    """A capability or a count, and with `sign` (">=" or "<=") the limit of its number."""

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


def parse_count(name: str, text: object) -> Requirement:
    """The requirement `name = text` of `expect-dsp`, such as `messages = ">= 1"`.

    Raises `ValueError` with what is wrong.
    """
    if not re.fullmatch(r"[A-Za-z_]\w{0,199}", name, re.ASCII):
        raise ValueError(f"{name!r} is neither messages nor the C name of a method")
    found = _COUNT.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise ValueError(f"{name} = {text!r} is not a number of calls")
    return Requirement(name, found["sign"], int(found["limit"]))
