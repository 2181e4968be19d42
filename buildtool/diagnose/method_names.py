"""The names that the IDL of a project gives to methods and to the buffers of a call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from buildtool.core.value import Value
from buildtool.project.model import Project

if TYPE_CHECKING:
    from buildtool.idl.model import Interface


class MethodNames(Value):
    """The C name of a method, and for each buffer of its calls the parameter that it holds."""

    name: str
    buffers: tuple[str, ...]


def method_names(project: Project, skel: str, method: int) -> MethodNames | None:
    """The names of the method with that number of the skel with that file name; None if no IDL
    file of the project has them."""
    from buildtool.idl.layout.method_layout import ESCAPE, wire_methods  # noqa: PLC0415

    interface = _interface(project, skel)
    if interface is None or not method < min(ESCAPE, len(interface.methods)):
        return None
    wire = wire_methods(interface)[method]
    if any(buffer.repeated for buffer in (*wire.inputs, *wire.outputs)):
        buffers: tuple[str, ...] = ()  # their number depends on the values
    else:
        buffers = tuple(buffer.source for buffer in (*wire.inputs, *wire.outputs))
    return MethodNames(f"{interface.c_name}_{interface.methods[method].name}", buffers)


def called_method(project: Project, skel: str, functions: Iterable[str]) -> int | None:
    """The number of the method that the first of `functions` to implement one implements, in the
    skel with that file name."""
    interface = _interface(project, skel)
    methods = interface.methods if interface else ()
    numbers = {f"{interface.c_name}_{m.name}": n for n, m in enumerate(methods) if interface}
    return next((numbers[name] for name in functions if name in numbers), None)


def _interface(project: Project, skel: str) -> Interface | None:
    """The interface of the skel with that file name, if an IDL file of the project has it."""
    from buildtool.idl.errors import IdlError  # noqa: PLC0415 - only after a crash
    from buildtool.idl.parse import load  # noqa: PLC0415

    for component in project.skels.values():
        path = project.root / component.idl
        if component.idl and skel == f"lib{path.stem}_skel.so":
            try:
                interfaces = load(path, ()).interfaces
            except IdlError:
                return None
            return interfaces[0] if len(interfaces) == 1 else None
    return None
