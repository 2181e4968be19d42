"""Starts processes, ends them, and keeps their output."""
