"""Commands that look into files."""
