"""Traces of commands that run programs, for Perfetto."""
