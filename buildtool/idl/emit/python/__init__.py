"""Generates the Python module of one IDL file, and the package that such modules share.

The module calls the functions of the stubs in a host library.
"""

from __future__ import annotations

from pathlib import Path

from buildtool.idl.emit.python.module import interface_names, module
from buildtool.idl.emit.python.type_text import module_name
from buildtool.idl.model import Unit

__all__ = ["emit_python", "interface_names", "module_name", "support_package"]
SUPPORT = "_fastrpc"


def emit_python(unit: Unit) -> dict[str, str]:
    """File names and texts: `<stem>.py`, and the files of the package `_fastrpc`.

    Raises IdlError for what C or the wire format cannot express.
    """
    return {f"{module_name(unit.stem)}.py": module(unit), **support_package()}


def support_package() -> dict[str, str]:
    """File names and texts of the package that all modules use."""
    folder = Path(__file__).parent / SUPPORT
    return {
        f"{SUPPORT}/{path.name}": path.read_text(encoding="utf-8")
        for path in sorted(folder.glob("*.py"))
    }
