"""Brings releases onto devices."""
