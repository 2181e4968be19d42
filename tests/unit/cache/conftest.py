"""The cache of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kit import Kit


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path)
