"""The names that the IDL of a project gives to methods and to the buffers of a call."""

from __future__ import annotations

import contextlib
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


class SkelMethods:
    """Finds the names of methods of a project's skels, as `method_names` does.

    It reads the IDL of each skel once: it is for as long as nothing is built.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[str, tuple[MethodNames, ...]] = {}

    def __call__(self, skel: str, method: int) -> MethodNames | None:
        if skel not in self._known:
            interface = self.interface(skel)
            self._known[skel] = _names(interface) if interface else ()
        return next(iter(self._known[skel][method : method + 1]), None)

    def interface(self, skel: str) -> Interface | None:
        """The interface of the skel with that file name, if an IDL file of the project has it."""
        return _interface(self._project, skel)


def method_names(project: Project, skel: str, method: int) -> MethodNames | None:
    """The names of the method with that number of the skel with that file name; None if no IDL
    file of the project has them."""
    return SkelMethods(project)(skel, method)


def _names(interface: Interface) -> tuple[MethodNames, ...]:
    """The names of the interface's methods, by their numbers."""
    from buildtool.idl.method_layout import ESCAPE, wire_methods  # noqa: PLC0415 - a parser

    named = []
    for method, wire in zip(interface.methods, wire_methods(interface)[:ESCAPE], strict=False):
        if any(buffer.repeated for buffer in (*wire.inputs, *wire.outputs)):
            buffers: tuple[str, ...] = ()  # their number depends on the values
        else:
            buffers = tuple(buffer.source for buffer in (*wire.inputs, *wire.outputs))
        named.append(MethodNames(f"{interface.c_name}_{method.name}", buffers))
    return tuple(named)


def called_method(project: Project, skel: str, functions: Iterable[str]) -> int | None:
    """The number of the method that the first of `functions` to implement one implements, in the
    skel with that file name."""
    interface = _interface(project, skel)
    methods = interface.methods if interface else ()
    numbers = {f"{interface.c_name}_{m.name}": n for n, m in enumerate(methods) if interface}
    return next((numbers[name] for name in functions if name in numbers), None)


def _interface(project: Project, skel: str) -> Interface | None:
    """The interface of the skel with that file name, if an IDL file of the project has it: the one
    whose entry the skel exports, or the only one of the file that the skel is called after."""
    from buildtool.idl.errors import IdlError  # noqa: PLC0415 - only after a crash
    from buildtool.idl.parse import load  # noqa: PLC0415

    exported = _exported(project, skel)
    for component in project.skels.values():
        path = project.root / component.idl
        if not component.idl or (skel != f"lib{path.stem}_skel.so" and not exported):
            continue
        try:
            interfaces = load(path, ()).interfaces
        except IdlError:
            continue
        if exported:
            interfaces = tuple(each for each in interfaces if each.c_name == exported)
        if len(interfaces) == 1:
            return interfaces[0]
    return None


def _exported(project: Project, skel: str) -> str:
    """The C name of the interface whose entry the skel with that file name exports in the releases
    of the project; "" if they have no such skel, or if that is not one interface."""
    from buildtool.contract.subject import ENTRY_ENDINGS, entries  # noqa: PLC0415
    from buildtool.core.elf.read import ElfError, read_elf  # noqa: PLC0415

    found = set()
    for path in (project.state / "release").glob("*/dsp/**/*"):
        if path.name != skel:
            continue
        with contextlib.suppress(ElfError):
            for entry in entries(read_elf(path)):
                ending = next(each for each in ENTRY_ENDINGS if entry.endswith(each))
                found.add(entry.removesuffix(ending))
    return found.pop() if len(found) == 1 else ""
