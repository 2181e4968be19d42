"""Commands that use devices."""
