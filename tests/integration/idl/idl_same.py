"""C functions that compare and copy the values of a type, for random cases."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.idl.model import Alias, Array, Enum, Primitive, Sequence, String, Struct, Type
from tests.integration.idl.idl_random import plain


def c_name(name: str) -> str:
    return f"_cxx_{name}" if name in ("register", "volatile") else name


def c_type(type_: Type) -> str:
    match type_:
        case Primitive():
            return type_.c_name
        case String(wide=wide):
            return "_wstring1_t" if wide else "_cstring1_t"
        case Alias(c_name=name) | Struct(c_name=name) | Enum(c_name=name):
            return name
        case other:
            raise ValueError(other)


def element(type_: Sequence | String) -> Type:
    if isinstance(type_, Sequence):
        return type_.element
    return Primitive.WCHAR if type_.wide else Primitive.CHAR


def functions(type_: Type) -> Iterator[str]:
    """`same_T` and `put_T` of a named type."""
    if isinstance(type_, Enum) or (
        isinstance(type_, Alias) and not isinstance(type_.target, Sequence)
    ):
        return
    name = c_type(type_)
    inner = plain(type_)
    members = inner.members if isinstance(inner, Struct) else ()
    parts = [(c_name(member.name), member.type) for member in members]
    if isinstance(inner, Sequence):
        parts = [("data", inner)]
    compare = "\n".join(same(t, f"x->{n}", f"y->{n}", "return 0") for n, t in parts)
    copy = "\n".join(put(t, f"x->{n}", f"y->{n}", "return 0") for n, t in parts)
    arguments = f"const {name} *x, const {name} *y"
    yield f"static int same_{name}({arguments})\n{{\n{compare}\n    return 1;\n}}"
    yield f"static int put_{name}({name} *x, const {name} *y)\n{{\n{copy}\n    return 1;\n}}"


def _function_of(type_: Type) -> str:
    """The named type whose functions handle `type_`; for the typedef of a struct, the struct."""
    while isinstance(type_, Alias) and not isinstance(type_.target, Sequence):
        type_ = type_.target
    return c_type(type_)


def same(type_: Type, x: str, y: str, fail: str) -> str:
    """Statements that `fail` unless the two lvalues are equal."""
    match plain(type_):
        case String(wide=wide):
            width = 2 if wide else 1
            return f"    if (!same_text({x}, {x}Len, {y}, {y}Len, {width})) {{ {fail}; }}"
        case Sequence(element=inner):
            return (
                f"    if ({x}Len != {y}Len) {{ {fail}; }}\n"
                f"    for (int i_ = 0; i_ < {y}Len; i_++) {{\n"
                f"    {_same_element(inner, f'{x}[i_]', f'{y}[i_]', fail)}\n    }}"
            )
        case Array(element=inner, length=length):
            return (
                f"    for (int i_ = 0; i_ < {length}; i_++) {{\n"
                f"    {_same_element(inner, f'{x}[i_]', f'{y}[i_]', fail)}\n    }}"
            )
        case _:
            return _same_element(type_, x, y, fail)


def _same_element(type_: Type, x: str, y: str, fail: str) -> str:
    match plain(type_):
        case String():
            return same(type_, f"{x}.data", f"{y}.data", fail)
        case Struct() | Sequence():
            return f"    if (!same_{_function_of(type_)}(&{x}, &{y})) {{ {fail}; }}"
        case Array(element=inner, length=length):
            return (
                f"    for (int j_ = 0; j_ < {length}; j_++) {{\n"
                f"    {_same_element(inner, f'{x}[j_]', f'{y}[j_]', fail)}\n    }}"
            )
        case _:
            return f"    if (memcmp(&{x}, &{y}, sizeof({x})) != 0) {{ {fail}; }}"


def put(type_: Type, x: str, y: str, fail: str) -> str:
    """Statements that copy `y` to `x`, within the capacity of `x`."""
    match plain(type_):
        case String(wide=wide):
            width = 2 if wide else 1
            return f"    if (!put_text({x}, {x}Len, {y}, {y}Len, {width})) {{ {fail}; }}"
        case Sequence(element=inner):
            return (
                f"    if ({x}Len != {y}Len) {{ {fail}; }}\n"
                f"    for (int i_ = 0; i_ < {y}Len; i_++) {{\n"
                f"    {_put_element(inner, f'{x}[i_]', f'{y}[i_]', fail)}\n    }}"
            )
        case _:
            return _put_element(type_, x, y, fail)


def _put_element(type_: Type, x: str, y: str, fail: str) -> str:
    match plain(type_):
        case String():
            return put(type_, f"{x}.data", f"{y}.data", fail)
        case Struct() | Sequence():
            return f"    if (!put_{_function_of(type_)}(&{x}, &{y})) {{ {fail}; }}"
        case Array(element=inner, length=length):
            return (
                f"    for (int j_ = 0; j_ < {length}; j_++) {{\n"
                f"    {_put_element(inner, f'{x}[j_]', f'{y}[j_]', fail)}\n    }}"
            )
        case _:
            return f"    {x} = {y};"
