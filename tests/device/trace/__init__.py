"""Traces of runs on devices."""
