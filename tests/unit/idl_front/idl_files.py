"""A directory of IDL files, and the results of loading one of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from buildtool.idl.errors import IdlError
from buildtool.idl.model import Constant, Interface, Method, Unit
from buildtool.idl.parse import load


class IdlFiles:
    """Writes and loads `main.idl` and other files in one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def load(
        self,
        text: str | bytes,
        include_dirs: Sequence[Path] = (),
        defines: Sequence[str] = (),
        *,
        standard_types: bool = False,
    ) -> Unit:
        main = self.write("main.idl", text)
        return load(main, include_dirs, defines, standard_types=standard_types)

    def error(self, text: str | bytes, defines: Sequence[str] = ()) -> IdlError:
        with pytest.raises(IdlError) as caught:
            self.load(text, defines=defines)
        return caught.value

    def method(self, text: str, before: str = "") -> Method:
        """The only method of an interface that contains this declaration."""
        interface = self.load(f"{before}\ninterface i {{ {text} }};").interfaces[0]
        return interface.methods[-1]

    def interface(self, text: str) -> Interface:
        return self.load(text).interfaces[-1]

    def constant(self, text: str) -> Constant:
        found = [each for each in self.load(text).declarations if isinstance(each, Constant)]
        return found[-1]
