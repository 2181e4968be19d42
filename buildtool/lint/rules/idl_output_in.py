"""A buffer that a method fills is declared `rout`, not `in`.

The skel gets a copy of an `in` buffer, or memory that is not written back: the caller never sees
what the DSP wrote there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.idl.layout.types import is_flat, strip_typedefs
from buildtool.idl.model import Direction, Sequence, Type
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.interfaces import methods, place
from buildtool.lint.subject import Subject

RULE = LintRule(
    "idl-output-in",
    __doc__,
    source=("docs/idl.md", "qualcomm/fastrpc src/fastrpc_apps_user.c"),
    remedy="Declare it rout.",
    language="idl",
    wrong="""\
interface image {
    long blur(in sequence<octet> src, in sequence<octet> dst);
};
""",
    right="""\
interface image {
    long blur(in sequence<octet> src, rout sequence<octet> dst);
};
""",
)
_OUTPUT = frozenset(("dst", "dest", "destination", "out", "output", "outputs"))
_NEUTRAL = frozenset(("buf", "buffer", "data", "ptr", "vec", "tensor", "image", "p"))


def check(subject: Subject) -> Iterator[LintFinding]:
    for interface, method in methods(subject):
        for parameter in method.parameters:
            if (
                parameter.direction is Direction.IN
                and _is_buffer(parameter.type)
                and _names_an_output(parameter.name)
            ):
                yield RULE.at(
                    place(interface, parameter.location),
                    f"`{parameter.name}` of {method.name} is declared in",
                    "its name says that the method fills it, and nothing is copied back",
                )


def _is_buffer(type_: Type) -> bool:
    resolved = strip_typedefs(type_)
    return isinstance(resolved, Sequence) and is_flat(resolved.element)


def _names_an_output(name: str) -> bool:
    """Whether all words of a name say so: `dst`, `out_buf`, `outputData`; not `out_shape`."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)}
    rest = words - _OUTPUT
    return rest != words and all(w in _NEUTRAL or w.isdigit() or len(w) == 1 for w in rest)
