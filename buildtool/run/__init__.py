"""Runs programs of a release on devices."""
