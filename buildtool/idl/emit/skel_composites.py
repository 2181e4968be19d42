"""How a skel takes the buffers of composites out of a call, and gives their results back.

Records are copied out of their buffers, which need not be aligned.
"""

from __future__ import annotations

from buildtool.idl.emit.composites import CompositeWriter, braces, element_loop, has_record
from buildtool.idl.emit.records import record_name
from buildtool.idl.layout.method_layout import RecordKind
from buildtool.idl.layout.types import Composite
from buildtool.idl.model import Sequence, String


class SkelComposites(CompositeWriter):
    """`_in_S` makes the native value out of its record and the next buffers, `_room_S` an empty
    one for the implementation to fill, and `_give_S` copies the results after a successful call."""

    result_verb = "give"
    receives_results = False

    def buffer(self, kind: RecordKind, many: Sequence | String, value: str, length: str) -> str:
        if kind is RecordKind.CAPACITY:
            taken = f"_take_out(_call, {length}, sizeof(*{value}))"
        elif isinstance(many, String):
            taken = f"_take_{'wide' if many.wide else 'text'}(_call, {length})"
        else:
            taken = f"_take_in(_call, {length}, sizeof(*{value}))"
        return f"{value} = {taken};\n{value}Len = (int){length};"

    def handles(self, kind: RecordKind, value: str, length: str) -> str:
        out = int(kind is RecordKind.CAPACITY)
        return f"{value} = _take_dmas(_call, {out}, {length});\n{value}Len = (int){length};"

    def elements(self, kind: RecordKind, element: Composite, value: str, length: str) -> str:
        record = record_name(element.c_type, kind)
        lines = [f"const char* _records = _take_in(_call, {length}, sizeof({record}));"]
        remember = []
        if kind is RecordKind.CAPACITY:
            results = "NULL"
            if has_record(element, RecordKind.RESULT):
                out = record_name(element.c_type, RecordKind.RESULT)
                lines.append(f"void* _results = _take_out(_call, {length}, sizeof({out}));")
                results = "_results"
            if self.has_results(element):
                remember = [f"_remember(_call, {value}, {results}, {length});"]
        body = [
            f"{record} _record;",
            "memcpy(&_record, _records + _i * sizeof(_record), sizeof(_record));",
            f"{self.function_name(element, kind)}(_call, &_record, &{value}[_i]);",
        ]
        lines += [
            f"{value} = _take_elements(_call, {length}, sizeof(*{value}));",
            f"{value}Len = (int){length};",
            *remember,
            *element_loop("uint32_t", f"_call->err == 0 && _i < {length}", body),
        ]
        return braces(lines)

    def element_results(self, element: Composite) -> str:
        name = element.c_type
        lines = [
            "_Sequence _all = _recall(_call);",
            f"const {name}* _values = (const {name}*)_all.native;",
        ]
        body = [self.result_call(element, "", "&_values[_i]")]
        if has_record(element, RecordKind.RESULT):
            lines.append("char* _results = (char*)_all.wire;")
            body = [
                f"{record_name(name, RecordKind.RESULT)} _record = {{0}};",
                self.result_call(element, "&_record, ", "&_values[_i]"),
                "memcpy(_results + _i * sizeof(_record), &_record, sizeof(_record));",
            ]
        return braces([*lines, *element_loop("uint32_t", "_i < _all.count", body)])
