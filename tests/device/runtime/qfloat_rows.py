"""Worked examples of qf32 and qf16: instructions, what they read, and what they write.

Rows 1 to 17 were recorded on Qualcomm's simulators (tests of quic/qemu and androm3da/qemu), in part
without the extension bits.  Rows 34, 58 to 62 and 80 were measured (dlwlzero/nntrainer,
GrigoryEvko/qwen-mobile).  The others follow from Qualcomm's emulators for v79 and v81
(qualcomm/qemu), and for v75 (quic/qemu).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from .qfloat_reference import Register

V75, V79, V81 = ("75",), ("79", "81"), ("81",)
ALL = (*V75, *V79)


class Row(NamedTuple):
    """`operands` are in v0 and so on, `results` in v8 and so on: each is a text of `lanes`."""

    number: int
    packets: tuple[str, ...]
    operands: str
    results: str
    archs: tuple[str, ...] = V79


def lanes(text: str) -> Register:
    """Of a word, or a half for both halves, and the extension bits if not those of a reset."""
    bits, _, more = text.partition(":")
    if len(bits) == 4:
        return Register([int(bits, 16) * 0x10001] * 32, [int(more or "2", 16) * 5] * 32)
    return Register([int(bits, 16)] * 32, [int(more or "A", 16)] * 32)


def assembly(row: Row, name: str, *, extended: bool) -> Iterator[str]:
    """A function that has vectors of ones at r0, and stores the results at r1.

    `extended`: the DSP has extension bits.  Then they are stored behind each result.
    """
    yield from (".p2align 4", f".type {name},@function", f"{name}:")
    yield "{ r4 = ##0x08040201; r5 = ##0x01010101 }"
    yield "{ v20 = vsplat(r5) }"
    for number, text in enumerate(row.operands.split()):
        register = lanes(text)
        yield f"{{ r3 = ##0x{register.words[0]:x} }}"
        if ":" in text and extended:
            yield f"{{ r2 = ##0x{bytes_of(register.more[0]):x}; v22 = vsplat(r3) }}"
            yield "{ v21.x = vsetqfext(v20,r2) }"
            yield f"{{ v{number} = vmerge(v21.x,v22.w) }}"
        else:
            yield f"{{ v{number} = vsplat(r3) }}"
    yield from (packet if packet[0] == "{" else f"{{ {packet} }}" for packet in row.packets)
    for number in range(8, 8 + len(row.results.split())):
        yield f"{{ vmem(r1+#0) = v{number}; r1 = add(r1,#128) }}"
        if extended:
            yield f"{{ v30 = vgetqfext(v{number}.x,r4) }}"
            yield "{ vmem(r1+#0) = v30; r1 = add(r1,#128) }"
    yield from ("{ jumpr r31 }", f".size {name},.-{name}")


def bytes_of(more: int) -> int:
    return sum((more >> n & 1) << 8 * n for n in range(4))


ADD, SUB, MUL = (f"v8.qf32 = {name}(v0.sf,v1.sf)" for name in ("vadd", "vsub", "vmpy"))
ADD_QF, SUB_QF, MUL_QF = (f"v8.qf32 = {name}(v0.qf32,v1.qf32)" for name in ("vadd", "vsub", "vmpy"))
ADD_16, SUB_16, MUL_16 = (f"v8.qf16 = {name}(v0.hf,v1.hf)" for name in ("vadd", "vsub", "vmpy"))
SF, HF = "v9.sf = v8.qf32", "v9.hf = v8.qf16"
PAIR_OF_SUMS = (ADD, "v9.qf32 = vadd(v0.sf,v1.sf)", "v10.hf = v9:8.qf32", "v11.sf = v8.qf32")
PAIR_OF_DIFFERENCES = tuple(text.replace("vadd", "vsub") for text in PAIR_OF_SUMS)
WIDE = ("v9:8.qf32 = vmpy(v0.hf,v1.hf)", "v10.sf = v8.qf32", "v11.hf = v9:8.qf32")
READ_32, READ_16 = ("v8.sf = v0.qf32",), ("v8.hf = v0.qf16",)
COPY = ("v8 = v0", SF)
BITS = ("r3 = ##0x11111111", "v5 = vsplat(r3)", "v0.x = vsetqfext(v5,r3)", "v1 = v0")
LOADED = (
    "{ v8.tmp = vmem(r0+#0); v8.qf32 = vsub(v0.qf32,v1.qf32); v4 = v8 }",
    "r3 = ##0x11111111",
    "v9 = vgetqfext(v8.x,r3)",
)


def single(number: float) -> str:
    return struct.pack(">f", number).hex().upper()


FACTORS = (1.5, -1.5, 2.5, -2.5, 0.5, -0.5, 1, 0.25, 1 / 3, 100.7, -100.7, 3.3, 126.6)
PRODUCTS = [(single(x), single(struct.unpack("f", struct.pack("f", x))[0] * struct.unpack(
    "f", struct.pack("f", 0.7))[0])) for x in FACTORS]  # fmt: skip
POLYNOMIAL = ("157D", "20ED", "2B1B", "33B0", "398C", "3C00")


def exponential(first: str) -> tuple[str, ...]:
    """2 ** v0 as kernels of haozixu/htp-ops-lib do it; v1 is the part that v2 has as bits."""
    packets = ["v3.qf16 = vsub(v0.hf,v1.hf)", "r3 = ##0x50825082", "v4 = vsplat(r3)", first]
    for number, coefficient in enumerate(POLYNOMIAL):
        packets += ["v5.qf16 = vmpy(v5.qf16,v3.qf16)"] if number else []
        packets += [f"r3 = ##0x{coefficient}{coefficient}", "v6 = vsplat(r3)"]
        packets += ["v5.qf16 = vadd(v5.qf16,v6.hf)"]
    return (*packets, "v8.hf = v5.qf16", "v9.h = vadd(v8.h,v2.h)")


ROWS = [
    # ---- recorded ----
    Row(1, (*BITS, "v8 = vgetqfext(v0.x,r3)"), "", "11111111"),
    Row(2, (*BITS, "v8 = vgetqfext(v1.x,r3)"), "", "11001100"),
    Row(3, (*BITS, "v2 = vgetqfext(v1.x,r3)", "v8 = vgetqfext(v0.x,r3)"), "", "11111111"),
    Row(
        4,
        ("{ v1 = v0; v4.sf = vmax(v2.sf,v1.sf) }", "v8.hf = v4.qf16"),
        "E60E31D4 BAF1FA15 4A777C7B",
        "5CA76FC7",
        ALL,
    ),
    Row(5, READ_16, "00007C7B", "00006FC7", ALL),
    Row(
        6,
        (
            "v5.qf32 = vadd(v0.sf,v1.sf)",
            "v5.hf = vmin(v0.hf,v1.hf)",
            "r3 = #0x57",
            "v8.qf16 = vmpy(v5.qf16,r3.hf)",
        ),
        "00000057 2A8B9BF4",
        "0000F766:3",
    ),
    Row(7, (MUL_QF,), "FFFFFFFF FFFFFFFF", "7FFFFFFF", V75),
    Row(8, (MUL_QF,), "FFFFFFFF FFFFFFFF", "0000007F:1"),
    Row(9, (SUB_QF,), "FDE1D91D FFFFFF80", "3FFFFF69", V75),
    Row(10, (SUB_QF,), "FDE1D91D FFFFFF80", "7FFFFF68:E"),
    Row(
        11,
        ("{ v0.cur = vmem(r0+#0); v8.qf32 = vsub(v0.qf32,v1.qf32) }", "v9.sf = v0.qf32"),
        "FFFFFF80:F FFFFFF80",
        "800000E7:3 F4000000",
    ),
    Row(12, LOADED, "FFFFFF80:F FFFFFF80", "00000080:7"),
    Row(13, LOADED, "FFFFFF80:F FFFFFF80", "00000080:7 00111111"),
    Row(14, ("v8.bf = v1:0.qf32",), "12345678 00000000", "00003B12", V81),
    Row(15, ("v8.bf = v1:0.qf32",), "00000000 FF00FF00", "80010000", V81),
    Row(16, ("v8.qf16 = vmpy(v0.qf16,v1.hf)",), "9BF4 0057", "F766:3"),
    Row(17, ("v8.qf16 = vmpy(v0.qf16,v1.hf)",), "0000 0000", "0000:0"),
    # ---- what no instruction of qf has written ----
    Row(18, READ_32, "12345678", "3B11A2B4", ALL),
    Row(19, READ_32, "3F800000", "003F8000", ALL),
    Row(20, READ_32, "00000000", "00000000", ALL),
    Row(21, READ_32, "4000007F", "3F800001", ALL),
    Row(22, READ_32, "00000080", "34800000"),
    Row(23, READ_16, "3C00", "01E0", ALL),
    Row(24, READ_16, "5082", "0909", ALL),
    Row(25, READ_16, "7FFF", "7C00"),
    # ---- sums and products ----
    Row(26, (ADD, SF), "3F800000 40000000", "60000080:2 40400000"),
    Row(27, (ADD, SF), "3F800000 33800000", "4000007F:3 3F800000"),
    Row(28, (ADD, SF), "3F800001 33800000", "4000007F:E 3F800002"),
    Row(29, (ADD, SF), "3F800000 33800001", "4000007F:6 3F800001"),
    Row(30, (ADD, SF), "BF800000 B3800000", "BFFFFF7F:E BF800000"),
    Row(31, (SUB, SF), "3F800000 30800000", "7FFFFF7E:E 3F800000"),
    Row(32, (SUB, SF), "3F800000 3F800000", "0000007F:2 00000000"),
    Row(33, (ADD, SF), "80000000 80000000", "FFFFFF01:F 80000000"),
    Row(34, (ADD, SF), "80000000 00000000", "00000001:2 00000000"),
    Row(35, (ADD, SF), "7F7FFFFF 7F7FFFFF", "7FFFFFFF:A 7F800000"),
    Row(
        36,
        (ADD, "v8.qf32 = vmpy(v8.qf32,v2.qf32)", SF),
        "7F7FFFFF 7F7FFFFF 4000007E:2",
        "7FFFFFFE:A 7F7FFFFF",
    ),
    Row(37, (MUL, SF), "7F7FFFFF 7F7FFFFF", "7FFFFF7E:1 7F800000"),
    Row(
        38,
        (MUL, "v8.qf32 = vmpy(v8.qf32,v8.qf32)", SF),
        "7F7FFFFF 7F7FFFFF",
        "7FFFFF7F:9 7F800000",
    ),
    Row(39, (MUL, SF), "3DCCCCCD 40400000", "4CCCCC7D:E 3E99999A"),
    Row(40, (MUL, SF), "BDCCCCCD 40400000", "B333337D:3 BE99999A"),
    Row(41, (MUL, SF), "00800000 3F000000", "40000000:2 00400000"),
    Row(42, (MUL, SF), "00000000 80000000", "FFFFFF80:D 80000000"),
    Row(43, (MUL, SF), "00000000 00000000", "00000080:0 00000000"),
    Row(44, (MUL, SF), "00400001 3FC00000", "30000001:E 00600002"),
    Row(45, (SUB, SF), "3F800001 3F800000", "0000007F:A 34000000"),
    Row(
        46,
        (SUB, "v8.qf32 = vmpy(v8.qf32,v8.qf32)", SF),
        "3F800001 3F800000",
        "0000007F:3 00000000",
    ),
    Row(47, (SUB, "v8.qf32 = vadd(v8.qf32,v2.sf)"), "3F800001 3F800000 00000000", "40000068:2"),
    Row(47, (SUB, "v8.qf32 = v8.qf32"), "3F800001 3F800000", "40000068:2", V81),
    Row(
        48,
        (SUB, "v8.qf32 = vadd(v8.qf32,v2.sf)", "v8.qf32 = vmpy(v8.qf32,v8.qf32)", SF),
        "3F800001 3F800000 00000000",
        "40000051:2 28800000",
    ),
    Row(
        49,
        (
            "v8.qf32 = vmpy(v0.sf,v0.sf)",
            "v8.qf32 = vsub(v8.qf32,v1.sf)",
            "v2.qf32 = vadd(v2.sf,v3.sf)",
            "v9.qf32 = vmpy(v8.qf32,v2.qf32)",
            "v9.sf = v9.qf32",
            "v10.qf32 = vadd(v8.qf32,v3.sf)",
            "v10.qf32 = vmpy(v10.qf32,v2.qf32)",
            "v10.sf = v10.qf32",
        ),
        "3DCCCCCD 3C23D70A 40400000 00000000",
        "00000078:7 31800000 31400000",
    ),
    Row(50, ("v8.qf32 = v0.sf",), "BF800000", "BFFFFF7F:F", V81),
    Row(50, ("v8.qf32 = v0.sf",), "80000000", "FFFFFF80:D", V81),
    Row(51, ("v8.qf32 = v0.sf",), "00000001", "400000EA:0", V81),
    Row(51, ("v8.qf32 = v0.sf", SF), "7FC00000", "7FFFFF7F:D 7FFFFFFF", V81),
    Row(52, (SUB, SF), "7F800000 7F800000", "7FFFFF7F:D 7FFFFFFF"),
    Row(52, (ADD,), "FF800000 3F800000", "8000007F:5"),
    Row(52, (MUL,), "00000000 7F800000", "7FFFFF7F:D"),
    Row(52, (MUL,), "7FC00000 BF800000", "8000007F:0"),
    # ---- halves ----
    Row(53, WIDE, "3C01 3C01", "4020047F:2 4020047F:2 3F804008 3C02"),
    Row(54, WIDE[:1], "0001 0001", "00000463:2 00000463:2"),
    Row(54, WIDE, "8001 3C00", "FFEFFF71:F FFEFFF71:F B3800000 8001"),
    Row(55, PAIR_OF_SUMS, "3F801000 30800000", "4008007F:3 4008007F:3 3C01 3F801000"),
    Row(56, PAIR_OF_SUMS, "3F801000 00000000", "4008007F:2 4008007F:2 3C00 3F801000"),
    Row(57, PAIR_OF_DIFFERENCES, "BF801000 30800000", "BFF7FF7F:E BFF7FF7F:E BC01 BF801000"),
    Row(58, (*PAIR_OF_SUMS, "v8 = v10"), "477FF000 00000000", "7C00"),
    Row(58, (*PAIR_OF_SUMS, "v8 = v10"), "477FEFFF 00000000", "7BFF"),
    Row(58, (*PAIR_OF_SUMS, "v8 = v10"), "477FF000 00000000", "7BFF", V75),
    Row(59, (*PAIR_OF_SUMS, "v8 = v10"), "33000000 00000000", "0000"),
    Row(59, (*PAIR_OF_SUMS, "v8 = v10"), "33000000 00000000", "0001", V75),
    Row(60, (*PAIR_OF_SUMS, "v8 = v10"), "7F800000 00000000", "7FFF", V75),
    Row(60, (*PAIR_OF_SUMS, "v8 = v10"), "80000000 00000000", "0000", V75),
    *(Row(61, (MUL, SF, "v8 = v9"), f"{x} {single(0.7)}", wanted) for x, wanted in PRODUCTS),
    # ---- rounded to a multiple of 2^-15: the sum, and what was added is subtracted ----
    *(
        Row(62, (ADD, "v8.qf32 = vsub(v8.qf32,v1.sf)", SF, "v8 = v9"), f"{x} {single(384)}", wanted)
        for x, wanted in (
            (single(1.5), single(49152 / 2**15)),
            (single(-1.5), single(-49152 / 2**15)),
            (single(-100.7), single(-3299738 / 2**15)),
            (single(1 / 3), single(10923 / 2**15)),
        )
    ),
    *(
        Row(62, (ADD,), f"{x} {single(384)}", f"{(384 * 2**15 + units >> 1) << 8 | 0x87:08X}", V75)
        for x, units in ((single(1.5), 49153), (single(-1.5), -49151), (single(1 / 3), 10923))
    ),
    Row(63, (ADD_16, HF), "3C00 4000", "6010:0 4200"),
    Row(63, (ADD_16, HF), "3C00 1000", "400F:0 3C00"),
    Row(64, (ADD_16, HF), "7BFF 7BFF", "7FFF:2 7C00"),
    Row(64, (ADD_16, HF), "F800 F800", "801F:1 FC00"),
    Row(65, (MUL_16, HF), "0400 3800", "4000:0 0200"),
    Row(65, (MUL_16, HF), "0400 0400", "0000:0 0000"),
    Row(65, (MUL_16, HF), "0400 8400", "FFE0:3 8000"),
    Row(66, (MUL_16, HF), "3555 4200", "7FEE:3 3C00"),
    Row(67, ("v8.qf16 = vabs(v0.hf)", HF), "C000", "4010:0 4000", V81),
    Row(67, ("v8.qf16 = vneg(v0.hf)", HF), "4000", "BFF0:3 C000", V81),
    Row(68, ("v8.w = vilog2(v0.qf32)",), "60000080:2", "00000001", V81),
    Row(68, ("v8.w = vilog2(v0.qf32)",), "0000007F:A", "FFFFFFE9", V81),
    Row(69, (ADD, SF), "3F800000 40000000", "60000080 40400001", V75),
    Row(70, (MUL,), "3F800000 3F800000", "4000007F", V75),
    Row(70, (MUL,), "BF800000 3F800000", "C000007F", V75),
    # ---- what copies and stores lose ----
    Row(71, (*COPY, "v10.sf = v0.qf32"), "4000007F:2", "4000007F 3F800001 3F800000"),
    Row(72, (*COPY, "v10.sf = v0.qf32"), "BFFFFF7F:F", "BFFFFF7F BF800001 BF800000"),
    Row(73, (*COPY, "v10.sf = v0.qf32"), "00000080:0", "00000080 34800000 00000000"),
    Row(74, (*COPY, "v10.sf = v0.qf32"), "40000001:0", "40000001 00800001 7F800000"),
    Row(75, ("v8 = v0", HF, "v10.hf = v0.qf16"), "400F:0", "400F 3C01 3C00"),
    Row(
        76,
        ("vmem(r1+#7) = v0", "v8 = vmem(r1+#7)", "v9.qf32 = vadd(v8.sf,v1.sf)"),
        "4000007F:2 00000000",
        "4000007F 40003F80:A",
    ),
    Row(
        77,
        (
            SUB_16,
            "v9.qf16 = vmpy(v2.qf16,v8.qf16)",
            "v10.hf = v9.qf16",
            "v11.qf16 = vmpy(v8.qf16,v2.hf)",
            "v11.hf = v11.qf16",
        ),
        "3400 0000 5082",
        "400D:0 5080:2 0284 4882",
    ),
    *(
        Row(78, exponential("v5.qf16 = vmpy(v4.qf16,v3.qf16)"), operands, results)
        for operands, results in (
            ("B800 BC00 FC00", "3DA8 39A8"),
            ("BD33 BC00 FC00", "3A80 3680"),
            ("B400 0000 0000", "3ABA 3ABA"),
            ("C180 C200 F400", "3CC2 30C2"),
        )
    ),
    Row(
        79,
        (ADD, "v9.qf32 = vsub(v8.qf32,v2.sf)", "v10.sf = v9.qf32"),
        "3F800001 33800000 3F800002",
        "4000007F:E FFFFFF7F:F 80000000",
    ),
    # ---- a constant in qf16 whose reader was retyped ----
    Row(
        80,
        ("v8.qf16 = vmpy(v0.qf16,v1.hf)", HF, "v10.qf16 = vmpy(v0.qf16,v1.qf16)"),
        "400F:0 5082",
        "4834:0 5082 5082:2",
    ),
    *(
        Row(80, exponential("v5.qf16 = vmpy(v3.qf16,v4.hf)"), operands, results)
        for operands, results in (
            ("B800 BC00 FC00", "3FE9 3BE9"),
            ("BD33 BC00 FC00", "3AB5 36B5"),
            ("B400 0000 0000", "3ACC 3ACC"),
            ("C180 C200 F400", "3CCB 30CB"),
        )
    ),
]


def named() -> Iterator[tuple[str, Row]]:
    """Each with its number, and a letter if several have it."""
    numbers = [row.number for row in ROWS]
    for at, row in enumerate(ROWS):
        letter = chr(ord("a") + numbers[:at].count(row.number))
        yield f"{row.number:02}{letter if numbers.count(row.number) > 1 else ''}", row


def program(arch: str) -> list[tuple[str, list[str], Row]]:
    """The rows of an arch, each with its name and its function."""
    return [
        (name, list(assembly(row, f"row_{name}", extended=arch != "75")), row)
        for name, row in named()
        if arch in row.archs
    ]
