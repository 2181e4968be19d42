"""The error codes of the Python side are those of AEEStdErr.h.

BUILDTOOL_UPDATE_GOLDEN=1 writes them again.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from buildtool.idl.emit import emit
from buildtool.idl.emit.python._fastrpc import codes
from buildtool.idl.emit.python._fastrpc.codes import FastRpcError
from buildtool.idl.model import Constant
from buildtool.idl.parse import load

ROOT = Path(__file__).parents[3]
HEADER = ROOT / "host" / "include" / "fastrpc" / "AEEStdErr.h"
DEFINE = re.compile(
    r"^#define ([AE]\w+)[ ]+(?:\(AEE_EOFFSET \+ 0x([0-9A-F]+)\)|(\d+))(?: +/\*([^*]+)\*/)?$",
    re.MULTILINE,
)


def codes_of_the_header() -> dict[int, tuple[str, str]]:
    """Names and meanings by the code without the offset of the DSP's."""
    found: dict[int, list[tuple[str, str]]] = {0xFFFFFFFF: [("AEE_EUNKNOWN", "")]}
    text = re.sub(r"\s*\\\n\s*", " ", HEADER.read_text())
    for name, offset, plain, meaning in DEFINE.findall(text):
        code = int(offset, 16) if offset else int(plain)
        if code and not name.endswith(("_EOFFSET", "_OFFSET")):
            found.setdefault(code, []).append((name, " ".join(meaning.split())))
    return {code: joined(names) for code, names in sorted(found.items())}


def joined(names: list[tuple[str, str]]) -> tuple[str, str]:
    """Some codes have two meanings, and some two names."""
    meanings = dict.fromkeys(meaning for _, meaning in names if meaning)
    return " or ".join(name for name, _ in names), ", or ".join(meanings)


def table(codes_: dict[int, tuple[str, str]]) -> str:
    lines = []
    for code, (name, meaning) in codes_.items():
        line = f'    0x{code:03X}: ("{name}", "{meaning}"),\n'
        if len(line) > 101:
            line = f'    0x{code:03X}: (\n        "{name}",\n        "{meaning}",\n    ),\n'
        lines.append(line)
    return f"CODES = {{\n{''.join(lines)}}}\n"


def test_the_codes_are_those_of_the_header() -> None:
    expected, file = table(codes_of_the_header()), Path(codes.__file__)
    before, start, rest = file.read_text(encoding="utf-8").partition("CODES = {\n")
    written, end, after = rest.partition("\n}\n")
    if os.environ.get("BUILDTOOL_UPDATE_GOLDEN") == "1":
        file.write_text(before + expected + after, encoding="utf-8")
    assert start + written + end == expected


def test_every_code_of_the_header_is_there() -> None:
    text = HEADER.read_text()
    names = set(re.findall(r"#define (AEE_\w+|E_\w+)", text)) - {"AEE_SUCCESS", "AEE_EBADHANDLE"}
    names = {name for name in names if not name.endswith("OFFSET") or name == "AEE_EBADOFFSET"}
    known = {name for names_, _ in codes_of_the_header().values() for name in names_.split(" or ")}
    assert names == known


def test_errors_name_their_code() -> None:
    assert str(FastRpcError("f", -0x7FFFFBF2)) == "f: 0x8000040e AEE_EBADPARM: invalid parameter"
    assert str(FastRpcError("f", 0x0E)) == "f: 0x0000000e AEE_EBADPARM: invalid parameter"
    assert str(FastRpcError("f", -1)) == "f: 0xffffffff AEE_EUNKNOWN"
    assert str(FastRpcError("f", -104)) == "f: 0xffffff98 ECONNRESET"
    assert str(FastRpcError("f", 0x12345678)) == "f: 0x12345678"


def test_the_idl_file_has_the_names_and_values_of_the_header() -> None:
    unit = load(ROOT / "buildtool" / "idl" / "include" / "AEEStdErr.idl")
    values = {each.c_name: each.value for each in unit.declarations if isinstance(each, Constant)}

    text = re.sub(r"\s*\\\n\s*", " ", HEADER.read_text())
    expected = {
        name: int(offset, 16) if offset else int(plain)
        for name, offset, plain, _ in DEFINE.findall(text)
        if name.startswith("AEE_")
    }
    for name in ("AEE_EOFFSET", "DSP_AEE_EOFFSET"):
        expected.pop(name, None)
    assert values == {**expected, "AEE_EUNKNOWN": -1}


def test_an_interface_that_includes_the_codes(tmp_path: Path) -> None:
    (tmp_path / "v.idl").write_text(
        '#include "AEEStdDef.idl"\n#include "AEEStdErr.idl"\n#include "remote.idl"\n'
        "const long BAD = AEE_EBADPARM;\ninterface v : remote_handle64 { AEEResult f(in long x); };"
    )
    text = emit(load(tmp_path / "v.idl"))["v.h"]

    assert "#define BAD 14" in text
    assert '"AEEStdErr.h"' not in text
    assert "AEE_ENOSUCH" not in text
