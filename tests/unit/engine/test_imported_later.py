"""The modules that are imported while a tool runs exist."""

from __future__ import annotations

import importlib.util

import pytest

import buildtool.drivers.cmake.cmake_runner  # noqa: F401
import buildtool.flow.targets  # noqa: F401 - adds its modules
from buildtool.core import beside


@pytest.mark.parametrize("name", beside.later)
def test_a_module_to_import_later_exists(name: str) -> None:
    assert importlib.util.find_spec(name)
