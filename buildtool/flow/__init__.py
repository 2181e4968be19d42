"""The commands as compositions of stages: each stage takes one value and returns the next."""
