"""Ninja from its PyPI package."""

from __future__ import annotations

from buildtool.project.model import Tool
from buildtool.sdk.program import find_packaged
from buildtool.sdk.tool_search import ANY, Found

OLDEST = (1, 13)
"""The first that shares a budget of jobs with others."""


def find_ninja(wish: Tool = ANY) -> Found:
    """The Ninja that builds run; found and raises as `find_packaged` says."""
    pattern, why = r"^(\d+\.\d[\w.-]{0,40})", ": it does not share jobs with others"
    return find_packaged("Ninja", "ninja", wish, pattern=pattern, oldest=OLDEST, why=why)
