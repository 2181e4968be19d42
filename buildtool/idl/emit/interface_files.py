"""The C files of an interface: a stub, which turns a C call into a FastRPC invocation, and a skel.

A skel unpacks an invocation, checks it, and calls the implementation.  Nothing that arrives is
trusted: counts must be exact, buffers large enough, lengths within their buffers, texts terminated;
otherwise the answer is AEE_EBADPARM.

Both carry the C functions that they use, so that they need no runtime library.  `support.c` holds
them, with `support_calls.c` for calls whose number of buffers depends on their values, and
`support_trace.c` for skels that record their methods; each after those that it uses, separated by
empty lines.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path

from buildtool.core.files import filled
from buildtool.idl.emit.c_text import (
    fill,
    function,
    function_name,
    function_parameters,
    if_any,
    method_records,
    public_signature,
    quoted,
    size_checks,
    takes_handle,
    uses_dma,
)
from buildtool.idl.emit.composites import SkelComposites
from buildtool.idl.emit.header import uri
from buildtool.idl.emit.skel_methods import REFUSED, skel_function
from buildtool.idl.emit.stub_methods import StubComposites, stub_function
from buildtool.idl.method_layout import ESCAPE, WireMethod, wire_methods
from buildtool.idl.model import Interface, Unit

_PARTS = Path(__file__).parent / "parts"
"""Parts of the files that are the same for all interfaces but for some names."""


def stub(unit: Unit, interface: Interface, *, trace: bool = False) -> str:
    """The text of `<interface>_stub.c`.  Raises IdlError for what the wire cannot express."""
    first = 2 if interface.multi_domain else 0
    methods = interface.methods[first:]
    wires = wire_methods(interface)[first:]
    parameters = [parameter for method in methods for parameter in method.parameters]
    trace = trace and interface.multi_domain
    body = [
        *StubComposites().functions(parameters),
        *(method_records(interface, wire, received=False) for wire in wires),
        *(
            _open_and_close(interface, trace=trace)
            if first
            else [filled(_PARTS / "handle.c.in", INTERFACE=interface.c_name)]
        ),
        *(stub_function(interface, wire) for wire in wires),
    ]
    parts = [
        f"/* {interface.c_name}_stub.c: the calling side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n' + ('#include "bt_trace_skel.h"\n' if trace else ""),
        filled(_PARTS / "async.c.in") if any(method.is_async for method in methods) else "",
        note(unit.digest),
        support("\n".join(body), "STUB"),
        size_checks(parameters),
        *body,
    ]
    return "\n".join(part for part in parts if part)


def _open_and_close(interface: Interface, *, trace: bool) -> list[str]:
    functions = []
    for index, name in enumerate(("open", "close")):
        method = interface.methods[index]
        variables = function_parameters(interface, method, index)
        names = [variable.name for variable in variables]
        body = [f"return __QAIC_REMOTE(remote_handle64_{name})({', '.join(names)});"]
        if trace and name == "open":
            call = body[0].removeprefix("return ")
            started = ["if (_code == 0) {", f"    bt_trace_start(*{names[1]});", "}"]
            body = [f"const int _code = {call}", *started, "return _code;"]
        elif trace:
            body.insert(0, f"bt_trace_fetch({names[0]}, {interface.c_name}_URI);")
        functions.append(
            function(
                public_signature("STUB", method, function_name(interface, method), variables), body
            )
        )
    return functions


QAIC_VERSION = 10051
"""The version of qaic whose generated names and wire format are followed here."""
VISIBLE = '__attribute__((visibility("default")))'


def skel(unit: Unit, interface: Interface, *, trace: bool = False) -> str:
    """The text of `<interface>_skel.c`.  Raises IdlError for what the wire cannot express."""
    wires = wire_methods(interface)
    trace = trace and interface.multi_domain
    version = unit.idl_version if interface.multi_domain else None
    parameters = [p for method in interface.methods for p in method.parameters]
    body = [
        *SkelComposites().functions(parameters),
        *(method_records(interface, wire, received=True) for wire in wires),
        _version_check(version) if version else "",
        *(
            skel_function(interface, wire, versioned=bool(version and wire.index == 0))
            for wire in wires
        ),
        *_entry(unit, interface, wires, trace=trace),
    ]
    parts = [
        f"/* {interface.c_name}_skel.c: the called side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n',
        filled(_PARTS / "trace.c.in") if trace else "",
        filled(_PARTS / "dma.c.in") if uses_dma(p.type for p in parameters) else "",
        note(unit.digest),
        support("\n".join(body), "SKEL"),
        size_checks(parameters),
        *body,
    ]
    return "\n".join(part for part in parts if part)


def _entry(
    unit: Unit, interface: Interface, wires: Sequence[WireMethod], *, trace: bool
) -> list[str]:
    """The exports of the skel: its entry, the URI that leads to it, and the version it follows."""
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
    if trace:
        parts.append(function(fill("static int _skel_untraced", parameters, ""), body))
        body = filled(_PARTS / "traced.c.in").splitlines()
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
        *if_any([short, "!_read(&_mid, &_pra[0], 4)"], REFUSED),
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


def _version_check(version: str) -> str:
    """The function `_stub_is_newer(uri)`; `version` is the skel's own, like "1.2.3"."""
    parts = [int(part) for part in version.split(".")]
    own = ", ".join(str(part) for part in ([*parts, 0, 0, 0])[:3])
    return filled(_PARTS / "stub_is_newer.c.in", VERSION=version, OWN=own)


_SOURCES = ("support.c", "support_calls.c", "support_trace.c")
_ONE_SIDE = re.compile(r"#ifdef (\w+)\n(.*)#endif\n", re.DOTALL)
_DEFINED_NAME = re.compile(r"^} (\w+);$|^static inline [^(]*?(\w+)\(", re.MULTILINE)


def support(body: str, side: str) -> str:
    """The functions that `body` uses, and those that they use, for the side STUB or SKEL."""
    functions = _functions(side)
    used: set[str] = set()
    text = body
    while added := functions.keys() & set(re.findall(r"\w+", text)) - used:
        used |= added
        text = "".join(functions[name] for name in added)
    return "\n".join(source for name, source in functions.items() if name in used)


@functools.cache
def _functions(side: str) -> dict[str, str]:
    """The functions and types of the sources by name, in their order."""
    texts = ((Path(__file__).parent / name).read_text(encoding="utf-8") for name in _SOURCES)
    found: dict[str, str] = {}
    for source in "\n".join(texts).strip().split("\n\n"):
        definition = f"{source}\n"
        if one_side := _ONE_SIDE.fullmatch(definition):
            if one_side[1] != side:
                continue
            definition = one_side[2]
        name = _DEFINED_NAME.search(definition)
        assert name, definition
        found[name[1] or name[2]] = definition
    return found


SECTION = ".note.buildtool.idl"
OWNER = "buildtool"
NOTE_TYPE = 1


def note(digest: str) -> str:
    """C source of the note.  `digest` is 64 hex digits; ValueError for anything else."""
    octets = bytes.fromhex(digest)
    if len(octets) != 32:
        raise ValueError(f"not a sha256 digest: {digest!r}")
    lines = ["".join(f"0x{octet:02x}, " for octet in octets[at : at + 8]) for at in (0, 8, 16, 24)]
    return filled(
        _PARTS / "note.c.in",
        SHORT=digest[:16],
        SECTION=SECTION,
        OWNER_SIZE=len(OWNER) + 1,
        DIGEST_SIZE=len(octets),
        TYPE=NOTE_TYPE,
        OWNER=OWNER,
        ROWS="\n        ".join(line.rstrip() for line in lines),
    )
