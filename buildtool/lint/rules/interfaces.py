"""Rules about interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.idl.model import Direction, Enum, Location, Method, Primitive, Sequence, String, Type
from buildtool.idl.types import element_of, flat_size, is_flat, strip_typedefs
from buildtool.lint.c_tokens import Place
from buildtool.lint.changes import changes, needed_version, version_numbers
from buildtool.lint.finding import LintFinding, rule
from buildtool.lint.subject import Interface, Subject

_OUTPUT = frozenset(("dst", "dest", "destination", "out", "output"))
_OUTPUTS = frozenset(("outputs", "results"))
"""Names of outputs only if they are no 32-bit integers, which are mostly ids of outputs."""
_RESULT = frozenset(("result", "results", "res", "y"))
"""Names of outputs only in a method that returns nothing else: in others they are often inputs."""
_NEUTRAL = frozenset(("buf", "buffer", "data", "ptr", "vec", "tensor", "image", "p"))


@rule(
    "idl-output-in",
    source=("docs/idl.md", "qualcomm/fastrpc src/fastrpc_apps_user.c"),
    remedy="Declare it rout.",
    language="idl",
)
def idl_output_in(subject: Subject) -> Iterator[LintFinding]:
    """A buffer that a method fills is declared `rout`, not `in`.

    The skel gets a copy of an `in` buffer, or memory that is not written back: the caller never
    sees what the DSP wrote there.
    """
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
                yield idl_output_in.at(
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


@rule(
    "idl-capacity",
    source=("docs/idl.md",),
    remedy="Add a parameter with the number of elements: rout long count.",
    language="idl",
)
def idl_capacity(subject: Subject) -> Iterator[LintFinding]:
    """A method that fills a sequence without knowing its size says how much of it is filled.

    The length of a `rout` sequence is its capacity. It is sent to the DSP, and not back: the caller
    cannot tell the elements that were written from those that were not.
    """
    for interface, method in methods(subject):
        sequences = [
            each
            for each in method.parameters
            if each.direction is Direction.ROUT and isinstance(strip_typedefs(each.type), Sequence)
        ]
        # With any other parameter the number of elements may follow from that.
        if sequences and len(sequences) == len(method.parameters):
            yield idl_capacity.at(
                place(interface, sequences[0].location),
                f"{method.name} fills `{sequences[0].name}` and does not say how far",
                "the caller gets its own capacity back, not the number of elements",
            )


_CODES = frozenset((Primitive.LONG, Primitive.ULONG, Primitive.INT32, Primitive.UINT32))


@rule(
    "idl-result",
    source=("docs/idl.md", "buildtool/idl/emit/skel_methods.py"),
    remedy="Return AEEResult, and the value through a rout parameter.",
    language="idl",
)
def idl_result(subject: Subject) -> Iterator[LintFinding]:
    """A method returns an error code: long, or AEEResult.

    FastRPC returns its own errors as the result of the method, and if that is not 0 it copies none
    of the results back. A count, a truth value or an enumerator as the result is taken for an
    error, and a type of fewer than 32 bits loses part of the code.
    """
    for interface, method in methods(subject):
        result = strip_typedefs(method.result) if method.result is not None else None
        if isinstance(result, Enum):
            name = f"the enum {result.c_name}"
        elif isinstance(result, Primitive) and result not in _CODES:
            name = result.idl_name
        else:
            continue
        yield idl_result.at(
            place(interface, method.location),
            f"{method.name} returns {name}",
            "any result but 0 is an error of FastRPC, after which nothing is copied back",
        )


MOST = (1 << 32) - 1


@rule(
    "idl-sequence-size",
    source=("docs/idl.md", "ggml-org/llama.cpp docs/backend/snapdragon"),
    remedy="Lower the bound, or pass a dmahandle and map a part of it at a time.",
    language="idl",
)
def idl_sequence_size(subject: Subject) -> Iterator[LintFinding]:
    """What a method can pass fits into 32 bits.

    Lengths are 32-bit numbers, on the DSP sizes in bytes are, too, and all arguments of a call
    share its address space. A bound that allows more overflows there.
    """
    for interface, method in methods(subject):
        total = 0
        for parameter in method.parameters:
            size = _most_bytes(parameter.type)
            total += size
            if total > MOST:
                yield idl_sequence_size.at(
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


@rule(
    "idl-compatible",
    source=("docs/idl.md", "qualcomm/fastrpc inc/AEEStdErr.h"),
    remedy="Append methods and keep the others, or raise IDL_VERSION.",
    condition="idl-mismatch",
    language="idl",
)
def idl_compatible(subject: Subject) -> Iterator[LintFinding]:
    """A change that breaks an interface has a newer IDL_VERSION.

    Methods are called by their number, and arguments have no names. A program with the stub of the
    last release calls another method, or passes other data. With IDL_VERSION, a skel that is older
    than the program is refused when it is opened, with 0x80000594. A newer skel is not: keep the
    methods of the last release as they are, and append new ones.
    """
    for interface in subject.interfaces:
        released = interface.released
        if released is None:
            continue
        found = changes(released, interface.unit)
        breaks = any(change.breaks for change in found)
        needed = needed_version(released.idl_version, breaks=breaks)
        if version_numbers(interface.unit.idl_version) >= version_numbers(needed):
            continue
        for change in found:
            if breaks and not change.breaks:
                continue
            yield idl_compatible.at(
                place(interface, change.location),
                change.text,
                "programs and skels of the last release"
                f" ({released.idl_version or 'no version'}) and of this one do not fit together",
                f"Append methods and keep the others, or set IDL_VERSION to {needed}."
                if change.breaks
                else f"Set IDL_VERSION to {needed}.",
            )


def methods(subject: Subject) -> Iterator[tuple[Interface, Method]]:
    """The methods that IDL files declare themselves, not those of included files."""
    for interface in subject.interfaces:
        own = interface.unit.dependencies[0]
        for each in interface.unit.interfaces:
            for method in each.methods:
                if method.location and method.location.file == own:
                    yield interface, method


def place(interface: Interface, location: Location | None) -> Place:
    """The place of something in an IDL file; its first line if that is not known."""
    own = location is not None and location.file == interface.unit.dependencies[0]
    if location is None or not own:
        return Place(interface.path, 1, 1)
    return Place(interface.path, location.line, location.column)
