"""Translated packets leave what their instructions leave alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import LONG
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, build_skel, install
from .random_packets import assembly, packets, table
from .test_threads import case
from .test_translation import FORMS, TRANSLATED

COUNT = 400 if LONG else 100
SEEDS = range(26) if LONG else range(1)
ARCH_OF_THE_DEVICE = 0x75
TURN = 50


@pytest.mark.parametrize("seed", SEEDS)
def test_packets(
    make_device: Callable[..., Device], toolbox: Toolbox, tmp_path: Path, seed: int
) -> None:
    device = make_device(arch=f"{ARCH_OF_THE_DEVICE:x}")
    forms = [(FORMS[number][1], FORMS[number][2]) for number in TRANSLATED]
    chosen = packets(seed, COUNT, forms, tmp_path)
    text = "".join(assembly(chosen))
    (tmp_path / "packets.s").write_text(text)
    (tmp_path / "packets.h").write_text("".join(table(chosen)))
    flags = [f"-I{tmp_path}", f"-I{HERE / 'skel'}", f"-Wa,-I{tmp_path}"]
    # The compiler's cache does not know of files that assembly includes.
    flags += [f"-DPACKETS_ARE={hashlib.sha256(text.encode()).hexdigest()}"]
    flags += ["-mcpu=hexagonv81+hvxv81+hvx_length128b+hvx_qfloat+hvx_ieee_fp"]
    skel = build_skel(toolbox, f"packets{seed}", *QURT, *flags, source="packets")
    content = bytearray(skel.read_bytes())
    content[0x24] = ARCH_OF_THE_DEVICE  # e_flags; the assembler was told another one
    skel.write_bytes(content)
    install(device, skel, "packets")
    for first in range(0, COUNT, TURN):
        code, out, log = case(device, "packets", f"compare {first} {TURN}")
        assert code == 0, f"{first} {chosen[first]} {log}"
        assert out[0] == -1, f"{chosen[out[0]]}: {out}"
