"""Reports of what is recorded."""
