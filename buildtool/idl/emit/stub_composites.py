"""How a stub adds the buffers of composites to a call, and fetches their results."""

from __future__ import annotations

from buildtool.idl.emit.composites import CompositeWriter, braces, element_loop, has_record
from buildtool.idl.emit.records import record_name
from buildtool.idl.layout.method_layout import RecordKind
from buildtool.idl.layout.types import Composite
from buildtool.idl.model import Sequence, String


class StubComposites(CompositeWriter):
    """`_in_S` fills the record of a value, `_room_S` offers room for one that comes back, and
    `_fetch_S` copies the results after a successful call."""

    result_verb = "fetch"
    receives_results = True

    def buffer(self, kind: RecordKind, many: Sequence | String, value: str, length: str) -> str:
        if kind is RecordKind.CAPACITY:
            return f"{length} = _add_out(_call, {value}, {value}Len, sizeof(*{value}));"
        if isinstance(many, String):
            return f"{length} = _add_{'wide' if many.wide else 'text'}(_call, {value}, {value}Len);"
        return f"{length} = _add_in(_call, {value}, {value}Len, sizeof(*{value}));"

    def handles(self, kind: RecordKind, value: str, length: str) -> str:
        out = int(kind is RecordKind.CAPACITY)
        return f"{length} = _add_dmas(_call, {out}, {value}, {value}Len);"

    def elements(self, kind: RecordKind, element: Composite, value: str, length: str) -> str:
        record = record_name(element.c_type, kind)
        records = "_records" if kind is RecordKind.IN else "_rooms"
        lines = [
            f"{record}* {records} = ({record}*)",
            f"    _add_in_records(_call, {value}, {value}Len, sizeof({record}));",
        ]
        if kind is RecordKind.CAPACITY:
            results = "NULL"
            if has_record(element, RecordKind.RESULT):
                out = record_name(element.c_type, RecordKind.RESULT)
                lines.append(
                    f"void* _results = _add_out_records(_call, {value}Len, sizeof({out}));"
                )
                results = "_results"
            if self.has_results(element):
                lines.append(f"_remember(_call, {value}, {results}, (uint32_t){value}Len);")
        call = f"{self.function_name(element, kind)}(_call, &{records}[_i], &{value}[_i]);"
        lines += element_loop("int", f"_call->err == 0 && _i < {value}Len", [call])
        return f"{length} = (uint32_t){value}Len;\n{braces(lines)}"

    def element_results(self, element: Composite) -> str:
        name, record = element.c_type, ""
        lines = [
            "_Sequence _all = _recall(_call);",
            f"{name}* _values = ({name}*)_all.native;",
        ]
        if has_record(element, RecordKind.RESULT):
            out, record = record_name(name, RecordKind.RESULT), "&_results[_i], "
            lines.append(f"const {out}* _results =\n    (const {out}*)_all.wire;")
        call = self.result_call(element, record, "&_values[_i]")
        return braces([*lines, *element_loop("uint32_t", "_i < _all.count", [call])])
