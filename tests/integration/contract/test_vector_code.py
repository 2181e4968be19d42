"""What is wrong with the vector instructions of a skel: real code, assembled and compiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from buildtool.contract.build_checks import ContractError, check_dsp_files
from buildtool.contract.finding import ERROR, WARNING, Finding
from buildtool.contract.rules.vector_instructions import hvx_instructions, qf_values
from buildtool.contract.subject import NOTHING, Promise, Subject
from buildtool.contract.vector_code import VectorCode
from buildtool.toolchains.select_profiles import CODE_RULES

from .vector_library import library

BUILT = Promise(platform="hexagon", own=True)
STACK = "keeps qf values on the stack, where they lose bits"
CALL = "keeps qf values on the stack during a call, where they lose bits"
COPIED = "copies qf values, which can change their last bit"
PERMUTED = "permutes qf values"
AS_IEEE = "reads qf values as IEEE numbers"
AS_QF = "reads IEEE numbers as qf values"
WIDTH = "reads qf values of the other width"
FRAME = "{ allocframe(r29,#4096):raw }\n{ r29 = and(r29,#-128) }\n"
QF = "{ v0.qf32 = vadd(v1.sf,v2.sf) }\n"
READ = "{ v5.qf32 = vadd(v4.qf32,v2.sf) }\n"
END = "{ r31:30 = dealloc_return(r30):raw }\n"
RETURN = "{ jumpr r31 }\n"


def function(body: str, name: str = "f") -> str:
    return f".text\n.globl {name}\n.type {name},@function\n{name}:\n{body}.size {name}, .-{name}\n"


def found(file: Path, arch: str = "v79", promise: Promise = BUILT) -> list[Finding]:
    subject = Subject({f"dsp/{arch}/libx.so": file}, promise=promise)
    return [finding for rule in (hvx_instructions, qf_values) for finding in rule.check(subject)]


def mistakes(file: Path, arch: str = "v79") -> list[str]:
    return [finding.message.partition(" ")[2] for finding in found(file, arch)]


WRONG = {
    "a slot of the stack": (
        f"{FRAME}{QF}{{ vmem(r29+#1) = v0 }}\n{{ v4 = vmem(r29+#1) }}\n{READ}{END}",
        STACK,
        "stored at r29+128, and read as v4",
    ),
    "the new value of a packet": (
        f"{FRAME}{{ v3 = vmem(r0+#0)\n v0.qf32 = vadd(v1.sf,v2.sf)\n vmem(r29+#-2) = v0.new }}\n"
        f"{{ v4.cur = vmem(r29+#-2)\n v5.qf32 = vadd(v4.qf32,v2.sf) }}\n{END}",
        STACK,
        "stored at r29-256, and read as v4",
    ),
    "the odd register of a pair that is new": (
        f"{FRAME}{{ v7:6.qf32 = vmpy(v1.hf,v2.hf)\n vmem(r29+#0) = v7.new }}\n"
        f"{{ v4 = vmem(r29+#0) }}\n{READ}{END}",
        STACK,
        "stored at r29+0, and read as v4",
    ),
    "a slot that is far": (
        f"{FRAME}{QF}{{ r5 = add(r29,#2048) }}\n{{ vmem(r5+#1) = v0 }}\n{{ r6 = add(r29,#2048) }}\n"
        f"{{ v4 = vmem(r6+#1) }}\n{READ}{END}",
        STACK,
        "stored at r29+2176, and read as v4",
    ),
    "a slot on one of two ways": (
        f"{FRAME}{QF}{{ v3 = vmem(r0+#0) }}\n{{ vmem(r29+#0) = v3 }}\n"
        f"{{ p0 = cmp.eq(r1,#0); if (p0.new) jump:nt 1f }}\n{{ vmem(r29+#0) = v0 }}\n"
        f"1: {{ v4 = vmem(r29+#0) }}\n{READ}{END}",
        STACK,
        "stored at r29+0, and read as v4",
    ),
    "a slot in a hardware loop": (
        f"{FRAME}{{ v4 = vxor(v4,v4)\n loop0(1f,r2) }}\n{{ vmem(r29+#0) = v4 }}\n"
        f"1: {{ v4 = vmem(r29+#0) }}\n{{ v4.qf32 = vadd(v4.qf32,v2.sf)\n vmem(r29+#0) = v4.new\n"
        f" nop }}:endloop0\n{END}",
        STACK,
        "stored at r29+0, and read as v4",
    ),
    "a slot during a call": (
        f"{FRAME}{QF}{{ call other\n vmem(r29+#1) = v0 }}\n{{ v4 = vmem(r29+#1) }}\n{READ}{END}",
        CALL,
        "stored at r29+128, and read as v4",
    ),
    "a permutation": (
        f"{QF}{{ v4 = vror(v0,r0) }}\n{RETURN}",
        PERMUTED,
        "v4=vror(v0,Rt) reads qf32 of",
    ),
    "a copy": (f"{QF}{{ v4 = v0 }}\n{READ}{RETURN}", COPIED, "is copied to v4, and read at"),
    "a copy to a pair": (
        f"{QF}{{ v5:4 = vcombine(v0,v1) }}\n{{ v6.hf = v5:4.qf32 }}\n{RETURN}",
        COPIED,
        "is copied to v5, and read at",
    ),
    "a selection": (
        f"{QF}{{ v4 = vmux(q0,v0,v1) }}\n{READ}{RETURN}",
        COPIED,
        "is copied to v4, and read at",
    ),
    "qf as sf": (
        f"{QF}{{ v4.sf = vmax(v0.sf,v1.sf) }}\n{RETURN}",
        AS_IEEE,
        "v4.sf=vmax(v0.sf,v1.sf) reads qf32 of",
    ),
    "sf as qf": (f"{{ v4.sf = vmax(v0.sf,v1.sf) }}\n{READ}{RETURN}", AS_QF, "reads sf of"),
    "a converted value as qf": (f"{QF}{{ v4.sf = v0.qf32 }}\n{READ}{RETURN}", AS_QF, "reads sf of"),
    "qf16 as qf32": (
        f"{{ v4.qf16 = vadd(v1.hf,v2.hf) }}\n{READ}{RETURN}",
        WIDTH,
        "v5.qf32=vadd(v4.qf32,v2.sf) reads qf16 of",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_value_that_is_lost(case: str, tmp_path: Path) -> None:
    body, mistake, how = WRONG[case]
    (finding,) = found(library(tmp_path, function(body)))

    assert finding.message == f"libx.so {mistake}"
    assert finding.why.startswith("f, x.s:")
    assert how in finding.why
    assert finding.severity == (WARNING if mistake == COPIED else ERROR)
    assert finding.remedy


RIGHT = {
    "a value that is converted first": (
        f"{FRAME}{QF}{{ v0.sf = v0.qf32 }}\n{{ vmem(r29+#1) = v0 }}\n{{ v4 = vmem(r29+#1) }}\n"
        f"{{ v5.qf32 = vadd(v4.sf,v2.sf) }}\n{END}"
    ),
    "all bits are saved": (
        f"{FRAME}{QF}{{ vmem(r29+#1) = v0 }}\n{{ v3 = vgetqfext(v0.x,r0) }}\n"
        f"{{ vmem(r29+#2) = v3 }}\n{{ v4 = vmem(r29+#1) }}\n{{ v3 = vmem(r29+#2) }}\n"
        f"{{ v3.x = vsetqfext(v3,r0) }}\n{{ v4 = vmerge(v3.x,v4.w) }}\n{READ}{END}"
    ),
    "the slot is written again": (
        f"{FRAME}{QF}{{ vmem(r29+#1) = v0 }}\n{{ vmem(r29+#1) = v1 }}\n{{ v4 = vmem(r29+#1) }}\n"
        f"{READ}{END}"
    ),
    "the address has changed": (
        f"{FRAME}{QF}{{ r5 = add(r29,#2048) }}\n{{ vmem(r5+#0) = v0 }}\n{{ r5 = add(r5,r1) }}\n"
        f"{{ v4 = vmem(r5+#0) }}\n{READ}{END}"
    ),
    "the stack pointer has changed": (
        f"{FRAME}{QF}{{ vmem(r29+#0) = v0 }}\n{{ r29 = add(r29,#-128) }}\n"
        f"{{ v4 = vmem(r29+#0) }}\n{READ}{END}"
    ),
    "one of two ways has qf": (
        f"{{ v4.sf = vmax(v0.sf,v1.sf) }}\n{{ p0 = cmp.eq(r1,#0); if (p0.new) jump:nt 1f }}\n"
        f"{{ v4.qf32 = vadd(v1.sf,v2.sf) }}\n1: {READ}{RETURN}"
    ),
    "a write that depends on a predicate": (
        f"{QF}{{ if (p0) v0 = vmem(r0+#0) }}\n{{ v4.sf = vmax(v0.sf,v1.sf) }}\n{RETURN}"
    ),
    "a call may have written it": (
        f"{FRAME}{{ v4.sf = vmax(v0.sf,v1.sf)\n call other }}\n{READ}{END}"
    ),
    "the code is entered from elsewhere": (
        f"{{ v4.sf = vmax(v0.sf,v1.sf) }}\n1: {READ}{{ jumpr r0 }}\n"
    ),
    "an unknown vector instruction": (
        f"{{ v4.sf = vmax(v0.sf,v1.sf) }}\n.word 0x1e00e0e0\n{READ}{RETURN}"
    ),
    "a temporary": (f"{QF}{{ v0.tmp = vmem(r0+#0)\n v4.sf = vmax(v0.sf,v1.sf) }}\n{RETURN}"),
    "a temporary that keeps all bits": (
        f"{QF}{{ v6.tmp = v0\n v4.qf32 = vadd(v6.qf32,v1.sf) }}\n{RETURN}"
    ),
    "loads of one packet that depend on a predicate": (
        f"{QF}{{ if (p0) v0.tmp = vmem(r0+#0)\n v4.sf = vmax(v0.sf,v1.sf) }}\n"
        f"{{ if (p0) v6.cur = vmem(r0+#0)\n v4.sf = vmax(v6.sf,v1.sf) }}\n{RETURN}"
    ),
    "the control index of a permutation": (f"{QF}{{ v4 = vdelta(v1,v0) }}\n{RETURN}"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_nothing_is_found_in_code_that_may_be_right(case: str, tmp_path: Path) -> None:
    assert mistakes(library(tmp_path, function(RIGHT[case]))) == []


@pytest.mark.parametrize("case", WRONG)
def test_an_older_arch_loses_nothing(case: str, tmp_path: Path) -> None:
    assert mistakes(library(tmp_path, function(WRONG[case][0]), 75), "v75") == []


def test_files_that_were_not_compiled_here_get_warnings(tmp_path: Path) -> None:
    file = library(tmp_path, function(WRONG["a permutation"][0]))

    assert [finding.severity for finding in found(file, promise=NOTHING)] == [WARNING]
    release = BUILT._replace(platform="android")
    assert [finding.severity for finding in found(file, promise=release)] == [WARNING]


# ---- instructions that an arch lacks ----

NEWER = "{ v0.qf32 = v1.sf }\n"
SUM = "{ v0.sf = vadd(v1.sf,v2.sf) }\n{ v4.hf += vmpy(v1.hf,v2.hf) }\n"


@pytest.mark.parametrize(
    ("body", "arch", "why"),
    [
        (NEWER, "v79", ["v0.qf32=v1.sf, of v81"]),
        (NEWER, "v81", []),
        (SUM, "v75", []),
        (SUM, "v79", ["v0.sf=vadd(v1.sf,v2.sf)", "v4.hf+=vmpy(v1.hf,v2.hf)"]),
        (SUM, "v81", ["v0.sf=vadd(v1.sf,v2.sf)", "v4.hf+=vmpy(v1.hf,v2.hf)"]),
    ],
)
def test_instructions_that_the_arch_lacks(
    body: str, arch: str, why: list[str], tmp_path: Path
) -> None:
    file = library(tmp_path, function(body + RETURN), 81)

    lines = [line for finding in found(file, arch) for line in finding.why.split("\n")]

    assert [line.partition(": ")[2] for line in lines] == why
    assert all(line.startswith("f, x.s:") for line in lines)
    assert all(finding.severity == ERROR for finding in found(file, arch))


# ---- what a compiler makes ----

KERNEL = """
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
void accumulate(const float *restrict in, float *restrict out, int rows) {
  const HVX_Vector *v = (const HVX_Vector *)in;
  HVX_Vector sums[N], *to = (HVX_Vector *)out;
#pragma unroll
  for (int i = 0; i < N; i++) sums[i] = Q6_V_vzero();
  for (int row = 0; row < rows; row++)
#pragma unroll
    for (int i = 0; i < N; i++) sums[i] = Q6_Vqf32_vadd_Vqf32Vsf(sums[i], v[row * N + i]);
#pragma unroll
  for (int i = 0; i < N; i++) to[i] = Q6_Vsf_equals_Vqf32(sums[i]);
}
"""


@pytest.mark.parametrize(
    ("count", "arch", "lost"), [(36, 79, True), (36, 75, False), (8, 79, False)]
)
def test_more_sums_than_registers(count: int, arch: int, lost: bool, tmp_path: Path) -> None:
    file = library(tmp_path, KERNEL, arch, "x.c", f"-DN={count}")

    findings = [finding for finding in found(file, f"v{arch}") if finding.severity == ERROR]

    assert [finding.message for finding in findings] == ([f"libx.so {STACK}"] if lost else [])
    assert all("accumulate, x.c:11: qf32 of x.c:11" in finding.why for finding in findings)


SKEL = (
    *("-Wl,-z,max-page-size=4096", "-Wl,-z,norelro", "-Wl,--hash-style=sysv", "-DN=36"),
    *("-fPIC", "-fno-builtin"),
)
ENTRY = "int demo_skel_handle_invoke(int x) { return x; }\n"


def test_a_build_stops(tmp_path: Path) -> None:
    warnings: list[str] = []
    old = library(tmp_path, KERNEL + ENTRY, 75, "x.c", *SKEL)
    check_dsp_files({"libdemo_skel.so": old}, "v75", warn=warnings.append)
    assert warnings == []

    new = library(tmp_path, KERNEL + ENTRY, 79, "x.c", *SKEL)
    with pytest.raises(ContractError) as caught:
        check_dsp_files({"libdemo_skel.so": new}, "v79", warn=warnings.append)
    assert caught.value.message.endswith(STACK)
    assert caught.value.code == "skel"

    allow = (qf_values.name,)
    check_dsp_files({"libdemo_skel.so": new}, "v79", warn=warnings.append, allow=allow)
    check_dsp_files({"libdemo_skel.so": new}, "v79", warn=warnings.append, own=False)
    assert [STACK in text.partition("\n")[0] for text in warnings] == [True, False] * 2


def test_code_of_a_file_without_sections(tmp_path: Path) -> None:
    file = library(tmp_path, function(WRONG["a permutation"][0]))
    data = bytearray(file.read_bytes())
    data[32:36] = bytes(4)  # e_shoff
    file.write_bytes(data)

    assert not list(VectorCode(file).uses(bool))
    assert mistakes(file) == []


def test_a_target_allows_what_it_means(tmp_path: Path) -> None:
    file = library(tmp_path, function(WRONG["a permutation"][0]))
    rule = qf_values.name

    assert "If it is meant" in found(file)[0].remedy
    assert [f.severity for f in found(file, promise=BUILT._replace(allow=(rule,)))] == [WARNING]


def test_each_rule_that_builds_can_allow_is_known() -> None:
    assert {hvx_instructions.name, qf_values.name} == CODE_RULES


def test_a_stripped_file_has_addresses(tmp_path: Path) -> None:
    file = library(tmp_path, function(WRONG["a permutation"][0]), 79, "x.s", "-s")

    (finding,) = found(file)

    assert re.fullmatch(r"f, 0x\w+: v4=vror\(v0,Rt\) reads qf32 of 0x\w+", finding.why)


@pytest.mark.parametrize("count", [4_000, 20_000])
def test_code_that_takes_too_long_to_follow(count: int, tmp_path: Path) -> None:
    """Each packet has a qf result, and may go on far away."""
    jump = "{ if (p0) jump f\n v1 = v0 }\n"
    body = f"{QF}.rept {count}\n{jump}{QF}.endr\n{{ v4 = vror(v0,r0) }}\n{RETURN}"

    assert set(mistakes(library(tmp_path, function(body)))) <= {AS_IEEE, PERMUTED, COPIED}
