"""What is known of failures: conditions, with the codes and lines of logs that show them.

The folder `knowledge` has them as TOML, one table a condition.  What is read here is
knowledge.json, which is made of it: to parse the TOML would take several times as long as
everything else that `buildtool explain CODE` does.  A test keeps both the same.

Error codes in any spelling, and what they are called.
"""

from __future__ import annotations

import errno
import json
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool.core.fastrpc_codes import DSP_OFFSET, read_codes
from buildtool.core.value import Value

if TYPE_CHECKING:
    from buildtool.documents.explanations import CodeObject, ConditionObject

FILE = Path(__file__).with_name("knowledge.json")
CAUSE, CONSEQUENCE, BENIGN, UNKNOWN = "cause", "consequence", "benign", "unknown"
"""Classes of conditions: a cause; what follows from one; what has nothing to do with a failure; a
symptom that has several causes."""
CLASSES = (CAUSE, CONSEQUENCE, BENIGN, UNKNOWN)
ANY_ERROR = "error-on-sim"
"""The condition of errors of the emulated device that no other condition has."""
SIM, BOARD, PHONE, WINDOWS = "sim", "board", "phone", "windows"
DEVICES = (SIM, BOARD, PHONE, WINDOWS)
"""Kinds of devices that have conditions of their own."""
SURE = ("code", "maintainer", "user")
"""Where a condition is from: read in code, said by a maintainer, reported by a user."""
DSP, HOST, QNN, KERNEL, NOWHERE = "dsp", "host", "qnn", "kernel", ""
PLAIN_CODES = 0x400
"""Codes without the offset are below this number."""


class Cause(Value):
    """One cause of a condition, the check that tells it from the others, and what to do."""

    cause: str
    check: str
    remedy: str


class Condition(Value):
    """A condition; `patterns` are those of lines of logs (see `line_patterns`).

    With `needs_code` its lines count only in a log that has one of its codes; they do not count in
    one that shows a condition of `unless`.  `checks` are the checks of a device or a release that
    fail when the condition holds.  With `errno` a small number in its lines is an errno of the
    system, not a code of FastRPC.  `devices` are the kinds of devices that can have it; () if all
    can.
    """

    name: str
    kind: str
    meaning: str
    codes: tuple[int, ...]
    patterns: tuple[str, ...]
    causes: tuple[Cause, ...]
    source: tuple[str, ...]
    sure: str
    needs_code: bool = False
    unless: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    errno: bool = False
    devices: tuple[str, ...] = ()

    def as_json(self) -> ConditionObject:
        """The condition as an object of the document of `explain`."""
        return {
            "name": self.name,
            "class": self.kind,
            "meaning": self.meaning,
            "codes": [f"0x{code:x}" for code in self.codes],
            "causes": [cause._asdict() for cause in self.causes],  # type: ignore[misc]
            "source": list(self.source),
            "sure": self.sure,
            "devices": list(self.devices),
        }


class Knowledge(Value):
    """All conditions and codes: `content` has the tables "codes" and "conditions"."""

    content: dict[str, Any]

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        """The conditions by name, in the order of their files."""
        return {name: self.condition(name) for name in self.content["conditions"]}

    def condition(self, name: str) -> Condition:
        """The condition of that name; raises `KeyError`."""
        row = self.content["conditions"][name]
        return Condition(
            name,
            row["class"],
            row["meaning"],
            tuple(row["codes"]),
            tuple(row["patterns"]),
            tuple(Cause(*cause) for cause in row["causes"]),
            tuple(row["source"]),
            row["sure"],
            row["needs_code"],
            tuple(row["unless"]),
            tuple(row["checks"]),
            row["errno"],
            tuple(row["devices"]),
        )

    def with_code(self, code: int) -> tuple[Condition, ...]:
        """The conditions that list `code`: those first that all devices can have, then those from
        the surest source, then those that list it first."""
        rows = self.content["conditions"]
        found = [self.condition(name) for name, row in rows.items() if code in row["codes"]]
        return tuple(
            sorted(
                found,
                key=lambda c: (bool(c.devices), SURE.index(c.sure), c.codes.index(code) > 0),
            )
        )


def read_knowledge() -> Knowledge:
    """The knowledge of this version of buildtool."""
    known = {str(code): [names.split(" or "), text] for code, (names, text) in read_codes().items()}
    known |= {code: [[name], meaning] for code, (name, meaning) in read_qnn_codes().items()}
    return Knowledge({"codes": known, "conditions": json.loads(FILE.read_bytes())})


def read_qnn_codes() -> dict[str, tuple[str, str]]:
    """Name and meaning of each number of QNN."""
    lines = FILE.with_suffix("").joinpath("qnn_codes.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line[0] != "#"]
    return {code: (name, meaning) for code, name, meaning in rows}


class Code(Value):
    """A code: its value without sign, from which side it is, and its names.  Without a name it is
    not known."""

    value: int
    side: str
    names: tuple[str, ...]
    meaning: str

    @property
    def text(self) -> str:
        """Its hexadecimal and its decimal form."""
        signed = self.value - 2**32 if self.value >= 2**31 else self.value
        return f"0x{self.value:x} ({signed})"

    def as_json(self) -> CodeObject:
        """The code as an object of the document of `explain`."""
        return {
            "hex": f"0x{self.value:x}",
            "decimal": str(self.value - 2**32 if self.value >= 2**31 else self.value),
            "side": self.side,
            "names": list(self.names),
            "meaning": self.meaning,
        }


def parse_code(text: str, content: dict[str, Any]) -> tuple[Code, ...]:
    """The codes that `text` spells, () if it is none; `content` is that of `Knowledge`.

    Accepts hexadecimal and decimal numbers, with sign or without, and names with or without AEE_,
    which are codes of both sides.
    """
    word = text.strip().lower()
    if _is_hex(word):
        return (find_code(int(word, 16), content),)
    if word.removeprefix("-").isdecimal():
        value = int(word[:12])
        return (find_code(value % 2**32, content),) if -(2**31) <= value < 2**32 else ()
    name = word.upper().removeprefix("DSP_")
    found = [
        int(value)
        for value, (names, _) in content["codes"].items()
        if name in names or f"AEE_{name}" in names
    ]
    if found and int(found[0]) < PLAIN_CODES:
        return tuple(find_code(base + found[0], content) for base in (DSP_OFFSET, 0))
    return tuple(find_code(value, content) for value in found)


def _is_hex(word: str) -> bool:
    """Whether `word` is a hexadecimal number; without 0x it must not look like a decimal one, or
    like a word."""
    digits = word.removeprefix("0x")
    if not digits or len(digits) > 8 or not set(digits) <= set("0123456789abcdef"):
        return False
    if word != digits:
        return True
    if len(digits) == 8:
        return digits[0] in "8f"
    return digits[0].isdecimal() and not digits.isdecimal()


def find_code(value: int, content: dict[str, Any]) -> Code:
    """The code with this value."""
    if PLAIN_CODES < value < 2 * PLAIN_CODES and str(value) not in content["codes"]:
        value += DSP_OFFSET - PLAIN_CODES  # written without its highest bit
    side = DSP if DSP_OFFSET < value < DSP_OFFSET + PLAIN_CODES else HOST
    row = content["codes"].get(str(value - DSP_OFFSET if side == DSP else value))
    if row is None:
        # The kernel's errors are negative.
        name = errno.errorcode.get(2**32 - value, "")
        if name:
            return Code(value, KERNEL, (name,), os.strerror(2**32 - value))
        return Code(value, NOWHERE, (), "")
    names, meaning = row
    if names and names[0].startswith("QNN"):
        side = QNN
    return Code(value, side, tuple(names), meaning)
