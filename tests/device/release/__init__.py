"""Packages in the formats of other tools, installed and run on the emulated device."""
