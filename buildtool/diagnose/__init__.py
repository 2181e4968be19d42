"""What went wrong on the DSP, and where: reports of the emulated shell, with names and lines."""
