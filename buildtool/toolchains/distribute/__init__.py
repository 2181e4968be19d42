"""Compilers on other machines: what these need, and how a build calls them there."""

ENGINES = ("distcc", "icecc")
