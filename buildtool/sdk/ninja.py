"""Ninja from its PyPI package."""

from __future__ import annotations

from buildtool.project.model import Tool
from buildtool.sdk.program import find_packaged_tool
from buildtool.sdk.tool_search import NO_REQUIREMENT, FoundTool

OLDEST = (1, 13)
"""The first that shares a budget of jobs with others."""


def find_ninja(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """The Ninja that builds run; found and raises as `find_packaged_tool` says."""
    pattern, why = r"^(\d+\.\d[\w.-]{0,40})", ": it does not share jobs with others"
    return find_packaged_tool(
        "Ninja", "ninja", requirement, pattern=pattern, oldest=OLDEST, why=why
    )
