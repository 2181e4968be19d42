"""Ninja from its PyPI package."""

from __future__ import annotations

from buildtool.project.model import Tool
from buildtool.sdk.program import find_packaged_tool
from buildtool.sdk.tool_search import NO_REQUIREMENT, FoundTool

OLDEST = (1, 13)
"""The first version that supports the GNU make jobserver, by which steps share job slots."""


def find_ninja(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """Find Ninja as `find_packaged_tool` does, with the same errors."""
    pattern, why = r"^(\d+\.\d[\w.-]{0,40})", ", which has no jobserver support"
    return find_packaged_tool(
        "Ninja", "ninja", requirement, pattern=pattern, oldest=OLDEST, why=why
    )
