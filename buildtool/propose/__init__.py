"""Propose a project file for an existing CMake tree.

tree: the files of a directory · calls, hints: what their text tells · configure: run
CMake · look: on which projects, for which sides · sides, ships, needs, switches: what CMake said ·
tables, propose: the project file · text: as TOML
"""
