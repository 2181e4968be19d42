"""Fixtures that convert IDL text to the model and to layouts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.idl.method_layout import WireMethod, wire_methods
from buildtool.idl.model import Unit
from buildtool.idl.parse import load

COMMON = """\
#include "AEEStdDef.idl"
#include "remote.idl"
struct rec { sequence<long> a; string n; };
struct mixed { octet o; long long q; };
struct holder { short before; rec inner; double after; };
enum kind { red, green };
typedef sequence<long> longs;
typedef octet id[6];
"""


@pytest.fixture
def load_text(tmp_path: Path) -> Callable[[str], Unit]:
    """A function that returns the unit of an IDL text, written to the file `v.idl`."""

    def load_(text: str) -> Unit:
        path = tmp_path / "v.idl"
        path.write_text(text)
        return load(path, (), ())

    return load_


@pytest.fixture
def wire(load_text: Callable[[str], Unit]) -> Callable[[str], WireMethod]:
    """A function that returns the layout of a method with these parameters.

    It is method 2, the first after close.
    """

    def wire_(parameters: str, qualifier: str = "") -> WireMethod:
        text = f"{COMMON}interface t : remote_handle64 {{ {qualifier} long m({parameters}); }};"
        return wire_methods(load_text(text).interfaces[0])[2]

    return wire_
