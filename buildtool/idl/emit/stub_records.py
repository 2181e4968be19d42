"""How a stub packs what contains sequences and strings, and fetches the results.

For each composite: `_in_S` fills its record on the way in, `_room_S` offers room for
what comes back, `_fetch_S` copies the results after a good call.
"""

from __future__ import annotations

import textwrap

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
from buildtool.idl.model import Member, Sequence, String, Struct


def in_function(inner: Composite) -> str:
    """`_in_S(_call, w, v)`: the value goes in."""
    lines = [pack_in(m, f"v->{m.name}", f"&v->{m.name}", "w->", {}) for m in inner.members]
    return _function(
        f"_in_{inner.c_type}",
        f"_Call* _call, {record_name(inner.c_type, RecordKind.IN)}* w, const {inner.c_type}* v",
        lines,
    )


def room_function(inner: Composite) -> str:
    """`_room_S(_call, w, v)`: room for the value that comes back."""
    lines = [pack_room(m, f"v->{m.name}", f"&v->{m.name}", "w->", {}) for m in inner.members]
    return _function(
        f"_room_{inner.c_type}",
        f"_Call* _call, {record_name(inner.c_type, RecordKind.CAPACITY)}* w, {inner.c_type}* v",
        lines,
    )


def fetch_function(inner: Composite) -> str:
    """`_fetch_S(_call, w, v)`: the results, after a good call."""
    if not has_fetch(inner):
        return ""
    lines = [fetch(m, f"v->{m.name}", f"&v->{m.name}", "w->") for m in inner.members]
    wire = record_name(inner.c_type, RecordKind.RESULT)
    has_wire = has_record(inner, RecordKind.RESULT)
    return _function(
        f"_fetch_{inner.c_type}",
        ("_Call* _call, " if walks(inner) else "")
        + (f"const {wire}* w, " if has_wire else "")
        + f"{inner.c_type}* v",
        lines,
    )


def pack_in(member: Member, value: str, address: str, wire: str, names: FieldNames) -> str:
    """Statements that put one member on its way in.

    `value` and `address` are C expressions of the native member, `wire` the prefix of
    the record's fields, `names` the record's names where they are not the usual ones.
    """
    length = wire + names.get((member.name, False), f"{member.name}Len")
    inner = element_composite(member.type)
    match strip_typedefs(member.type):
        case _ if is_flat(member.type):
            return copied(wire + member.name, value, member.type)
        case String(wide=wide):
            add = "_add_wide" if wide else "_add_text"
            return f"{length} = {add}(_call, {value}, {value}Len);"
        case Sequence() if inner is None:
            return f"{length} = _add_in(_call, {value}, {value}Len, sizeof(*{value}));"
        case Sequence() if inner is not None:
            record = record_name(inner.c_type, RecordKind.IN)
            return (
                f"{length} = (uint32_t){value}Len;\n"
                f"{{\n"
                f"    {record}* _records = ({record}*)\n"
                f"        _add_in_records(_call, {value}, {value}Len, sizeof({record}));\n"
                f"    for (int _i = 0; _call->err == 0 && _i < {value}Len; _i++) {{\n"
                f"        _in_{inner.c_type}(_call, &_records[_i], &{value}[_i]);\n"
                f"    }}\n"
                f"}}"
            )
        case Struct(c_name=name):
            field = wire + names.get((member.name, False), member.name)
            return f"_in_{name}(_call, &{field}, {address});"
        case other:
            raise ValueError(f"cannot be packed: {other!r}")


def pack_room(member: Member, value: str, address: str, wire: str, names: FieldNames) -> str:
    """Statements that offer room for one member's result; arguments as for `pack_in`."""
    length = wire + names.get((member.name, True), f"{member.name}Len")
    inner = element_composite(member.type)
    match strip_typedefs(member.type):
        case _ if is_flat(member.type):
            return ""
        case Struct(c_name=name):
            field = wire + names.get((member.name, False), member.name)
            return f"_room_{name}(_call, &{field}, {address});"
        case _ if inner is None:
            return f"{length} = _add_out(_call, {value}, {value}Len, sizeof(*{value}));"
        case _:
            room, out = (
                record_name(inner.c_type, RecordKind.CAPACITY),
                record_name(inner.c_type, RecordKind.RESULT),
            )
            results = "NULL"
            lines = [
                f"{room}* _rooms = ({room}*)",
                f"    _add_in_records(_call, {value}, {value}Len, sizeof({room}));",
            ]
            if has_record(inner, RecordKind.RESULT):
                lines.append(
                    f"void* _results = _add_out_records(_call, {value}Len, sizeof({out}));"
                )
                results = "_results"
            if has_fetch(inner):
                lines.append(f"_remember(_call, {value}, {results}, (uint32_t){value}Len);")
            lines += [
                f"for (int _i = 0; _call->err == 0 && _i < {value}Len; _i++) {{",
                f"    _room_{inner.c_type}(_call, &_rooms[_i], &{value}[_i]);",
                "}",
            ]
            body = textwrap.indent("\n".join(lines), "    ")
            return f"{length} = (uint32_t){value}Len;\n{{\n{body}\n}}"


def fetch(member: Member, value: str, address: str, wire: str) -> str:
    """Statements that fetch one member's result; a text is terminated whatever came."""
    inner = element_composite(member.type)
    match strip_typedefs(member.type):
        case _ if is_flat(member.type):
            return copied(value, wire + member.name, member.type, received=True)
        case String():
            return f"if ({value}Len > 0) {{\n    {value}[{value}Len - 1] = 0;\n}}"
        case Struct():
            own = composite(member.type)
            if not has_fetch(own):
                return ""
            given = f"&{wire}{member.name}, " if has_record(own, RecordKind.RESULT) else ""
            return f"_fetch_{own.c_type}({call_argument(own)}{given}{address});"
        case _ if inner is not None and has_fetch(inner):
            element, given = inner.c_type, ""
            lines = [
                "_Sequence _all = _recall(_call);",
                f"{element}* _values = ({element}*)_all.native;",
            ]
            if has_record(inner, RecordKind.RESULT):
                out, given = record_name(element, RecordKind.RESULT), "&_results[_i], "
                lines.append(f"const {out}* _results =\n    (const {out}*)_all.wire;")
            call = f"_fetch_{element}({call_argument(inner)}{given}&_values[_i]);"
            loop = "for (uint32_t _i = 0; _i < _all.count; _i++) {"
            return f"{{\n{block([*lines, loop, block([call]), '}'])}\n}}"
        case _:
            return ""


def has_fetch(inner: Composite) -> bool:
    """Whether anything is left to do after the call: values to copy, texts to terminate."""
    for member in inner.members:
        element = element_composite(member.type)
        if is_flat(member.type) or isinstance(strip_typedefs(member.type), String):
            return True
        if element is not None and has_fetch(element):
            return True
        if isinstance(strip_typedefs(member.type), Struct) and has_fetch(composite(member.type)):
            return True
    return False


def walks(inner: Composite) -> bool:
    """Whether fetching its results goes over a remembered sequence."""
    for member in inner.members:
        element = element_composite(member.type)
        if element is not None and has_fetch(element):
            return True
        if (
            isinstance(strip_typedefs(member.type), Struct)
            and not is_flat(member.type)
            and walks(composite(member.type))
        ):
            return True
    return False


def call_argument(inner: Composite) -> str:
    return "_call, " if walks(inner) else ""


def _function(name: str, parameters: str, lines: list[str]) -> str:
    body = [line for line in lines if line]
    if not any("v->" in line for line in body):
        body.append("(void)v;")
    text = textwrap.indent("\n".join(body), "    ")
    return f"static void {name}({parameters})\n{{\n{text}\n}}\n"
