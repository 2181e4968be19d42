"""Checks of the files that a build has linked."""
