"""The SoC of a device, read from any of several files."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.device.board import read_soc
from buildtool.device.emulated.socs import known_socs
from buildtool.device.sysroot.device_files import PLACES
from buildtool.device.sysroot.source import Directory


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"radxa,dragon-q6a\0qcom,qcm6490\0", "QCM6490"),
        (b"lenovo,thinkpad-t14s\0qcom,x1e78100\0qcom,x1e80100\0", "X1E80100"),
        (b"asus,zenbook\0qcom,x1p42100\0", "X1P42100"),
        (b"qcom,sm8550-hdk\0qcom,sm8550\0", "SM8550"),
        (b"raspberrypi,4-model-b\0brcm,bcm2711\0", ""),
        (b"qcom,x1\0qcom,kryo\0", ""),
    ],
)
def test_the_device_tree_names_the_soc(text: bytes, expected: str, tmp_path: Path) -> None:
    file = tmp_path / PLACES.compatible[0].lstrip("/")
    file.parent.mkdir(parents=True)
    file.write_bytes(text)

    assert read_soc(Directory(tmp_path))[0] == expected


def test_laptops_are_in_the_table() -> None:
    assert "X1E80100" in known_socs()
