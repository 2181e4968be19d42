"""Makes a release current on a device; what is there already is not sent again."""
