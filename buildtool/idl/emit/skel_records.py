"""How a skel unpacks what contains sequences and strings, and packs the results.

For each composite: `_in_S` makes the native value out of its record and the next
buffers, `_room_S` the empty one for the implementation to fill, `_give_S` copies the
results back after a good call.  Records are copied out of their buffers, which need
not be aligned.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from buildtool.idl import model
from buildtool.idl.emit.c_text import block
from buildtool.idl.emit.records import (
    FieldNames,
    copied,
    element_composite,
    has_record,
    record_name,
)
from buildtool.idl.layout.method_layout import RecordKind
from buildtool.idl.layout.types import Composite, composite, is_flat, strip_typedefs
from buildtool.idl.model import Member, String, Struct


def in_function(inner: Composite) -> str:
    """`_in_S(call, w, v)`: the value that came in."""
    lines = [unpack_in(m, f"v->{m.name}", "w->", {}) for m in inner.members]
    wire = record_name(inner.c_type, RecordKind.IN)
    return _function(
        f"_in_{inner.c_type}", f"_Call* _call, const {wire}* w, {inner.c_type}* v", lines
    )


def room_function(inner: Composite) -> str:
    """`_room_S(call, w, v)`: the value for the implementation to fill."""
    lines = [unpack_room(m, f"v->{m.name}", "w->", {}) for m in inner.members]
    wire = record_name(inner.c_type, RecordKind.CAPACITY)
    return _function(
        f"_room_{inner.c_type}", f"_Call* _call, const {wire}* w, {inner.c_type}* v", lines
    )


def give_function(inner: Composite) -> str:
    """`_give_S(call, w, v)`: the results, after a good call."""
    if not has_give(inner):
        return ""
    lines = [give(m, f"v->{m.name}", f"&v->{m.name}", "w->") for m in inner.members]
    wire = record_name(inner.c_type, RecordKind.RESULT)
    return _function(
        f"_give_{inner.c_type}",
        ("_Call* _call, " if walks(inner) else "")
        + (f"{wire}* w, " if has_record(inner, RecordKind.RESULT) else "")
        + f"const {inner.c_type}* v",
        lines,
    )


def unpack_in(member: Member, value: str, wire: str, names: FieldNames) -> str:
    """Statements that make one native member; `value` is its C expression."""
    length = wire + names.get((member.name, False), f"{member.name}Len")
    inner = element_composite(member.type)
    match strip_typedefs(member.type):
        case _ if is_flat(member.type):
            return copied(value, wire + member.name, member.type, received=True)
        case String(wide=wide):
            take = "_take_wide" if wide else "_take_text"
            return f"{value} = {take}(_call, {length});\n{value}Len = (int){length};"
        case model.Sequence() if inner is None:
            return (
                f"{value} = _take_in(_call, {length}, sizeof(*{value}));\n"
                f"{value}Len = (int){length};"
            )
        case model.Sequence() if inner is not None:
            record = record_name(inner.c_type, RecordKind.IN)
            return _elements(
                value,
                length,
                [f"const char* _records = _take_in(_call, {length}, sizeof({record}));"],
                f"{record} _record;",
                f"_in_{inner.c_type}",
            )
        case Struct(c_name=name):
            field = wire + names.get((member.name, False), member.name)
            return f"_in_{name}(_call, &{field}, &{value});"
        case other:
            raise ValueError(f"cannot be unpacked: {other!r}")


def unpack_room(member: Member, value: str, wire: str, names: FieldNames) -> str:
    """Statements that make one native member for the implementation to fill."""
    length = wire + names.get((member.name, True), f"{member.name}Len")
    inner = element_composite(member.type)
    match strip_typedefs(member.type):
        case _ if is_flat(member.type):
            return ""
        case Struct(c_name=name):
            field = wire + names.get((member.name, False), member.name)
            return f"_room_{name}(_call, &{field}, &{value});"
        case _ if inner is None:
            return (
                f"{value} = _take_out(_call, {length}, sizeof(*{value}));\n"
                f"{value}Len = (int){length};"
            )
        case _:
            room = record_name(inner.c_type, RecordKind.CAPACITY)
            out = record_name(inner.c_type, RecordKind.RESULT)
            first = [f"const char* _records = _take_in(_call, {length}, sizeof({room}));"]
            results, last = "NULL", []
            if has_record(inner, RecordKind.RESULT):
                first.append(f"void* _results = _take_out(_call, {length}, sizeof({out}));")
                results = "_results"
            if has_give(inner):
                last = [f"_remember(_call, {value}, {results}, {length});"]
            return _elements(
                value, length, first, f"{room} _record;", f"_room_{inner.c_type}", after=last
            )


def _elements(
    value: str,
    length: str,
    before: list[str],
    record: str,
    function: str,
    *,
    after: Sequence[str] = (),
) -> str:
    """A native array made element by element out of records; `after` follows its allocation."""
    lines = [
        *before,
        f"{value} = _take_elements(_call, {length}, sizeof(*{value}));",
        f"{value}Len = (int){length};",
        *after,
        f"for (uint32_t _i = 0; _call->err == 0 && _i < {length}; _i++) {{",
        f"    {record}",
        "    memcpy(&_record, _records + _i * sizeof(_record), sizeof(_record));",
        f"    {function}(_call, &_record, &{value}[_i]);",
        "}",
    ]
    return "{\n" + textwrap.indent("\n".join(lines), "    ") + "\n}"


def give(member: Member, value: str, address: str, wire: str) -> str:
    """Statements that put one member's result on its way back."""
    inner = element_composite(member.type)
    match strip_typedefs(member.type):
        case _ if is_flat(member.type):
            return copied(wire + member.name, value, member.type)
        case Struct():
            own = composite(member.type)
            if not has_give(own):
                return ""
            given = f"&{wire}{member.name}, " if has_record(own, RecordKind.RESULT) else ""
            return f"_give_{own.c_type}({call_argument(own)}{given}{address});"
        case _ if inner is not None and has_give(inner):
            element = inner.c_type
            lines = [
                "_Sequence _all = _recall(_call);",
                f"const {element}* _values = (const {element}*)_all.native;",
            ]
            body = [f"_give_{element}({call_argument(inner)}&_values[_i]);"]
            if has_record(inner, RecordKind.RESULT):
                lines.append("char* _results = (char*)_all.wire;")
                body = [
                    f"{record_name(element, RecordKind.RESULT)} _record = {{0}};",
                    f"_give_{element}({call_argument(inner)}&_record, &_values[_i]);",
                    "memcpy(_results + _i * sizeof(_record), &_record, sizeof(_record));",
                ]
            loop = "for (uint32_t _i = 0; _i < _all.count; _i++) {"
            return f"{{\n{block([*lines, loop, block(body), '}'])}\n}}"
        case _:
            return ""


def has_give(inner: Composite) -> bool:
    """Whether the composite has any value to copy back beside its buffers."""
    return any(
        is_flat(member.type)
        or ((element := element_composite(member.type)) is not None and has_give(element))
        or (isinstance(strip_typedefs(member.type), Struct) and has_give(composite(member.type)))
        for member in inner.members
    )


def walks(inner: Composite) -> bool:
    """Whether copying its values back goes over a remembered sequence."""
    return any(
        ((element := element_composite(member.type)) is not None and has_give(element))
        or (
            isinstance(strip_typedefs(member.type), Struct)
            and not is_flat(member.type)
            and walks(composite(member.type))
        )
        for member in inner.members
    )


def call_argument(inner: Composite) -> str:
    return "_call, " if walks(inner) else ""


def _function(name: str, parameters: str, lines: list[str]) -> str:
    body = [line for line in lines if line]
    if not any("v->" in line for line in body):
        body.append("(void)v;")
    text = textwrap.indent("\n".join(body), "    ")
    return f"static void {name}({parameters})\n{{\n{text}\n}}\n"
