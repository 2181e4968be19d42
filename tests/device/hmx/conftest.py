"""Emulated devices with HMX, and the skel that executes its packets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.device.fastrpc.conftest import toolbox
from tests.device.fastrpc.toolbox import Device, Toolbox

from .lab import Lab, make_lab

__all__ = ["toolbox"]


@pytest.fixture
def make_lab_for(tmp_path_factory: pytest.TempPathFactory, toolbox: Toolbox) -> Callable[..., Lab]:
    """A function that lays out a device of an arch ("v73"), with changes to its configuration."""

    def make(arch: str = "v73", **changes: str) -> Lab:
        root = tmp_path_factory.mktemp("hmx") / "root"
        device = Device.lay_out(root, toolbox, arch=arch[1:], **{"hmx": "1", **changes})
        return make_lab(device, toolbox)

    return make
