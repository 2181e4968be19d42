"""The Python class of one interface.

Python source text: string literals, docstrings, and tuples over several lines.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from buildtool.idl.emit.c_declarations import function_name, takes_handle
from buildtool.idl.emit.python.names import (
    METHODS,
    PARAMETERS,
    RESULTS,
    ModuleNames,
    camel,
    python_name,
    python_names,
)
from buildtool.idl.emit.python.type_text import TypeText
from buildtool.idl.layout.types import flat_size, is_dma_sequence, strip_typedefs
from buildtool.idl.model import (
    Direction,
    DmaHandle,
    Interface,
    Method,
    Parameter,
    Primitive,
    String,
    Type,
)


def interface_text(
    interface: Interface, uri: str, names: ModuleNames, types: TypeText
) -> tuple[str, list[str]]:
    """The class of the interface, after those of its results, and the names of the latter."""
    first = 2 if interface.multi_domain else 0  # open and close are those of the base class
    name = names.type(interface)
    methods = list(enumerate(interface.methods))[first:]
    labels = python_names((method.name for _, method in methods), METHODS)
    lines = [f"\n\nclass {name}(_rpc.Interface):\n", docstring(interface.doc, 1)]
    if interface.doc.strip():
        lines.append("\n")
    if interface.multi_domain:
        lines.append(f"    URI = {quoted(uri)}\n")
    lines.append(f"    _c_name = {quoted(interface.c_name)}\n")
    before, results = [], []
    for label, (index, method) in zip(labels, methods, strict=True):
        if method.is_async:
            lines.append(f"\n    # {label}: asynchronous methods are called from C only.\n")
            continue
        made = _MethodText(interface, method, takes_handle(interface, index), types)
        kind = "None"
        if len(made.results) == 1:
            kind = types.result(made.results[0].type)
        elif made.results:
            kind = names.new(f"{name}{camel(method.name)}Result")
            results.append(kind)
            before.append(made.result_class(kind, f"{name}.{label}"))
        before.append(made.table(kind))
        lines.append(made.definition(label, kind))
    return "".join([*before, *lines]), results


class _MethodText:
    """The texts of one method."""

    def __init__(self, interface: Interface, method: Method, handle: bool, types: TypeText) -> None:
        self._function = function_name(interface, method)
        self._method = method
        self._handle = handle
        self._types = types
        self._names = python_names((each.name for each in method.parameters), PARAMETERS)
        self.results = [
            each
            for each in method.parameters
            if each.direction is not Direction.IN
            and not isinstance(strip_typedefs(each.type), DmaHandle)
            and not is_dma_sequence(each.type)
        ]

    def result_class(self, name: str, method: str) -> str:
        """The class of several results."""
        labels = python_names((each.name for each in self.results), RESULTS)
        fields = "".join(
            f"    {label}: {self._types.result(each.type)}\n"
            for label, each in zip(labels, self.results, strict=True)
        )
        doc = docstring(f"The results of `{method}`.", 1)
        return f"\n\nclass {name}(NamedTuple):\n{doc}\n{fields}"

    def table(self, kind: str) -> str:
        """The variable with the object that calls the C function."""
        parameters = [
            self._types.parameter(each, name)
            for each, name in zip(self._method.parameters, self._names, strict=True)
        ]
        make = kind if len(self.results) > 1 else "_rpc.only" if self.results else "_rpc.nothing"
        handle = "" if self._handle else "    handle=False,\n"
        result = self._method.result
        if result is not None and not _is_word(result):
            handle += f"    code={self._types.passed(result)},\n"
        return (
            f"\n\n{self._variable}: _rpc.Method[{kind}] = _rpc.Method(\n"
            f"    {quoted(self._function)},\n{tuple_lines(parameters, 1)}\n    {make},\n{handle})\n"
        )

    def definition(self, label: str, kind: str) -> str:
        """The method."""
        arguments = self._arguments()
        annotated = ["self", *(f"{name}: {hint}" for name, hint in arguments)]
        head = f"    def {label}({', '.join(annotated)}) -> {kind}:\n"
        if len(head) > WIDTH:
            inner = "".join(f"        {each},\n" for each in annotated)
            head = f"    def {label}(\n{inner}    ) -> {kind}:\n"
        passed = ", ".join([self._variable, *(name for name, _ in arguments)])
        call = f"self._invoke({passed})"
        body = f"        return {call}\n" if self.results else f"        {call}\n"
        return f"\n{head}{docstring(self._method.doc, 2)}{body}"

    def _arguments(self) -> list[tuple[str, str]]:
        """The names and annotations of the arguments."""
        taken = {*PARAMETERS, *self._names}
        arguments = []
        for parameter, name in zip(self._method.parameters, self._names, strict=True):
            if hint := self._types.argument(parameter):
                arguments.append((name, hint))
            if _is_inrout_text(parameter):
                size = python_name(f"{name}_size", taken)
                taken.add(size)
                arguments.append((size, "int"))
        return arguments

    @property
    def _variable(self) -> str:
        return f"_m_{self._function}"


def _is_word(result: Type) -> bool:
    """Whether a result comes back as a C `int` does."""
    kind = strip_typedefs(result)
    return flat_size(kind)[0] == 4 and kind is not Primitive.FLOAT


def _is_inrout_text(parameter: Parameter) -> bool:
    is_text = isinstance(strip_typedefs(parameter.type), String)
    return is_text and parameter.direction is Direction.INROUT


WIDTH = 100
INDENT = "    "


def quoted(text: str) -> str:
    """`text` as a string literal in ASCII."""
    return '"' + text.encode("unicode_escape").decode().replace('"', '\\"') + '"'


def docstring(doc: str, depth: int = 0) -> str:
    """A docstring with the text of `doc`, as a line or several; "" if it is empty."""
    lines = [line.rstrip() for line in doc.strip().splitlines()]
    if not lines:
        return ""
    text = "\n".join(_escaped(line) for line in lines).replace('"""', '\\"\\"\\"')
    if len(lines) > 1:
        text += "\n"
    elif text.endswith('"'):
        text = text[:-1] + '\\"'
    return textwrap.indent(f'"""{text}"""\n', INDENT * depth, lambda line: bool(line.strip()))


def tuple_lines(items: Sequence[str], depth: int) -> str:
    """A tuple with one item on each line, and a comma after it."""
    short = f"{INDENT * depth}({', '.join(items)}{',' if len(items) == 1 else ''}),"
    if len(items) < 2 and len(short) <= WIDTH:
        return short
    inner = "".join(f"{INDENT * (depth + 1)}{item},\n" for item in items)
    return f"{INDENT * depth}(\n{inner}{INDENT * depth}),"


def _escaped(line: str) -> str:
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in line.replace("\\", "\\\\")
    )
