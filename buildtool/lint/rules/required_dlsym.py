"""A program does without functions that libcdsprpc lacks on older devices.

rpcmem_alloc2, remote_handle64_invoke_async, remote_system_request and others are newer. A program
that ends because dlsym does not find one of them does not run on devices where the rest would work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.lint.c_code.expressions import NOTHING, assigned, literal
from buildtool.lint.c_code.functions import Call, Function
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.subject import Subject
from buildtool.toolchains.cdsprpc import known_exports

RULE = LintRule(
    "required-dlsym",
    __doc__,
    source=("cmake/cdsprpc_exports.txt", "https://github.com/ggml-org/llama.cpp/issues/16911"),
    remedy="Use another function if it is missing, such as rpcmem_alloc for rpcmem_alloc2.",
    condition="session-uri-missing",
    wrong="""\
int load(void *library, struct functions *f)
{
    f->alloc2 = dlsym(library, "rpcmem_alloc2");
    if (f->alloc2 == NULL)
        return -1;
    return 0;
}
""",
    right="""\
int load(void *library, struct functions *f)
{
    f->alloc2 = dlsym(library, "rpcmem_alloc2");
    f->alloc = dlsym(library, "rpcmem_alloc");
    if (f->alloc == NULL)
        return -1;
    return 0;
}
""",
)
_LOOKUP = r"\b(dlsym|dl_get_sym|GetProcAddress)\b"
_LEAVING = r"\b(return|goto|throw|exit|abort)\b"
MAX_CONTROLS = 64
"""Conditions after the call that are read."""


def check(subject: Subject) -> Iterator[LintFinding]:
    exports = known_exports()
    for function, call in subject.calls(*_requiring_macros(subject)):
        for argument in call.arguments:
            words = function.text(argument)
            name = words[0].strip('"') if len(words) == 1 else ""
            if exports.get(name) is False:
                yield _finding(function, call, name)
    for function, call in subject.calls("dlsym"):
        symbol = literal(function.text(call.arguments[1])) if len(call.arguments) == 2 else None
        if symbol and exports.get(symbol) is False:
            target = assigned(function, call.at)
            if target and _is_required(function, call, target):
                yield _finding(function, call, symbol)


def _finding(function: Function, call: Call, name: str) -> LintFinding:
    place = function.code.place(call.at)
    return RULE.at(place, f"{name} is required", "libcdsprpc of older devices does not have it")


def _requiring_macros(subject: Subject) -> list[str]:
    """The macros that look up a function and leave if it is missing, whatever else holds."""
    return [
        name
        for code in subject.code
        for name, text in code.macros.items()
        if re.search(_LOOKUP, text) and re.search(_LEAVING, text) and "&&" not in text
    ]


def _is_required(function: Function, call: Call, target: list[str]) -> bool:
    """Whether the function ends if `target` is NULL, in any part of a condition joined by ||."""
    texts = function.code.texts
    for control in function.controls_after(call.end, MAX_CONTROLS):
        first, last = control.condition
        condition = texts[first:last]
        if control.keyword == "if" and "&&" not in condition and function.leaves(control.body):
            if first <= call.at:  # if (!(f = dlsym(…)))
                end = call.end + 1
                negated, compared = "!" in texts[first : call.at], _is_null(texts[end:last])
                if negated or compared:
                    return True
            elif _tests_for_null(condition, target):
                return True
    return False


def _tests_for_null(condition: list[str], target: list[str]) -> bool:
    size = len(target)
    for at in range(len(condition) - size + 1):
        if condition[at : at + size] != target:
            continue
        before, after = condition[max(at - 2, 0) : at], condition[at + size : at + size + 4]
        if before[-1:] == ["!"] or (before[-1:] == ["=="] and before[0] in NOTHING):
            return True
        if before[-1:] not in (["."], ["->"]) and _is_null(after):
            return True
    return False


def _is_null(after: list[str]) -> bool:
    """Whether an expression is compared with NULL by the tokens after it."""
    rest = [text for text in after[:4] if text != ")"]
    return rest[:1] == ["=="] and rest[1:2] != [] and rest[1] in NOTHING
