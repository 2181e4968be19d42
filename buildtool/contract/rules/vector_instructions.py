"""Whether the DSP executes the vector instructions of the skels as they are meant."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from buildtool.contract.finding import Finding, rule
from buildtool.contract.subject import Subject
from buildtool.contract.vector_code import (
    Function,
    Use,
    VectorCode,
    arch_generation,
    code_finding,
    listed,
    vector_code,
)
from buildtool.contract.vector_values import (
    STORE,
    Origin,
    Read,
    TooComplexError,
    VectorValues,
    Write,
)
from buildtool.core.value import Value
from buildtool.toolchains.hvx import IEEE_KINDS, QF_KINDS

_IEEE_REMEDY = (
    "Compile it for {arch} without +hvx_ieee_fp. In C and assembly use the qf forms:"
    " Q6_Vqf32_vadd_VsfVsf(a, b), then Q6_Vsf_equals_Vqf32."
)
_NEWER_REMEDY = (
    "Compile it for {arch}: remove -mcpu and -mhvx= from its flags, and instructions of newer archs"
    " from assembly."
)


@rule("hvx-instructions", code="skel")
def hvx_instructions(subject: Subject) -> Iterator[Finding]:
    """The code of dsp/ARCH/ has no HVX instruction that the arch lacks.

    A DSP executes such a word as another instruction, or as none. From v79 on there are no sums and
    products with IEEE operands and results, such as V0.sf=vadd(V1.sf,V2.sf): zeros and infinities
    were measured, without a fault. Source: LLVM, pull request 198832.
    """
    for path, arch, _ in subject.dsp():
        code, number = vector_code(subject, path), arch_generation(arch)
        lacked = _lacked(code, number) if code else []
        for ieee in (True, False):
            found = [use for use in lacked if use.form.ieee is ieee]
            if code and found:
                what = "IEEE sums or products" if ieee else "instructions of a newer arch"
                yield code_finding(
                    subject,
                    hvx_instructions,
                    path,
                    f"has {what}, which {arch} lacks",
                    why=listed(found, partial(_line, code)),
                    remedy=(_IEEE_REMEDY if ieee else _NEWER_REMEDY).format(arch=arch),
                )


def _lacked(code: VectorCode, arch: int) -> list[Use]:
    return list(code.uses(lambda form: form.lacked_by(arch)))


def _line(code: VectorCode, use: Use) -> str:
    since = "" if use.form.ieee else f", of v{use.form.first}"
    where = f"{code.function(use.address)}, {code.line(use.address)}"
    return f"{where}: {use.form.text(use.word)}{since}"


_FIRST = 79
_CONVERT = "Convert the value first: Q6_Vsf_equals_Vqf32 or Q6_Vhf_equals_Vqf16."


class Mistake(Value):
    """A way to lose a qf value: `what` follows the name of the file."""

    what: str
    remedy: str
    is_loss: bool = True


STACK = Mistake(
    "keeps qf values on the stack, where they lose bits",
    "Keep fewer qf values at once, or convert them before the loop"
    " (Q6_Vsf_equals_Vqf32): vectors of sf lose nothing on the stack.",
)
CALL = Mistake(
    "keeps qf values on the stack during a call, where they lose bits",
    "Convert them before the call (Q6_Vsf_equals_Vqf32), or let the compiler inline the function.",
)
PERMUTATION = Mistake("permutes qf values", _CONVERT)
AS_IEEE = Mistake("reads qf values as IEEE numbers", _CONVERT)
AS_QF = Mistake(
    "reads IEEE numbers as qf values",
    "Use the form for such operands, for example Q6_Vqf32_vadd_VsfVsf in place of"
    " Q6_Vqf32_vadd_Vqf32Vsf; Q6_Vqf32_vadd_VsfVsf(x, Q6_V_vzero()) makes a qf value of sf.",
)
WIDTH = Mistake("reads qf values of the other width", _CONVERT)
COPIED = Mistake(
    "copies qf values, which can change their last bit",
    "Convert them before they are copied, or keep fewer of them at once.",
    is_loss=False,
)


@rule("qf-values", code="skel")
def qf_values(subject: Subject) -> Iterator[Finding]:
    """No code for v79 or newer loses qf values, or reads them as something else.

    Since v79 a vector register has 4 more bits for each lane of a qf value. Stores, copies and
    permutations keep 32 bits of a lane, and reads as sf, hf or of the other width give garbage.
    Compilers before LLVM 23 spill qf registers so: LLVM issue 204825. What is not known, such as
    code after an indirect jump, is not reported.
    """
    for path, arch, _ in subject.dsp():
        if arch_generation(arch) < _FIRST or not (code := vector_code(subject, path)):
            continue
        found: dict[Mistake, dict[int, Place]] = {}
        for function in code.functions(lambda form: form.has_qf):
            with suppress(TooComplexError):
                for mistake, place in _mistakes(function):
                    found.setdefault(mistake, {}).setdefault(place.address, place)
        for mistake, places in sorted(found.items(), key=lambda item: not item[0].is_loss):
            why, remedy = listed(list(places.values()), partial(_text, code)), mistake.remedy
            if mistake.is_loss:
                yield code_finding(subject, qf_values, path, mistake.what, why=why, remedy=remedy)
            else:
                message = f"{posixpath.basename(path)} {mistake.what}"
                yield qf_values.warning(path, message, why=why, remedy=remedy)


class Place(Value):
    """Where a mistake is: `how` has `{origin}` and `{read}` for the lines of these addresses."""

    address: int
    origin: int
    read: int
    how: str


def _text(code: VectorCode, place: Place) -> str:
    how = place.how.format(origin=code.line(place.origin), read=code.line(place.read))
    return f"{code.function(place.address)}, {code.line(place.address)}: {how}"


def _mistakes(function: Function) -> Iterator[tuple[Mistake, Place]]:
    """What a function does wrong; raises `TooComplexError`."""
    values = VectorValues(function.packets, function.entries)
    is_open = any(packet.indirect for packet in function.packets)  # to anywhere in it
    for read in values.reads():
        origins = [list(values.origins(writes)) for writes in read.writes]
        if read.operand.is_qf:
            for register, some in zip(read.registers, origins, strict=True):
                yield from _passed_on(values, read, register, some)
        if is_open or read.form.is_store or read.form.copies:
            continue
        kinds = {origin.write.kind for some in origins for origin in some}
        if (mistake := _misread(read, kinds)) and all(origins):
            how = f"{read.form.text(read.word)} reads {min(kinds)} of {{origin}}"
            yield mistake, Place(read.address, origins[0][0].write.address, read.address, how)


def _misread(read: Read, kinds: set[str]) -> Mistake | None:
    """The mistake of an instruction that reads values of the given kinds."""
    wanted = read.operand.kind
    if read.operand.is_qf:
        if kinds <= IEEE_KINDS:
            return AS_QF
        return WIDTH if kinds <= QF_KINDS - {wanted} else None
    if not kinds <= QF_KINDS:
        return None
    if wanted in IEEE_KINDS:
        return AS_IEEE
    return PERMUTATION if read.operand in read.form.permuted else None


def _passed_on(
    values: VectorValues, read: Read, register: int, origins: list[Origin]
) -> Iterator[tuple[Mistake, Place]]:
    """The mistakes by which an operand of qf gets a value that was stored or copied."""
    for origin, passed in origins:
        if not passed or origin.kind not in QF_KINDS:
            continue
        stores = [number for number, write in enumerate(passed) if write.kind == STORE]
        if stores:
            store, load = passed[stores[-1]], passed[stores[-1] - 1]
            mistake, at = CALL if values.crosses_call(store, load) else STACK, store.address
            how = f"is stored at {_slot(store)}, and read as v{register} at {{read}}"
        else:
            mistake, at = COPIED, passed[-1].address
            how = f"is copied to v{passed[-1].place}, and read at {{read}}"
        how = f"{origin.kind} of {{origin}} {how}"
        yield mistake, Place(at, origin.address, read.address, how)


def _slot(store: Write) -> str:
    base, offset = store.place if isinstance(store.place, tuple) else (store.place, 0)
    return f"r{base}+{offset}" if offset >= 0 else f"r{base}{offset}"
