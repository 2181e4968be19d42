"""Propose a project file for an existing CMake tree.

language: text → commands · tree: the files of a directory · reading: what they say ·
components: which projects there are, and their sides · propose: the project file · text: as TOML
"""
