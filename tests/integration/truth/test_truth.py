"""The kernels give the same bytes natively, under qemu-hexagon and in Python.

If native and Python agree and QEMU differs, the emulator (or the Hexagon
compiler) is at fault; if all builds differ from Python, the kernel is.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from . import builds
from .cases import Case, all_cases

ARCHS = (
    "v68",
    # The same sources, and QEMU runs all on one model of a processor.
    *(pytest.param(arch, marks=pytest.mark.long) for arch in ("v69", "v73", "v75", "v79", "v81")),
)
SOME = (*(f"vec_add_i32 {count} " for count in (31, 32, 33)), "matvec_q8_0 2x33 ")


@pytest.fixture(scope="module")
def cases() -> tuple[Case, ...]:
    return all_cases()


def assert_same(command: list[str], cases: tuple[Case, ...]) -> None:
    got = builds.outputs(command, cases)
    wrong = [case.name for case, out in zip(cases, got, strict=True) if out != case.expected]
    assert not wrong


@pytest.mark.parametrize("opt", ["-O0", "-O2"])
def test_native(opt: str, cases: tuple[Case, ...], tmp_path: Path) -> None:
    assert_same(builds.build_native(tmp_path, opt=opt), cases)


@pytest.mark.parametrize("arch", ARCHS)
def test_hexagon(arch: str, cases: tuple[Case, ...], tmp_path: Path) -> None:
    assert_same(builds.build_hexagon(tmp_path, arch), cases)


def test_cases_are_not_trivial(cases: tuple[Case, ...]) -> None:
    """A kernel that writes nothing, or zeros, cannot pass."""
    outputs = [case.expected for case in cases if case.expected]
    assert sum(any(out) for out in outputs) > 0.95 * len(outputs)


def test_a_wrong_kernel_is_seen(cases: tuple[Case, ...], tmp_path: Path) -> None:
    """The check can fail: without the tail, exactly the lengths with a tail differ."""
    kernels = tmp_path / "kernels"
    shutil.copytree(builds.KERNELS, kernels)
    source = kernels / "vec_add_i32.c"
    source.write_text(source.read_text().replace("if (tail > 0)", "if (tail > 32)"))
    cases = tuple(case for case in cases if case.name.startswith(SOME))
    assert any(case.name.startswith("matvec") for case in cases)
    got = builds.outputs(builds.build_hexagon(tmp_path, "v68", kernels), cases)
    wrong = {case.name for case, out in zip(cases, got, strict=True) if out != case.expected}
    assert "vec_add_i32 33 at -0" in wrong
    assert "vec_add_i32 31 at -4" in wrong
    assert not any(name.startswith(("vec_add_i32 32 ", "matvec")) for name in wrong)
