"""Worked examples of qf32 and qf16 on DSPs of each encoding."""

from __future__ import annotations

import dataclasses
import functools
import struct
from collections.abc import Callable

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import client_of, install
from .qfloat_programs import skel_of
from .qfloat_rows import ALL, ROWS, lanes, named, program
from .test_threads import case

Vectors = list[tuple[int, ...]]


@pytest.fixture(scope="module")
def found(
    tmp_path_factory: pytest.TempPathFactory, toolbox: Toolbox
) -> Callable[[str], dict[str, Vectors]]:
    """What the rows of an arch have computed, by their names."""

    @functools.cache
    def found_of(arch: str) -> dict[str, Vectors]:
        folder = tmp_path_factory.mktemp(f"rows{arch}")
        chosen = program(arch)
        functions = {f"row_{name}": lines for name, lines, _ in chosen}
        skel = skel_of(toolbox, folder, f"qfloat_rows{arch}", functions, arch)
        device = Device.lay_out(folder / "device", toolbox, arch=arch)
        install(device, skel, "qfloat_programs")
        (device.root / "programs.in").write_bytes(b"\xff" * 1024)
        device = dataclasses.replace(device, client=client_of(toolbox))
        code, _, log = case(device, "qfloat_programs", "programs")
        assert code == 0, log
        vectors = list(struct.iter_unpack("<32I", (device.root / "programs.out").read_bytes()))
        return {name: vectors[at * 16 :][:16] for at, (name, *_) in enumerate(chosen)}

    return found_of


@pytest.mark.parametrize(
    ("arch", "name"),
    [
        pytest.param(arch, name, id=f"v{arch}-{name}")
        for arch in ALL
        for name, row in named()
        if arch in row.archs
    ],
)
def test_row(found: Callable[[str], dict[str, Vectors]], arch: str, name: str) -> None:
    row = dict(named())[name]
    stored = iter(found(arch)[name])
    for text in row.results.split():
        wanted = lanes(text)
        assert _shown(next(stored)) == _shown(wanted.words), row
        if arch != "75":
            more = [(bits | bits >> 8 | bits >> 16 | bits >> 24) & 15 for bits in next(stored)]
            assert _shown(more) == _shown(wanted.more), row


def _shown(words: tuple[int, ...] | list[int]) -> list[str]:
    return [f"{word:08X}" for word in words]


def test_numbers() -> None:
    assert {row.number for row in ROWS} == set(range(1, 81))
