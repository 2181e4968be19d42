"""The functions of a skel, one a method: which kind each is, and what both kinds have.

A method whose parameters have one level finds its arguments by index
(`skel_flat`).  One that contains sequences inside structs or sequences walks over
the records and takes buffers as it meets them (`skel_nested`).
"""

from __future__ import annotations

from buildtool.idl.emit.c_declarations import function_name, takes_handle
from buildtool.idl.emit.c_text import function
from buildtool.idl.emit.skel_flat import flat_body
from buildtool.idl.emit.skel_nested import nested_body
from buildtool.idl.layout.method_layout import WireMethod
from buildtool.idl.layout.types import is_nested
from buildtool.idl.model import Interface


def method_function(interface: Interface, wire: WireMethod, *, versioned: bool) -> str:
    """The C function of the method that `wire` lays out; a `versioned` one is an open."""
    method = interface.methods[wire.index]
    if any(is_nested(parameter.type) for parameter in method.parameters):
        body = nested_body(interface, wire)
    else:
        body = flat_body(interface, wire, versioned=versioned)
    handle = "remote_handle64 _h, " if takes_handle(interface, wire.index) else ""
    name = function_name(interface, method)
    return function(f"static int _skel_{name}({handle}uint32_t _sc, remote_arg* _pra)", body)
