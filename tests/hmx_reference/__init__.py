"""HMX in Python, from docs/hmx.md alone, with exact integers: the reference for the emulated device."""
