"""Suites that pytest runs, and what its plugin does in them."""
