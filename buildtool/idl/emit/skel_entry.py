"""What a skel exports: its entry, the URI that leads to it, and the version it follows."""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.idl.emit.c_declarations import function_name, takes_handle
from buildtool.idl.emit.c_text import fill, function, if_any
from buildtool.idl.emit.constants import quoted
from buildtool.idl.emit.header import uri
from buildtool.idl.layout.method_layout import ESCAPE, WireMethod
from buildtool.idl.model import Interface, Unit

QAIC_VERSION = 10051
"""The version of qaic whose generated names and wire format are followed here."""

VISIBLE = '__attribute__((visibility("default")))'


def entry(unit: Unit, interface: Interface, wires: Sequence[WireMethod]) -> list[str]:
    """C source: the switch over the methods, and the values beside it."""
    name = invoke_name(interface)
    handle = ["remote_handle64 _h"] if interface.multi_domain else []
    parameters = [*handle, "uint32_t _sc", "remote_arg* _pra"]
    low = [_case(interface, wire) for wire in wires if wire.index < ESCAPE]
    high = [_case(interface, wire) for wire in wires if wire.index >= ESCAPE]
    parts = []
    if high:
        given = "_h, " if interface.multi_domain else ""
        low.append(f"case {ESCAPE}:\n    return _skel_escaped({given}_sc, _pra);")
        parts.append(_escaped(parameters, high))
    exports = [f"{VISIBLE} uint32_t {name}_qaic_version = {QAIC_VERSION};"]
    if interface.multi_domain:
        exports.append(f"{VISIBLE} char {name}_uri[] =\n    {quoted(uri(unit, interface))};")
    head = f"__QAIC_SKEL_EXPORT int __QAIC_SKEL({name})"
    signature = fill(head, parameters, " __QAIC_SKEL_ATTRIBUTE")
    body = ["(void)_h;"] if interface.multi_domain and len(wires) == 2 else []
    body += _switch("REMOTE_SCALARS_METHOD(_sc)", low)
    return [*parts, "\n".join(exports) + "\n", f"{signature};\n{function(signature, body)}"]


def invoke_name(interface: Interface) -> str:
    """The symbol that the DSP looks up."""
    kind = "skel_handle_invoke" if interface.multi_domain else "skel_invoke"
    return f"{interface.c_name}_{kind}"


def _escaped(parameters: list[str], cases: list[str]) -> str:
    short = "REMOTE_SCALARS_INBUFS(_sc) < 1"
    body = [
        "uint32_t _mid;",
        "",
        *if_any([short, "!_read(&_mid, &_pra[0], 4)"], ["return AEE_EBADPARM;"]),
        *_switch("_mid", cases),
    ]
    return (
        f"/* Method {ESCAPE} in the scalars: the number is the first word of primIn. */\n"
        + function(fill("static int _skel_escaped", parameters, ""), body)
    )


def _switch(value: str, cases: list[str]) -> list[str]:
    return [f"switch ({value}) {{", *cases, "}", "return AEE_EUNSUPPORTED;"]


def _case(interface: Interface, wire: WireMethod) -> str:
    called = function_name(interface, interface.methods[wire.index])
    given = "_h, " if takes_handle(interface, wire.index) else ""
    return f"case {wire.index}:\n    return _skel_{called}({given}_sc, _pra);"
