"""A skel stops at instructions that QEMU takes for others, or ends at."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, build_skel, install
from .test_threads import case

TABLE = REPOSITORY / "emulator" / "shell" / "untranslated_forms.inc"
FORMS = re.findall(r'\{0x\w+u, (0x\w+)u, "(.*)"\}', TABLE.read_text(encoding="utf-8"))
PARSE_END = 0xC000


@pytest.fixture
def skel(toolbox: Toolbox, tmp_path: Path) -> Path:
    rows = [
        f"LIST({number}, 0x{int(bits, 16) | PARSE_END:08x})"
        for number, (bits, _) in enumerate(FORMS)
    ]
    (tmp_path / "forms.h").write_text("#define FORMS(LIST) \\\n" + " \\\n".join(rows) + "\n")
    return build_skel(toolbox, "stops", *QURT, f"-I{tmp_path}", f"-I{HERE / 'skel'}")


def test_the_table_is_what_its_script_writes(tmp_path: Path) -> None:
    script = REPOSITORY / "scripts" / "untranslated_forms.py"
    subprocess.run([sys.executable, script, tmp_path / "table"], check=True)
    assert (tmp_path / "table").read_bytes() == TABLE.read_bytes()


def stops_at(device: Device, numbers: list[int]) -> list[str]:
    """The instructions at which a process has stopped, one after the other."""
    turns = [f"open stops; case stops form {number}; close stops" for number in numbers]
    result = device.run("; ".join(turns))
    for number in numbers:
        assert result[f"case stops form {number}"].startswith("8000040d"), result.err
    return re.findall(r"died: (\S+): the emulated device does not execute", result.err)


def test_each_instruction(device: Device, skel: Path) -> None:
    """QEMU 7.2 and 10.0 take 24 of these for integer instructions, without a word."""
    assert len(FORMS) == 132
    install(device, skel, "stops")
    assert stops_at(device, [*range(len(FORMS))]) == [syntax for _, syntax in FORMS]


def test_data_between_functions_stays(device: Device, skel: Path) -> None:
    install(device, skel, "stops")
    code, _, log = case(device, "stops", "data")
    assert (code, log) == (0, "")


def test_without_section_headers(device: Device, skel: Path) -> None:
    content = bytearray(skel.read_bytes())
    content[0x20:0x24] = bytes(4)  # e_shoff
    content[0x30:0x34] = bytes(4)  # e_shnum, e_shstrndx
    skel.write_bytes(content)
    install(device, skel, "stops")
    assert stops_at(device, [0, 131]) == [FORMS[0][1], FORMS[131][1]]
    assert case(device, "stops", "data")[0] == 0


def test_stores_with_release_semantics(device: Device, toolbox: Toolbox) -> None:
    """QEMU 7.2 takes them for conditional stores."""
    install(device, build_skel(toolbox, "releases"), "releases")
    code, _, log = case(device, "releases", "stores")
    assert (code, log) == (0, "")
