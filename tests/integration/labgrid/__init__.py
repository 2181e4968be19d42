"""Devices that are places of a labgrid coordinator."""
