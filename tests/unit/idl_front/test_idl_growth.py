"""A file that is twice as long takes twice the work, measured in function calls."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable, Iterable

import pytest

from buildtool.idl.compile import compile_idl
from tests.conftest import LONG
from tests.unit.idl_front.idl_files import IdlFiles

SHAPES: dict[str, Callable[[int], str]] = {
    "in parameters": lambda n: method(f"in long p{i}" for i in range(n)),
    "rout parameters": lambda n: method(f"rout long p{i}" for i in range(n)),
    "inrout structs": lambda n: (
        "struct s { long a; short b; };" + method(f"inrout s p{i}" for i in range(n))
    ),
    "structs": lambda n: "".join(f"struct s{i} {{ long a; }};" for i in range(n)),
    "members": lambda n: f"struct s {{ {''.join(f'long m{i};' for i in range(n))} }};",
    "constants": lambda n: "".join(f"const long C{i} = {i};" for i in range(n)),
    "enumerators": lambda n: f"enum e {{ {', '.join(f'E{i}' for i in range(n))} }};",
    "typedefs": lambda n: "".join(f"typedef sequence<long> t{i};" for i in range(n)),
    "methods": lambda n: interface("".join(f"long m{i}(in long a);" for i in range(n))),
    "comments": lambda n: "/** words */ /*\n*/ // more\n" * n,
}


def interface(body: str) -> str:
    return f"interface x {{ {body} }};"


def method(parameters: Iterable[str]) -> str:
    return interface(f"long m({', '.join(parameters)});")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_grows_as_the_file_does(shape: str, idl: IdlFiles) -> None:
    def calls(count: int) -> int:
        (idl.directory / "v.idl").write_text(SHAPES[shape](count))
        profile = cProfile.Profile()
        profile.runcall(compile_idl, idl.directory / "v.idl", (), (), idl.directory)
        return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]

    calls(1)  # the first call prepares the grammar
    count = 400 if LONG else 200
    assert calls(2 * count) < 2.2 * calls(count)
