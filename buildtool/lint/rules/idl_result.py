"""A method returns an error code: long, or AEEResult.

FastRPC returns its own errors as the result of the method, and if that is not 0 it copies none of
the results back. A count, a truth value or an enumerator as the result is taken for an error, and a
type of fewer than 32 bits loses part of the code.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.idl.layout.types import strip_typedefs
from buildtool.idl.model import Enum, Primitive
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.interfaces import methods, place
from buildtool.lint.subject import Subject

RULE = LintRule(
    "idl-result",
    __doc__,
    source=("docs/idl.md", "buildtool/idl/emit/skel_methods.py"),
    remedy="Return AEEResult, and the value through a rout parameter.",
    language="idl",
    wrong="""\
interface sensor {
    boolean is_ready(rout long state);
};
""",
    right="""\
interface sensor {
    long is_ready(rout boolean ready, rout long state);
};
""",
)
_CODES = frozenset((Primitive.LONG, Primitive.ULONG, Primitive.INT32, Primitive.UINT32))


def check(subject: Subject) -> Iterator[LintFinding]:
    for interface, method in methods(subject):
        result = strip_typedefs(method.result) if method.result is not None else None
        if isinstance(result, Enum):
            name = f"the enum {result.c_name}"
        elif isinstance(result, Primitive) and result not in _CODES:
            name = result.idl_name
        else:
            continue
        yield RULE.at(
            place(interface, method.location),
            f"{method.name} returns {name}",
            "any result but 0 is an error of FastRPC, after which nothing is copied back",
        )
