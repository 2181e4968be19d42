"""The library between a program and libcdsprpc is compiled for no strange path of a device."""

from __future__ import annotations

import pytest

from buildtool.device.arm64_code import counting_library
from buildtool.device.errors import DeviceError


@pytest.mark.parametrize(
    "path", ['/x", 2); __asm__(".incbin \\"/etc/passwd\\""', "/a b", "lib.so", "", "/x\n", "/x\\"]
)
def test_a_path_that_is_more_than_a_path_is_refused(path: str) -> None:
    with pytest.raises(DeviceError, match="path of the device's libcdsprpc is unusual"):
        counting_library("ubuntu-aarch64", path)
