"""Commands that a project starts with."""
