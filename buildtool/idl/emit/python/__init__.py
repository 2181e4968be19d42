"""Generates the Python module of one IDL file, and the package that such modules share.

The module calls the functions of the stubs in a host library.
"""

from __future__ import annotations

from pathlib import Path

from buildtool.core.fastrpc_codes import DSP_OFFSET, read_codes
from buildtool.idl.emit.python.module import WIDTH, interface_names, module
from buildtool.idl.emit.python.type_text import module_name
from buildtool.idl.model import Unit

__all__ = ["emit_python", "interface_names", "module_name", "support_package"]
SUPPORT = "_fastrpc"
_READ_CODES = """\
from buildtool.core.fastrpc_codes import DSP_OFFSET, read_codes

CODES = read_codes()
"""


def emit_python(unit: Unit) -> dict[str, str]:
    """File names and texts: `<stem>.py`, and the files of the package `_fastrpc`.

    Raises IdlError for what C or the wire format cannot express.
    """
    return {f"{module_name(unit.stem)}.py": module(unit), **support_package()}


def support_package() -> dict[str, str]:
    """File names and texts of the package that all modules use.

    It needs nothing of buildtool: the codes that are read here are written into it.
    """
    codes = f"CODES = {{\n{_code_rows()}}}\n\nDSP_OFFSET = 0x{DSP_OFFSET:x}\n"
    folder = Path(__file__).parent / SUPPORT
    return {
        f"{SUPPORT}/{path.name}": path.read_text(encoding="utf-8").replace(_READ_CODES, codes)
        for path in sorted(folder.glob("*.py"))
    }


def _code_rows() -> str:
    rows = []
    for code, (name, meaning) in read_codes().items():
        row = f'    0x{code:03X}: ("{name}", "{meaning}"),\n'
        if len(row) > WIDTH + 1:
            row = f'    0x{code:03X}: (\n        "{name}",\n        "{meaning}",\n    ),\n'
        rows.append(row)
    return "".join(rows)
