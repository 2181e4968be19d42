"""Propose a project file for an existing CMake tree.

cmake_tree: the tree's CMake files · cmake_calls, text_hints: commands and evidence in them ·
configure: run CMake · candidates: which projects to configure, and for which sides · target_sides,
shipped_files, package_needs, options: what CMake reports · component_tables, propose: the
project file · toml_text: its text
"""
