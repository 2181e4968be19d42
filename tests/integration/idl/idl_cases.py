"""C for a random case: a caller that checks results, an implementation that checks arguments.

Both include `cases.h`, which contains every value as static data and functions that
compare and copy them.  A mismatch is a code that identifies the method and the parameter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from buildtool.idl.model import (
    Array,
    Direction,
    Enum,
    Primitive,
    Sequence,
    String,
    Struct,
    Type,
)
from tests.integration.idl.idl_random import Argument, Case, idl_text, plain
from tests.integration.idl.idl_same import c_type, element, functions, put, same

PRELUDE = """\
/* Values of a random case. */
#include <stdio.h>
#include <string.h>

#include "loop.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"

static size_t units(const void *text, int length, size_t width)
{
    size_t at = 0;
    const char *octets = text;
    while (text != NULL && at < (size_t)length && memcmp(octets + at * width, "\\0", width) != 0) {
        at++;
    }
    return at;
}

static int same_text(const void *x, int x_length, const void *y, int y_length, size_t width)
{
    size_t n = units(x, x_length, width);
    return n == units(y, y_length, width) && (n == 0 || memcmp(x, y, n * width) == 0);
}

static int put_text(void *to, int room, const void *from, int length, size_t width)
{
    size_t n = units(from, length, width);
    if (length == 0) {
        return 1;
    }
    if (to == NULL || n + 1 > (size_t)room) {
        return 0;
    }
    memcpy(to, from, (n + 1) * width);
    return 1;
}
"""


def write_case(case: Case, out: Path) -> None:
    """Write `loop.idl`, `cases.h`, `caller.c` and `imp.c` to the directory."""
    data = _Data()
    helpers = [line for type_ in case.types for line in functions(type_)]
    callers, implementations = [], []
    for number, (name, arguments) in enumerate(case.methods):
        callers.append(_caller(number, name, arguments, data))
        implementations.append(_implementation(number, name, arguments))
    calls = "\n".join(f"    failed |= call_{name}(h);" for name, _ in case.methods)
    (out / "loop.idl").write_text(idl_text(case))
    (out / "cases.h").write_text("\n".join([PRELUDE, *helpers, *data.lines, ""]))
    (out / "caller.c").write_text(
        '#include "cases.h"\n'
        + "\n".join(callers)
        + f"""
int main(void)
{{
    remote_handle64 h = 0;
    int failed = 0, status;

#ifdef ON_DEVICE
    struct remote_rpc_control_unsigned_module unsigned_module = {{CDSP_DOMAIN_ID, 1}};
    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &unsigned_module,
                           sizeof(unsigned_module));
#endif
    status = loop_open(loop_URI "&_dom=cdsp", &h);
    if (status != 0) {{
        printf("open: 0x%x\\n", (unsigned)status);
        return 1;
    }}
{calls}
    status = loop_close(h);
    if (status != 0) {{
        printf("close: 0x%x\\n", (unsigned)status);
        return 1;
    }}
    puts(failed ? "different" : "same");
    return failed;
}}
"""
    )
    (out / "imp.c").write_text(
        '#include "cases.h"\n'
        "int __QAIC_IMPL(loop_open)(const char *uri, remote_handle64 *h)\n"
        "{\n    (void)uri;\n    *h = 1;\n    return 0;\n}\n"
        "int __QAIC_IMPL(loop_close)(remote_handle64 h)\n"
        "{\n    return h == 1 ? 0 : 1;\n}\n" + "\n".join(implementations)
    )


@dataclass
class _Data:
    """Static definitions, each after those that it needs."""

    lines: list[str] = field(default_factory=list)
    number: Iterator[int] = field(default_factory=count)

    def initial(self, type_: Type, value: Any, *, empty: bool) -> str:
        """An initialiser; with `empty`, one of the same shape without the values."""
        match plain(type_):
            case Primitive() as primitive:
                return _literal(primitive, value) if not empty else "0"
            case Enum():
                return f"(colour){value}" if not empty else "(colour)0"
            case Sequence() | String():
                return "{" + ", ".join(self.pointer(type_, value, empty=empty)) + "}"
            case Array(element=inner):
                return "{" + ", ".join(self.initial(inner, v, empty=empty) for v in value) + "}"
            case Struct(members=members):
                parts: list[str] = []
                for member, part in zip(members, value, strict=True):
                    if isinstance(plain(member.type), Sequence | String):
                        parts += self.pointer(member.type, part, empty=empty)
                    else:
                        parts.append(self.initial(member.type, part, empty=empty))
                return "{" + ", ".join(parts) + "}"
            case other:
                raise ValueError(other)

    def pointer(self, type_: Type, value: Any, *, empty: bool) -> tuple[str, str]:
        """Pointer and length of a sequence or text; with `empty`, it has the same capacity."""
        many = plain(type_)
        assert isinstance(many, Sequence | String)
        name = f"data{next(self.number)}"
        if isinstance(many, String):
            if value.missing:
                return "NULL", "0"
            size = len(value.units) + 1 + value.extra
            width = "_wchar_t" if many.wide else "char"
            cast = "" if many.wide else "(char)"
            units = "".join(f"{cast}{unit}, " for unit in (() if empty else value.units))
            self.lines.append(f"static {width} {name}[{size}] = {{{units}0}};")
            return name, str(size)
        if not value:
            return "NULL", "0"
        inner = [self.initial(many.element, v, empty=empty) for v in value]
        self.lines.append(
            f"static {c_type(many.element)} {name}[{len(value)}] = {{{', '.join(inner)}}};"
        )
        return name, str(len(value))

    def variable(self, name: str, type_: Type, value: Any, *, empty: bool = False) -> None:
        """Define `name`, and for a sequence or text `nameLen`."""
        many = plain(type_)
        if isinstance(many, Sequence | String):
            start, length = self.pointer(type_, value, empty=empty)
            self.lines.append(f"static {c_type(element(many))} *{name} = {start};")
            self.lines.append(f"static int {name}Len = {length};")
        else:
            initial = self.initial(type_, value, empty=empty)
            self.lines.append(f"static {c_type(type_)} {name} = {initial};")


def _literal(primitive: Primitive, value: Any) -> str:
    if primitive is Primitive.BOOLEAN:
        return "true" if value else "false"
    if primitive in (Primitive.FLOAT, Primitive.DOUBLE):
        return float(value).hex() + ("f" if primitive is Primitive.FLOAT else "")
    if primitive.size == 8:
        return f"({primitive.c_name}){value % 2**64}ull"
    return f"({primitive.c_name}){value % 2**32}u"


def _caller(number: int, name: str, arguments: tuple[Argument, ...], data: _Data) -> str:
    given, checks = ["h"], []
    for at, argument in enumerate(arguments):
        base = f"{name}_{at}"
        type_ = argument.type
        many = isinstance(plain(type_), Sequence | String)
        if argument.direction is not Direction.ROUT:
            data.variable(f"{base}_in", type_, argument.given)
        if argument.direction is not Direction.IN:
            data.variable(f"{base}_out", type_, argument.result)
            checks.append(
                same(type_, f"{base}_room", f"{base}_out", f"return wrong({number}, {at})")
            )
        if argument.direction is Direction.ROUT:
            data.variable(f"{base}_room", type_, argument.result, empty=True)
        if argument.direction is Direction.INROUT:
            data.variable(f"{base}_room", type_, argument.given)
        where = f"{base}_in" if argument.direction is Direction.IN else f"{base}_room"
        by_value = argument.direction is Direction.IN and not isinstance(plain(type_), Struct)
        if many:
            given.append(where)
            if not (isinstance(plain(type_), String) and argument.direction is Direction.IN):
                given.append(f"{where}Len")
        elif isinstance(plain(type_), Array) or by_value:
            given.append(where)
        else:
            given.append(f"&{where}")
    wrong = (
        "static int wrong(int method, int parameter)\n"
        '{\n    printf("method %d: parameter %d came back different\\n", method, parameter);\n'
        "    return 1;\n}\n"
        if number == 0
        else ""
    )
    body = "\n".join(checks)
    return (
        f"{wrong}static int call_{name}(remote_handle64 h)\n{{\n"
        f"    int status = loop_{name}({', '.join(given)});\n"
        f"    if (status != 0) {{\n"
        f'        printf("method {number}: 0x%x\\n", (unsigned)status);\n'
        f"        return 1;\n    }}\n"
        f"{body}\n    return 0;\n}}\n"
    )


def _implementation(number: int, name: str, arguments: tuple[Argument, ...]) -> str:
    parameters, body = ["remote_handle64 _h"], ["    if (_h != 1) { return 1; }"]
    for at, argument in enumerate(arguments):
        base, p, type_ = f"{name}_{at}", f"p{at}", argument.type
        const = "const " if argument.direction is Direction.IN else ""
        fail = f"return {1000 + 10 * number + at}"
        target = p
        match plain(type_):
            case String() as text if const:
                parameters.append(f"const {c_type(element(text))} *{p}")
                body.append(f"    int {p}Len = {base}_inLen;")
            case Sequence() | String() as many:
                parameters += [f"{const}{c_type(element(many))} *{p}", f"int {p}Len"]
            case Array():
                parameters.append(f"{const}{c_type(type_)} {p}")
            case Struct() if const:
                parameters.append(f"const {c_type(type_)} *{p}")
                target = f"(*{p})"
            case _ if const:
                parameters.append(f"{c_type(type_)} {p}")
            case _:
                parameters.append(f"{c_type(type_)} *{p}")
                target = f"(*{p})"
        if argument.direction is not Direction.ROUT:
            body.append(same(type_, target, f"{base}_in", fail))
        if argument.direction is not Direction.IN:
            body.append(put(type_, target, f"{base}_out", fail))
    code = "\n".join(body)
    return f"int __QAIC_IMPL(loop_{name})({', '.join(parameters)})\n{{\n{code}\n    return 0;\n}}\n"
