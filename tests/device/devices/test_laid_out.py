"""What was laid out for the emulated device is known the next time, unless it has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool import first_look
from buildtool.core.files import time_between_changes
from buildtool.device.emulated import device
from buildtool.device.emulated.device import CONFIGURATION, EmulatedDevice, prepare
from buildtool.device.emulated.socs import find_soc

ROOT = ".buildtool/device/sim"


@pytest.fixture
def prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], tuple[EmulatedDevice, int]]:
    """Prepare the device of a project; returns it and how often it was laid out."""
    (tmp_path / "buildtool.toml").touch()
    laid_out: list[Path] = []
    real = device._laid_out

    def lay_out(root: Path, *rest: object) -> EmulatedDevice:
        laid_out.append(root)
        return real(root, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(first_look, "_SETTLED_NS", 0)
    monkeypatch.setattr(device, "_laid_out", lay_out)

    def prepare_again(soc: str) -> tuple[EmulatedDevice, int]:
        laid_out.clear()
        time_between_changes()
        found = prepare(tmp_path / ROOT, find_soc(soc), lambda _: None)
        time_between_changes()
        return found, len(laid_out)

    return prepare_again


@pytest.mark.parametrize("change", ["lib/libc.so.6", "lib/libcdsprpc.so", CONFIGURATION])
def test_what_is_missing_is_laid_out_again(
    prepared: Callable[[str], tuple[EmulatedDevice, int]], tmp_path: Path, change: str
) -> None:
    prepared("SM8750")
    first, _ = prepared("SM8750")  # nothing is changed any more
    assert prepared("SM8750") == (first, 0)

    (tmp_path / ROOT / change).unlink()

    assert prepared("SM8750") == (first, 1)
    assert (tmp_path / ROOT / change).exists()


def test_another_chip_is_laid_out(
    prepared: Callable[[str], tuple[EmulatedDevice, int]], tmp_path: Path
) -> None:
    for _ in range(2):
        prepared("SM8550")

    found, laid_out = prepared("QCS6490")

    assert (found.soc.arch, laid_out) == ("v68", 1)
    assert "arch=68\n" in (tmp_path / ROOT / CONFIGURATION).read_text()
