"""The emulated device for tests of its core; it is built once and laid out for each test."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from .toolbox import Device, Toolbox


@pytest.fixture(scope="session")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    return Toolbox(base / "fastrpc-device")


@pytest.fixture
def make_device(tmp_path: Path, toolbox: Toolbox) -> Callable[..., Device]:
    """A function that lays out a device with changes to its configuration."""

    def make(name: str = "device", **changes: str | None) -> Device:
        return Device.lay_out(tmp_path / name, toolbox, **changes)

    return make


@pytest.fixture
def device(make_device: Callable[..., Device], toolbox: Toolbox) -> Device:
    """A QCS6490 with the probe skel in its default directory."""
    made = make_device()
    made.install(toolbox.skel("probe"))
    return made
