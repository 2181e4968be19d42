"""`buildtool run sim --debug`."""
