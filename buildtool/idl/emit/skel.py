"""The skel of an interface: unpacks an invocation, checks it, and calls the implementation.

Nothing that arrives is trusted: counts must be exact, buffers large enough, lengths within their
buffers, texts terminated; otherwise the answer is AEE_EBADPARM.
"""

from __future__ import annotations

from collections.abc import Sequence

from buildtool.idl.emit.c_declarations import function_name, takes_handle, uses_dma
from buildtool.idl.emit.c_text import fill, function, if_any, quoted
from buildtool.idl.emit.composites import SkelComposites
from buildtool.idl.emit.header import uri
from buildtool.idl.emit.records import method_records, size_checks
from buildtool.idl.emit.skel_methods import REFUSED, method_function
from buildtool.idl.emit.support import note, support
from buildtool.idl.layout.method_layout import ESCAPE, WireMethod, wire_methods
from buildtool.idl.model import Interface, Unit

QAIC_VERSION = 10051
"""The version of qaic whose generated names and wire format are followed here."""
VISIBLE = '__attribute__((visibility("default")))'
DMA = """\
/* The DSP's own look-up of a shared buffer's size; not 0 when it is not mapped. */
extern int adsp_mmap_fd_getinfo(int fd, uint32_t* size);
"""
TRACE = """\
#include "HAP_perf.h"

#define _TRACED 8192u
__attribute__((weak)) unsigned int qurt_thread_get_id(void);
"""
TRACED = """\
const uint32_t _method = _trace_method(_sc, _pra);
uint64_t _start;
int _code;

if (_method == 0x52545442u) {
    return _trace_answer(_sc, _pra);
}
_start = _trace_start();
_code = _skel_untraced(_h, _sc, _pra);
_trace_end(_start, _method, _code);
return _code;
"""


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
            method_function(interface, wire, versioned=bool(version and wire.index == 0))
            for wire in wires
        ),
        *_entry(unit, interface, wires, trace=trace),
    ]
    parts = [
        f"/* {interface.c_name}_skel.c: the called side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n',
        TRACE if trace else "",
        DMA if uses_dma(p.type for p in parameters) else "",
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
        body = TRACED.splitlines()
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
    return f"""\
/* Whether the URI's _idlver is above {version}, malformed or not there at all. */
static int _stub_is_newer(const char* uri)
{{
    static const unsigned own[3] = {{{own}}};
    unsigned theirs[3] = {{0, 0, 0}};
    int part = 0;
    const char* at = strstr(uri, "_idlver=");

    if (at == NULL) {{
        return 1;
    }}
    for (at += strlen("_idlver="); *at != '\\0' && *at != '&'; at++) {{
        if (*at == '.' && part < 2) {{
            part++;
        }} else if (*at >= '0' && *at <= '9' && theirs[part] < 100) {{
            theirs[part] = theirs[part] * 10u + (unsigned)(*at - '0');
        }} else {{
            return 1;
        }}
    }}
    for (part = 0; part < 3; part++) {{
        if (theirs[part] != own[part]) {{
            return theirs[part] > own[part];
        }}
    }}
    return 0;
}}
"""
