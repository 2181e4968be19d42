"""`buildtool devices` without a verb: a table of all devices, which is live on a terminal."""
