"""Calls the methods of a random case from Python: `python -m tests.integration.idl.idl_python DIR`.

DIR has the case as `case.pickle`, the generated package `made` and the library `libloop.so`, which
contains stub, skel, the implementation that checks its arguments, and a stand-in for libcdsprpc
that calls the skel.
"""

from __future__ import annotations

import array
import ctypes
import dataclasses
import importlib
import os
import pickle
import sys
from pathlib import Path
from typing import Any

from buildtool.idl.compile import compile_idl
from buildtool.idl.emit.python.type_text import camel
from buildtool.idl.model import Array, Direction, Enum, Primitive, Sequence, String, Struct, Type
from tests.integration.idl.idl_cases import write_case
from tests.integration.idl.idl_random import Argument, Case, flat, plain
from tests.integration.idl.idl_rig import HERE, ROOT, build

# Stub and implementation have the same names: the generator's hooks rename one of them.
RENAMED = "".join(f"#define __QAIC_{side}(ff) implementation_##ff\n" for side in ("HEADER", "IMPL"))
CODES = {
    "b": (Primitive.INT8,),
    "B": (Primitive.OCTET, Primitive.CHAR, Primitive.UINT8),
    "h": (Primitive.SHORT, Primitive.INT16),
    "H": (Primitive.USHORT, Primitive.UINT16, Primitive.WCHAR),
    "i": (Primitive.LONG, Primitive.INT32),
    "I": (Primitive.ULONG, Primitive.UINT32),
    "q": (Primitive.LONGLONG, Primitive.INT64),
    "Q": (Primitive.ULONGLONG, Primitive.UINT64),
    "f": (Primitive.FLOAT,),
    "d": (Primitive.DOUBLE,),
}
FORMATS: dict[Type, str] = {
    each: code for code, kinds in CODES.items() for each in Primitive if each.kind in kinds
}


def prepare(case: Case, out: Path) -> None:
    """Generate and compile everything that the calls need."""
    write_case(case, out)
    compile_idl(out / "loop.idl", (), (), out)
    compile_idl(out / "loop.idl", (), (), out / "made", python=True)
    (out / "case.pickle").write_bytes(pickle.dumps(case))
    compile_library(out)


def compile_library(out: Path) -> None:
    """Compile `libloop.so` from the files in the directory."""
    skel = out / "renamed_skel.c"
    skel.write_text(f'{RENAMED}#include "loop_skel.c"\n')
    sources = [out / "loop_stub.c", skel, out / "imp.c", HERE / "loop" / "local.c"]
    flags = ["-shared", "-fPIC", "-D__QAIC_IMPL(ff)=implementation_##ff"]
    build("native", out / "libloop.so", sources, flags)


def command(out: Path) -> list[str]:
    """The command line that calls all methods."""
    path = f"PYTHONPATH={ROOT}{os.pathsep}{out}"
    return ["env", path, sys.executable, "-m", "tests.integration.idl.idl_python", str(out)]


def call_all(out: Path) -> str:
    """Call all methods; returns "same", or a line for each wrong result."""
    made: Any = importlib.import_module("made.loop")
    case: Case = pickle.loads((out / "case.pickle").read_bytes())
    library = ctypes.CDLL(str(out / "libloop.so"))
    wrong = []
    with made.Loop(library=library) as loop:
        for at, (name, arguments) in enumerate(case.methods):
            values = [value for a in arguments for value in passed(made, a, at)]
            results = getattr(loop, name)(*values)
            wanted = [a for a in arguments if a.direction is not Direction.IN]
            results = (results,) if len(wanted) == 1 else results or ()
            for argument, result in zip(wanted, results, strict=True):
                if listed(result) != listed(value_of(made, argument.type, argument.result)):
                    wrong.append(f"{name}.{argument.name}: {result!r}, not {argument.result!r}\n")
    return "".join(wrong) or "same\n"


def passed(made: Any, argument: Argument, at: int) -> list[Any]:
    """The arguments in Python; sequences of numbers are sometimes buffers, as `at` says."""
    type_ = plain(argument.type)
    if argument.direction is Direction.ROUT:
        if not flat(type_) and not one_level(type_):
            return [room_of(made, argument.type, argument.result)]
        return [room for room in [simple_room(type_, argument.result, at)] if room is not None]
    value = value_of(made, argument.type, argument.given)
    if isinstance(type_, Sequence) and plain(type_.element) in FORMATS and at % 2:
        value = array.array(FORMATS[plain(type_.element)], value)
        value = bytes(value) if at % 4 == 1 else value
    if argument.direction is Direction.INROUT and isinstance(type_, String):
        return [value, len(argument.given.units) + 1 + argument.given.extra]
    return [value]


def simple_room(type_: Type, result: Any, at: int) -> Any:
    """The argument of a `rout` parameter that is not nested; None if it has none."""
    if isinstance(type_, String):
        return 0 if result.missing else len(result.units) + 1 + result.extra
    if not isinstance(type_, Sequence):
        return None
    if plain(type_.element) in FORMATS and at % 2:
        number = array.array(FORMATS[plain(type_.element)])
        return bytearray(number.itemsize * len(result))
    return len(result)


def one_level(type_: Type) -> bool:
    return isinstance(type_, String) or (isinstance(type_, Sequence) and flat(type_.element))


def value_of(made: Any, type_: Type, value: Any) -> Any:
    """The value in Python."""
    match plain(type_):
        case String() if value.missing:
            return ""
        case String(wide=True):
            raw = array.array("H", value.units).tobytes()
            return raw.decode("utf-16-le", "surrogatepass")
        case String():
            return bytes(value.units).decode("utf-8", "surrogateescape")
        case Sequence(element=element) | Array(element=element):
            return [value_of(made, element, each) for each in value]
        case Struct(c_name=name, members=members):
            parts = [value_of(made, m.type, v) for m, v in zip(members, value, strict=True)]
            return getattr(made, camel(name))(*parts)
        case Enum():
            return made.Colour(value)
        case _:
            return value


def room_of(made: Any, type_: Type, value: Any) -> Any:
    """A value of the same shape without the contents."""
    match plain(type_):
        case String():
            return "." * (len(value.units) + value.extra)
        case Sequence(element=element):
            return [room_of(made, element, each) for each in value]
        case Struct(c_name=name, members=members):
            parts = [room_of(made, m.type, v) for m, v in zip(members, value, strict=True)]
            return getattr(made, camel(name))(*parts)
        case Array(element=element, length=length):
            return [0] * length
        case _:
            return 0


def listed(value: Any) -> Any:
    """`value` with lists in place of other sequences."""
    if isinstance(value, memoryview):
        return value.tolist()
    if dataclasses.is_dataclass(value):
        return [listed(getattr(value, field.name)) for field in dataclasses.fields(value)]
    return [listed(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    print(call_all(Path(sys.argv[1])), end="")
