"""buildtool: from source to a verified run on a Hexagon device, in one command."""

__version__ = "0.1.0"
VERSION_OPTIONS = (["--version"], ["-V"], ["version"])
"""The command lines that print the version."""
