"""The stub of an interface: functions that turn a C call into a FastRPC invocation."""

from __future__ import annotations

from buildtool.idl.emit.c_declarations import function_name, function_parameters, public_signature
from buildtool.idl.emit.c_text import function
from buildtool.idl.emit.records import method_records, size_checks
from buildtool.idl.emit.stub_methods import StubComposites, method_function
from buildtool.idl.emit.support import note, support
from buildtool.idl.layout.method_layout import wire_methods
from buildtool.idl.model import Interface, Unit

ASYNC = """\
/* Older libraries lack these: then an async method is AEE_EUNSUPPORTED. */
#pragma weak remote_handle64_invoke_async
#pragma weak remote_handle_invoke_async
"""
HANDLE = """\
/* The one handle of INTERFACE, opened at the first call and never closed; -1 when that
 * fails.  Of threads that open it at once, the first one's handle stays. */
__QAIC_STUB_EXPORT remote_handle _INTERFACE_handle(void);
__QAIC_STUB_EXPORT remote_handle _INTERFACE_handle(void)
{
    static remote_handle shared = (remote_handle)-1;
    remote_handle none = (remote_handle)-1;
    remote_handle own = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);

    if (own != none) {
        return own;
    }
    if (__QAIC_REMOTE(remote_handle_open)("INTERFACE", &own) != 0) {
        return none;
    }
    if (!__atomic_compare_exchange_n(&shared, &none, own, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        (void)__QAIC_REMOTE(remote_handle_close)(own);
        own = none;
    }
    return own;
}
"""


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
            else [HANDLE.replace("INTERFACE", interface.c_name)]
        ),
        *(method_function(interface, wire) for wire in wires),
    ]
    parts = [
        f"/* {interface.c_name}_stub.c: the calling side of {interface.c_name}, generated from\n"
        f" * {unit.stem}.idl by buildtool idl; do not edit. */",
        f'#include "{unit.stem}.h"\n' + ('#include "bt_trace_skel.h"\n' if trace else ""),
        ASYNC if any(method.is_async for method in methods) else "",
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
                public_signature("STUB", method, function_name(interface, method), variables),
                body,
            )
        )
    return functions
