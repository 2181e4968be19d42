"""Reads the TOML files of what is known, strictly, and makes knowledge.json of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from buildtool.core.fastrpc_codes import DSP_OFFSET, defined_codes
from buildtool.diagnose.knowledge import (
    CAUSE,
    CLASSES,
    DEVICES,
    FILE,
    SURE,
    UNKNOWN,
    read_qnn_codes,
)

FOLDER = FILE.with_suffix("")
REQUIRED = {"class": str, "meaning": str, "source": list, "sure": str}
OPTIONAL = {
    **dict.fromkeys(("codes", "patterns", "example", "causes", "unless", "checks"), list),
    "needs_code": bool,
    "errno": bool,
    "devices": list,
}
QNN = read_qnn_codes()
CAUSE_KEYS = {"cause", "check", "remedy"}
Conditions = dict[str, dict[str, Any]]


def read_folder(folder: Path = FOLDER) -> Conditions:
    """All conditions, as knowledge.json has them, with their examples.

    Raises `ValueError` with the file and the condition for anything that is not as it should be.
    """
    found: Conditions = {}
    for file in sorted(folder.glob("*.toml")):
        for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items():
            try:
                if name in found:
                    raise ValueError("there is another condition of this name")
                found[name] = _checked(name, table)
            except ValueError as error:
                raise ValueError(f"{file.name}: [{name}]: {error}") from error
    for name, row in found.items():
        if missing := {*row["unless"]} - found.keys():
            raise ValueError(f"[{name}]: unless: there is no condition {min(missing)!r}")
    return found


def _checked(name: str, table: dict[str, Any]) -> dict[str, Any]:
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", name):
        raise ValueError("a name is in kebab-case")
    keys = REQUIRED | OPTIONAL
    for key, value in table.items():
        if key not in keys:
            raise ValueError(f"unknown key {key!r}")
        if not isinstance(value, keys[key]):
            raise ValueError(f"{key!r} is a {keys[key].__name__}")
    if missing := REQUIRED.keys() - table.keys():
        raise ValueError(f"missing: {', '.join(sorted(missing))}")
    for key, values in (("class", CLASSES), ("sure", SURE)):
        if table[key] not in values:
            raise ValueError(f"{key!r} is one of: {', '.join(values)}")
    if unknown := {*table.get("devices", [])} - {*DEVICES}:
        raise ValueError(f"there is no kind of devices {min(unknown)!r}")
    patterns, codes = table.get("patterns", []), [_code(text) for text in table.get("codes", [])]
    for pattern in patterns:
        _check_pattern(pattern, codes)
    causes = table.get("causes", [])
    for cause in causes:
        if cause.keys() != CAUSE_KEYS or not all(cause.values()):
            raise ValueError(f"a cause has {', '.join(sorted(CAUSE_KEYS))}")
    if table["class"] in (CAUSE, UNKNOWN) and not causes:
        raise ValueError("it has no causes")
    if table.get("needs_code") and not codes:
        raise ValueError("needs_code without codes")
    if not table["source"] or not table["meaning"].endswith("."):
        raise ValueError("it has a source, and its meaning is a sentence")
    return {
        "class": table["class"],
        "meaning": table["meaning"],
        "codes": codes,
        "patterns": patterns,
        "causes": [[cause["cause"], cause["check"], cause["remedy"]] for cause in causes],
        "source": table["source"],
        "sure": table["sure"],
        "needs_code": table.get("needs_code", False),
        "unless": table.get("unless", []),
        "checks": table.get("checks", []),
        "errno": table.get("errno", False),
        "devices": table.get("devices", []),
        "example": table.get("example", []),
    }


def _check_pattern(pattern: str, codes: Iterable[Any]) -> None:
    texts = [text for text in re.split(r"[*%]|{code}", pattern) if text]
    if len("".join(texts)) < 8 or max(map(len, texts), default=0) < 3:
        raise ValueError(f"the pattern {pattern!r} has too little text")
    if set("{}") & set(pattern.replace("{code}", "")) or re.search(r"[*%][*%]", pattern):
        raise ValueError(f"the pattern {pattern!r} does not compile")
    if "{code}" in pattern and not codes:
        raise ValueError(f"the pattern {pattern!r} needs codes")


def _code(text: str) -> int:
    side, _, rest = text.partition(" ")
    if side == "qnn" and rest in QNN:
        return int(rest)
    values = [code for name, code, _ in defined_codes() if name == rest and code]
    if side not in ("dsp", "host") or len(values) != 1:
        raise ValueError(f"there is no code {text!r}")
    return values[0] + (DSP_OFFSET if side == "dsp" else 0)


def document(conditions: Conditions) -> Conditions:
    """The content of knowledge.json."""
    return {
        name: {key: value for key, value in row.items() if key != "example"}
        for name, row in conditions.items()
    }
