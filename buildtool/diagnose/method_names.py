"""The names that the IDL of a project gives to methods and to the buffers of a call."""

from __future__ import annotations

from buildtool.core.value import Value
from buildtool.project.model import Project


class MethodNames(Value):
    """The C name of a method, and for each buffer of its calls the parameter that it holds."""

    name: str
    buffers: tuple[str, ...]


def method_names(project: Project, skel: str, method: int) -> MethodNames | None:
    """The names of the method with that number of the skel with that file name; None if no IDL
    file of the project has them."""
    from buildtool.idl.errors import IdlError  # noqa: PLC0415 - only after a crash
    from buildtool.idl.layout.method_layout import ESCAPE, wire_methods  # noqa: PLC0415
    from buildtool.idl.parse import load  # noqa: PLC0415

    for component in project.skels.values():
        path = project.root / component.idl
        if not component.idl or skel != f"lib{path.stem}_skel.so":
            continue
        try:
            interfaces = load(path, ()).interfaces
            if len(interfaces) != 1 or not method < min(ESCAPE, len(interfaces[0].methods)):
                return None
            wire = wire_methods(interfaces[0])[method]
        except IdlError:
            return None
        if any(buffer.repeated for buffer in (*wire.inputs, *wire.outputs)):
            buffers: tuple[str, ...] = ()  # their number depends on the values
        else:
            buffers = tuple(buffer.source for buffer in (*wire.inputs, *wire.outputs))
        name = f"{interfaces[0].c_name}_{interfaces[0].methods[method].name}"
        return MethodNames(name, buffers)
    return None
