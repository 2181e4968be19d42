"""Measures programs on devices: benches with checked output, and comparisons of revisions."""
