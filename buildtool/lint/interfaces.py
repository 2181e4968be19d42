"""Methods of IDL files, for the rules about them."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.idl.model import Location, Method
from buildtool.lint.finding import Place
from buildtool.lint.subject import Interface, Subject


def methods(subject: Subject) -> Iterator[tuple[Interface, Method]]:
    """The methods that IDL files declare themselves, not those of included files."""
    for interface in subject.interfaces:
        own = interface.unit.dependencies[0]
        for each in interface.unit.interfaces:
            for method in each.methods:
                if method.location and method.location.file == own:
                    yield interface, method


def place(interface: Interface, location: Location | None) -> Place:
    """The place of something in an IDL file; its first line if that is not known."""
    own = location is not None and location.file == interface.unit.dependencies[0]
    if location is None or not own:
        return Place(interface.path, 1, 1)
    return Place(interface.path, location.line, location.column)
