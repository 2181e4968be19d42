"""The formats of archives, one module each."""
