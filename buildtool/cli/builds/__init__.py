"""Commands that build, and their results."""
