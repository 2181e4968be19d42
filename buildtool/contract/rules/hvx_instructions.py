"""The code of dsp/ARCH/ has no HVX instruction that the arch lacks.

A DSP executes such a word as another instruction, or as none. From v79 on there are no sums and
products with IEEE operands and results, such as V0.sf=vadd(V1.sf,V2.sf): zeros and infinities were
measured, without a fault. Source: LLVM, pull request 198832.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from buildtool.contract.finding import Finding, Rule
from buildtool.contract.subject import Subject
from buildtool.contract.vector_code import (
    Use,
    VectorCode,
    arch_generation,
    code_finding,
    listed,
    vector_code,
)

RULE = Rule("hvx-instructions", __doc__, code="skel")
_IEEE_REMEDY = (
    "Compile it for {arch} without +hvx_ieee_fp. In C and assembly use the qf forms:"
    " Q6_Vqf32_vadd_VsfVsf(a, b), then Q6_Vsf_equals_Vqf32."
)
_NEWER_REMEDY = (
    "Compile it for {arch}: remove -mcpu and -mhvx= from its flags, and instructions of newer archs"
    " from assembly."
)


def check(subject: Subject) -> Iterator[Finding]:
    for path, arch, _ in subject.dsp():
        code, number = vector_code(subject, path), arch_generation(arch)
        lacked = _lacked(code, number) if code else []
        for ieee in (True, False):
            found = [use for use in lacked if use.form.ieee is ieee]
            if code and found:
                what = "IEEE sums or products" if ieee else "instructions of a newer arch"
                yield code_finding(
                    subject,
                    RULE,
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
