"""Generates the C of one IDL file: a header, and a stub and a skel for each interface."""

from __future__ import annotations

from buildtool.idl.emit.header import header
from buildtool.idl.emit.interface_files import skel, stub
from buildtool.idl.model import Unit


def emit(unit: Unit, *, trace: bool = False) -> dict[str, str]:
    """File names and texts: `<stem>.h`, and `<interface>_stub.c` and `_skel.c` for each interface.
    With `trace` skels record their methods, and stubs fetch what they recorded.

    Raises IdlError for what C or the wire format cannot express.
    """
    files = {f"{unit.stem}.h": header(unit)}
    for interface in unit.interfaces:
        files[f"{interface.c_name}_stub.c"] = stub(unit, interface, trace=trace)
        files[f"{interface.c_name}_skel.c"] = skel(unit, interface, trace=trace)
    return files
