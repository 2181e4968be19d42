"""A buffer that a method fills is declared `rout`, not `in`.

The skel gets a copy of an `in` buffer, or memory that is not written back: the caller never sees
what the DSP wrote there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.idl.layout.types import strip_typedefs
from buildtool.idl.model import Direction, Primitive, Sequence, Type
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
_OUTPUT = frozenset(("dst", "dest", "destination", "out", "output"))
_OUTPUTS = frozenset(("outputs", "results"))
"""Names of outputs only if they are no 32-bit integers, which are mostly ids of outputs."""
_RESULT = frozenset(("result", "results", "res", "y"))
"""Names of outputs only in a method that returns nothing else: in others they are often inputs."""
_NEUTRAL = frozenset(("buf", "buffer", "data", "ptr", "vec", "tensor", "image", "p"))


def check(subject: Subject) -> Iterator[LintFinding]:
    for interface, method in methods(subject):
        returns = any(each.direction is not Direction.IN for each in method.parameters)
        for parameter in method.parameters:
            element = _element(parameter.type)
            if parameter.direction is not Direction.IN or element is None:
                continue
            names = _OUTPUT if returns else _OUTPUT | _RESULT
            is_id = element.size > 2 and element not in (Primitive.FLOAT, Primitive.DOUBLE)
            names = names - _OUTPUTS if is_id else names | _OUTPUTS
            if _names_an_output(parameter.name, names):
                yield RULE.at(
                    place(interface, parameter.location),
                    f"`{parameter.name}` of {method.name} is declared in",
                    "its name says that the method fills it, and nothing is copied back",
                )


def _element(type_: Type) -> Primitive | None:
    """The number of which a buffer is made, None if it is none.

    A structure that is called an output mostly describes one: its shape, or where it is.
    """
    resolved = strip_typedefs(type_)
    element = strip_typedefs(resolved.element) if isinstance(resolved, Sequence) else None
    return element if isinstance(element, Primitive) else None


def _names_an_output(name: str, outputs: frozenset[str]) -> bool:
    """Whether all words of a name say so: `dst`, `out_buf`, `outputData`; not `out_shape`."""
    words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)}
    rest = words - outputs
    return rest != words and all(w in _NEUTRAL or w.isdigit() or len(w) == 1 for w in rest)
