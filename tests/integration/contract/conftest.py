"""The binaries and releases of these tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .binaries import Linker
from .releases import TestRelease

Make = Callable[..., TestRelease]


@pytest.fixture(scope="session")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker(tmp_path_factory.mktemp("binaries"))


@pytest.fixture
def make(linker: Linker, tmp_path: Path) -> Make:
    """A release that keeps all rules, by platform; not declared yet."""

    def make_(platform: str = "ubuntu-aarch64") -> TestRelease:
        return TestRelease(tmp_path / "release", linker, platform)

    return make_
