"""HMX from docs/hmx.md, in exact integers: the reference for the emulated device."""
