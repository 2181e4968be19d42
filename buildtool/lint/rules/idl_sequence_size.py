"""What a method can pass fits into 32 bits.

Lengths are 32-bit numbers, on the DSP sizes in bytes are, too, and all arguments of a call share
its address space. A bound that allows more overflows there.
"""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.idl.layout.types import element_of, flat_size, is_flat, strip_typedefs
from buildtool.idl.model import Sequence, String, Type
from buildtool.lint.finding import LintFinding, LintRule
from buildtool.lint.interfaces import methods, place
from buildtool.lint.subject import Subject

RULE = LintRule(
    "idl-sequence-size",
    __doc__,
    source=("docs/idl.md", "ggml-org/llama.cpp docs/backend/snapdragon"),
    remedy="Lower the bound, or pass a dmahandle and map a part of it at a time.",
    language="idl",
    wrong="""\
interface model {
    long load(in sequence<double, 600000000> weights);
};
""",
    right="""\
interface model {
    long load(in sequence<double, 60000000> weights);
};
""",
)
MOST = (1 << 32) - 1


def check(subject: Subject) -> Iterator[LintFinding]:
    for interface, method in methods(subject):
        total = 0
        for parameter in method.parameters:
            size = _most_bytes(parameter.type)
            total += size
            if total > MOST:
                yield RULE.at(
                    place(interface, parameter.location),
                    f"`{parameter.name}` of {method.name} can have {size:,} bytes",
                    "a call has at most 2^32 - 1 bytes of arguments"
                    if size > MOST
                    else f"with the parameters before it {total:,}, more than 2^32 - 1",
                )
                break


def _most_bytes(type_: Type) -> int:
    """The bytes of a sequence or string with a bound; 0 if it has none, or is nested."""
    resolved = strip_typedefs(type_)
    if isinstance(resolved, Sequence | String) and resolved.bound is not None:
        element = element_of(resolved)
        return resolved.bound * (flat_size(element)[0] if is_flat(element) else 8)
    return 0
