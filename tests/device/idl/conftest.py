"""The emulated device, and the random cases of the integration tests, for generated C."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox


@pytest.fixture(scope="session")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    return Toolbox(base / "fastrpc-device")


@pytest.fixture
def device(tmp_path: Path, toolbox: Toolbox) -> Device:
    return Device.lay_out(tmp_path / "device", toolbox)
