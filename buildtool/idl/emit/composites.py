"""C functions that pack and unpack composites: structs and elements with sequences or strings.

Each side has up to three functions for a composite S, one for each record that S has on the wire:
`_in_S` for the values that go in, `_room_S` for the room that the caller offers, and one for the
results, `_fetch_S` in a stub and `_give_S` in a skel.  They walk over the members in the order of
the wire.  This module holds what the sides have in common; a side adds how it handles buffers.

A skel takes the buffers of composites out of a call, and gives their results back.

Records are copied out of their buffers, which need not be aligned.
"""

from __future__ import annotations

import abc
from collections.abc import Iterable

from buildtool.idl.emit.c_text import (
    FieldNames,
    block,
    copied,
    function,
    record_name,
    record_struct,
)
from buildtool.idl.method_layout import RecordKind, record_of
from buildtool.idl.model import Direction, Member, Parameter, Sequence, String, Struct, Type
from buildtool.idl.types import (
    Composite,
    composite,
    is_dma_sequence,
    is_flat,
    is_nested,
    strip_typedefs,
)

NO_NAMES: FieldNames = {}


class CompositeWriter(abc.ABC):
    """Writes the functions of one side."""

    result_verb: str  # names the function for results
    receives_results: bool  # true for a stub, which packs what goes in and unpacks the results

    @abc.abstractmethod
    def buffer(self, kind: RecordKind, many: Sequence | String, value: str, length: str) -> str:
        """Statements for a string or a sequence of flat elements that goes in or is room.

        `value` is the C expression of the data, `length` that of the record's length field.
        """

    @abc.abstractmethod
    def handles(self, kind: RecordKind, value: str, length: str) -> str:
        """Statements for a sequence of handles; `value` and `length` as in `buffer`."""

    @abc.abstractmethod
    def elements(self, kind: RecordKind, element: Composite, value: str, length: str) -> str:
        """Statements for a sequence of composites that goes in or is room."""

    @abc.abstractmethod
    def element_results(self, element: Composite) -> str:
        """Statements for the results of the next remembered sequence."""

    def functions(self, parameters: Iterable[Parameter]) -> list[str]:
        """The records of all composites in use and their functions, inner ones first."""
        parameters = list(parameters)
        parts = []
        for inner in _composites(parameters, Direction.IN):
            parts += [self._record(inner, RecordKind.IN), self._function(inner, RecordKind.IN)]
        for inner in _composites(parameters, Direction.ROUT):
            parts.append(self._record(inner, RecordKind.CAPACITY))
            if has_record(inner, RecordKind.RESULT):
                parts.append(self._record(inner, RecordKind.RESULT))
            parts.append(self._function(inner, RecordKind.CAPACITY))
            if self.has_results(inner):
                parts.append(self._function(inner, RecordKind.RESULT))
        return parts

    def member(
        self,
        kind: RecordKind,
        member: Member,
        value: str,
        address: str,
        *,
        wire: str,
        names: FieldNames = NO_NAMES,
    ) -> str:
        """Statements for one member; "" where there is nothing to do.

        `value` and `address` are C expressions of the native member, `wire` is the prefix of the
        record's fields, `names` has the record's field names where they differ from the usual.
        """
        name, type_ = member.name, strip_typedefs(member.type)
        if is_flat(type_):
            if kind is RecordKind.CAPACITY:
                return ""
            if self._receives(kind):
                return copied(value, wire + name, member.type, received=True)
            return copied(wire + name, value, member.type)
        if isinstance(type_, Struct):
            inner = composite(type_)
            if kind is RecordKind.RESULT:
                given = f"&{wire}{name}, " if has_record(inner, kind) else ""
                return self.result_call(inner, given, address) if self.has_results(inner) else ""
            field = wire + names.get((name, False), name)
            return f"{self.function_name(inner, kind)}(_call, &{field}, {address});"
        element = element_composite(type_)
        if kind is RecordKind.RESULT:
            if isinstance(type_, String) and self.receives_results:
                # Terminate the text, whatever the other side sent.
                return f"if ({value}Len > 0) {{\n    {value}[{value}Len - 1] = 0;\n}}"
            has_results = element is not None and self.has_results(element)
            return self.element_results(element) if element and has_results else ""
        if not isinstance(type_, Sequence | String):
            raise ValueError(f"cannot be packed: {type_!r}")
        length = wire + names.get((name, kind is RecordKind.CAPACITY), f"{name}Len")
        if is_dma_sequence(type_):
            return self.handles(kind, value, length)
        if element is None:
            return self.buffer(kind, type_, value, length)
        return self.elements(kind, element, value, length)

    def function_name(self, inner: Composite, kind: RecordKind) -> str:
        verbs = {RecordKind.IN: "in", RecordKind.CAPACITY: "room"}
        return f"_{verbs.get(kind, self.result_verb)}_{inner.c_type}"

    def result_call(self, inner: Composite, record: str, value: str) -> str:
        """The call of the function for results; `record` is its argument with a comma, or ""."""
        call = "_call, " if self._recalls(inner) else ""
        return f"{self.function_name(inner, RecordKind.RESULT)}({call}{record}{value});"

    def has_results(self, inner: Composite) -> bool:
        """Whether anything is left to do after the call beside the composite's buffers."""
        return any(
            is_flat(member.type)
            or (self.receives_results and isinstance(strip_typedefs(member.type), String))
            or ((element := element_composite(member.type)) and self.has_results(element))
            or (_is_struct(member.type) and self.has_results(composite(member.type)))
            for member in inner.members
        )

    def _recalls(self, inner: Composite) -> bool:
        """Whether handling the results goes over a remembered sequence."""
        return any(
            ((element := element_composite(member.type)) and self.has_results(element))
            or (
                _is_struct(member.type)
                and not is_flat(member.type)
                and self._recalls(composite(member.type))
            )
            for member in inner.members
        )

    def _receives(self, kind: RecordKind) -> bool:
        return (kind is RecordKind.RESULT) == self.receives_results

    def _record(self, inner: Composite, kind: RecordKind) -> str:
        record = record_of(inner.members, kind)
        return record_struct(inner.c_type, kind, record, received=self._receives(kind))

    def _function(self, inner: Composite, kind: RecordKind) -> str:
        """The function of a record: `_call`, the record `w`, the native value `v`."""
        received, is_result = self._receives(kind), kind is RecordKind.RESULT
        parameters = []
        if not is_result or self._recalls(inner):
            parameters.append("_Call* _call")
        if not is_result or has_record(inner, kind):
            parameters.append(f"{'const ' * received}{record_name(inner.c_type, kind)}* w")
        constant = "const " * (not received and kind is not RecordKind.CAPACITY)
        parameters.append(f"{constant}{inner.c_type}* v")
        statements = [
            self.member(kind, m, f"v->{m.name}", f"&v->{m.name}", wire="w->") for m in inner.members
        ]
        body = [statement for statement in statements if statement]
        if not any("v->" in statement for statement in body):
            body.append("(void)v;")
        name = self.function_name(inner, kind)
        return function(f"static void {name}({', '.join(parameters)})", body)


def element_loop(start: str, count: str, body: Iterable[str]) -> list[str]:
    """A loop with the index `_i`, declared by `start`, up to `count`."""
    return [f"for ({start} _i = 0; {count}; _i++) {{", block(body), "}"]


def braces(lines: Iterable[str]) -> str:
    """A block with its own variables."""
    return f"{{\n{block(lines)}\n}}"


def element_composite(type_: Type) -> Composite | None:
    """The composite that a sequence's elements are, None for a sequence of flat ones or handles."""
    resolved = strip_typedefs(type_)
    if not isinstance(resolved, Sequence) or is_flat(resolved.element) or is_dma_sequence(resolved):
        return None
    return composite(resolved.element)


def has_record(inner: Composite, kind: RecordKind) -> bool:
    """Whether the composite has a field in its record of this kind."""
    return bool(record_of(inner.members, kind).fields)


def _is_struct(type_: Type) -> bool:
    return isinstance(strip_typedefs(type_), Struct)


def _composites(parameters: Iterable[Parameter], direction: Direction) -> Iterable[Composite]:
    """The composites that travel in this direction, inner ones before outer ones."""
    found: dict[str, Composite] = {}
    for parameter in parameters:
        type_ = parameter.type
        if parameter.direction is direction and is_nested(type_) and not is_dma_sequence(type_):
            _collect(type_, found)
    return found.values()


def _collect(type_: Type, found: dict[str, Composite]) -> None:
    inner = element_composite(type_) or composite(type_)
    if inner.c_type not in found:
        for member in inner.members:
            if is_nested(member.type):
                _collect(member.type, found)
        found[inner.c_type] = inner


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
