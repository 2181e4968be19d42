"""Failures on the DSP: reports of the emulated shell, with names of functions and lines."""
