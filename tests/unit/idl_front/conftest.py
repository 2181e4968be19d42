"""Gives each test its own directory of IDL files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.idl_front.idl_files import IdlFiles


@pytest.fixture
def idl(tmp_path: Path) -> IdlFiles:
    return IdlFiles(tmp_path)
