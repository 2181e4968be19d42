"""Reads ELF files."""
